"""Damaged and forged journals of the pages: refused in a sentence, or a page that can go on."""

import json
import random
import tempfile
import zlib
from functools import cache
from pathlib import Path
from typing import Any

from graphwell.jobs.labelling import LabelledTable, LabelOptions, open_table
from graphwell.jobs.painting import PaintOptions
from graphwell.serve.journal import Journal
from graphwell.serve.labelling import LabelPage
from graphwell.serve.painting import PaintPage
from torture.attack import Attack
from torture.mutation import mutated
from torture.sentences import answers_or_tells
from torture.users import ODD, USERS, Labeller

FOLDER = tempfile.TemporaryDirectory()
INSIDE = Path(FOLDER.name)
N_ACTIONS = 12
NOTE = {"labels": 3, "share": 0.5, "low": 0.25, "high": 0.75, "checked": [[7, 0.5, True]]}


def attempt(seed: int) -> None:
    """Open a page on a journal whose bytes are damaged, or whose actions are odd behind right checksums."""
    rng, kind = random.Random(seed), seed % len(USERS)
    user = USERS[kind](rng)
    journal = INSIDE / (f"{'in.csv' if kind == 0 else 'painted/in.png'}.journal")
    head = _head(kind, journal)
    if rng.random() < 0.3:
        actions = [json.loads(user.message()) for _ in range(N_ACTIONS)]
        journal.write_bytes(mutated(head + b"".join(map(_line, actions)), rng))
    else:
        actions = [_odd(json.loads(user.message()), rng) for _ in range(rng.randint(1, N_ACTIONS))]
        journal.write_bytes(head + b"".join(map(_line, actions)))
    answers_or_tells(lambda: _go_on(kind, journal))


def _go_on(kind: int, path: Path) -> None:
    """Look at the page, and step back and forth."""
    if kind == 0:
        with Journal(path, _table().fingerprint) as journal:
            _step(LabelPage(_table(), journal))
        return
    page = PaintPage(_options())
    try:
        _step(page)
    finally:
        page.end()


def _step(page: LabelPage | PaintPage) -> None:
    list(page.greeting())
    for command in ("redo", "undo", "undo", "redo"):
        page.commands[command]({"do": command})


@cache
def _table() -> LabelledTable:
    return open_table(LabelOptions(table=INSIDE / "in.csv", n_jobs=1))


def _options() -> PaintOptions:
    return PaintOptions(source=INSIDE / "in.png", output=INSIDE / "painted", n_jobs=1)


@cache
def _head(kind: int, journal: Path) -> bytes:
    """The first lines of a journal: what it is about, and the classes to begin with."""
    for user in USERS:
        user(random.Random(0)).furnish(INSIDE)
    if USERS[kind] is Labeller:
        Journal(journal, _table().fingerprint).close()
    else:
        PaintPage(_options()).end()
    return journal.read_bytes()


def _odd(action: dict[str, Any], rng: random.Random) -> Any:
    if rng.random() < 0.2:
        return {"note": _odd_note(rng)}
    if rng.random() < 0.5:
        return action
    if rng.random() < 0.1:
        return rng.choice(ODD)
    return {**action, rng.choice([*action, "class", "rows", "points", "classes"]): rng.choice(ODD)}


def _odd_note(rng: random.Random) -> Any:
    """What the learning curve notes, with a field that is odd or missing; or something else."""
    name, kind = rng.choice([*NOTE]), rng.randrange(5)
    if kind == 0:
        return rng.choice(ODD)
    if kind == 1:
        return {key: value for key, value in NOTE.items() if key != name}
    if kind == 2:
        return {**NOTE, "checked": [[rng.choice(ODD), rng.choice(ODD), rng.choice(ODD)]]}
    return {**NOTE, name: rng.choice(ODD)} if kind == 3 else NOTE


def _line(entry: Any) -> bytes:
    text = json.dumps(entry).encode()
    return b"%08x %s\n" % (zlib.crc32(text), text)


ATTACK = Attack("journals", "damaged and forged journals of the pages", attempt, count=2_000)
