"""Users of the pages: sense and nonsense, kill -9, the same work again; damaged and forged journals."""

import json
import random
import shutil
import signal
import tempfile
import time
import zlib
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from graphwell.jobs.labelling import LabelOptions
from graphwell.jobs.painting import PaintOptions
from graphwell.serve.labelling import LabelPage
from graphwell.serve.painting import PaintPage
from tests.serve.server import Line, Server
from torture.attack import Lost, attack, patience
from torture.files import answers_or_tells, mutated
from torture.program import check_left, fresh
from torture.users import ODD, USERS, Labeller, User, nonsense

SECONDS = 120.0
MOST_GROWTH = 100_000_000
"""Bytes that a server may gain in one attempt; fits in the background come and go."""


def served(user: User, folder: Path) -> Server:
    """The page of a user, in a process of its own."""
    return Server(*user.arguments, "--jobs", 1, folder=folder)


class Window(Line):
    """The websocket of a page, without a browser."""

    def send(self, message: str | bytes) -> None:
        """Send and do not wait."""
        self.socket.send(message)

    def answer(self) -> dict[str, Any]:
        """The next answer; events are passed over."""
        while "re" not in (told := self.receive(SECONDS)):
            self.events.clear()
        return dict(told)

    def greeted(self, event: str) -> dict[str, Any]:
        """The event of this name in what a new window is told."""
        return dict(self.until(event, seconds=SECONDS))


def window(server: Server) -> Window:
    """A new window of a page."""
    return Window(server.address.replace("http", "ws", 1) + "channel", server.origin)


def ended(server: Server, sent: signal.Signals, expected: set[int]) -> None:
    """Send a signal, and wait for the end, which is one of those expected, with sentences."""
    server.process.send_signal(sent)
    code = server.process.wait(patience(60))
    if code not in expected or "Traceback" in server.said():
        raise Lost(f"exit code {code}: {server.said()[-300:]}")


@attack("pages", "label and paint pages: nonsense, kill -9, the same labels and history", count=24)
def work_and_be_killed(seed: int) -> None:
    """Work, be killed in the middle, come back to the same labels and the same history, and end."""
    rng = random.Random(seed)
    folder, user = fresh(), USERS[seed % len(USERS)](rng)
    user.furnish(folder)
    for _ in range(rng.randint(1, 2)):
        with served(user, folder) as server:
            _work(server, user, rng)
            hasty = _sent_in_haste(server, user, rng)
        kept = len(_in_journal(folder, user))
        user.came_back_to(_state(folder, user), hasty, kept)
    _check_history(folder, user, rng)
    check_left(folder, *user.files, "errors.txt", killed=True)
    shutil.rmtree(folder)


def _work(server: Server, user: User, rng: random.Random) -> None:
    """Messages one by one: what makes sense is done, the rest gets a sentence; nothing leaks."""
    with window(server) as first:
        first.greeted(user.event)
        files, memory = _open_files(server), server.memory()
        for number in range(rng.randint(5, 120)):
            is_sense = rng.random() < 0.6
            message = user.message() if is_sense else nonsense(user.message(), rng)
            first.send(message)
            user.was_answered(message, first.answer())
            if number % 40 == 20:
                with window(server) as second:
                    user.check(second.greeted(user.event))
    with window(server) as last:
        user.check(last.greeted(user.event))
        until = time.monotonic() + patience(20)  # the sockets of windows that are gone are closed soon
        while (now := _open_files(server)) > files + 4:
            if time.monotonic() > until:
                raise Lost(f"{now - files} files are open that were not")
            time.sleep(0.05)
        if server.memory() - memory > MOST_GROWTH:
            raise Lost(f"{(server.memory() - memory) / 1e6:.0f} MB of memory gained")


def _open_files(server: Server) -> int:
    return len(list(Path(f"/proc/{server.process.pid}/fd").iterdir()))


def _sent_in_haste(server: Server, user: User, rng: random.Random) -> list[str]:
    """Messages whose answers are not awaited, and a kill somewhere among them."""
    messages = [user.message() for _ in range(rng.randint(0, 30))]
    with window(server) as hasty, suppress(OSError):
        hasty.greeted(user.event)
        for message in messages:
            hasty.send(message)
        time.sleep(rng.uniform(0, 0.2))
    server.kill()
    return messages


def _in_journal(folder: Path, user: User) -> list[Any]:
    """What a user did, as the journal has it; the last line may be unfinished."""
    lines = (folder / user.journal).read_bytes().split(b"\n")[1:-1]
    entries = [json.loads(line.partition(b" ")[2]) for line in lines]
    return [entry for entry in entries if "note" not in entry and entry["do"] != "classes"]


def _state(folder: Path, user: User) -> dict[str, Any]:
    """What a page that is started anew shows."""
    with served(user, folder) as server:
        with window(server) as opened:
            found = opened.greeted(user.event)
        ended(server, signal.SIGINT, {0})
    return found


def _check_history(folder: Path, user: User, rng: random.Random) -> None:
    """Everything can be taken back and done again."""
    with served(user, folder) as server:
        with window(server) as opened:
            for command in ("undo", "redo"):
                for _ in range(user.steps(command)):
                    _paced(opened, command, user)
                opened.send(json.dumps({"do": command, "id": 0}))
                if opened.answer().get("ok", 0) is not None:
                    raise Lost(f"{command} after the last step does something")
                with window(server) as other:
                    user.check(other.greeted(user.event))
        ended(server, rng.choice((signal.SIGINT, signal.SIGTERM)), {0, 143})


def _paced(opened: Window, command: str, user: User) -> None:
    """One step; a page takes no more than a hundred messages a second."""
    message = json.dumps({"do": command, "id": 0})
    opened.send(message)
    user.was_answered(message, opened.answer())
    time.sleep(0.01)


@attack(
    "annotators", "two windows, undo, lasso, rename, reload, kill -9: the journal is what was said", count=2
)
def annotate(seed: int, n_answers: int = 2_000) -> None:
    """Answer in turns in two windows of a page that is killed again and again; then read its journal."""
    rng = random.Random(seed)
    folder, user = fresh(), Labeller(rng)
    user.furnish(folder)
    while len(user.said) < n_answers:
        with served(user, folder) as server, window(server) as one, window(server) as other:
            one.greeted(user.event)
            user.check(other.greeted(user.event))
            for _ in range(rng.randint(n_answers // 20, n_answers // 4)):
                message, chosen = user.message(), rng.choice((one, other))
                if rng.random() < 0.01:  # a third window, as after a reload
                    with window(server) as chosen:
                        user.check(chosen.greeted(user.event))
                        chosen.send(message)
                        user.was_answered(message, chosen.answer())
                else:
                    chosen.send(message)
                    user.was_answered(message, chosen.answer())
                time.sleep(0.006)  # a page takes a hundred messages a second from each window
            server.kill()
    entries = _in_journal(folder, user)
    if entries != user.said:
        first = next(
            (i for i, pair in enumerate(zip(entries, user.said, strict=False)) if pair[0] != pair[1]), -1
        )
        raise Lost(f"{len(entries)} entries for {len(user.said)} that were said; they differ from {first} on")
    shutil.rmtree(folder)


FOLDER = tempfile.TemporaryDirectory()
INSIDE = Path(FOLDER.name)
N_ACTIONS = 12
NOTE = {"labels": 3, "share": 0.5, "low": 0.25, "high": 0.75, "checked": [[7, 0.5, True]]}


@attack("journals", "damaged and forged journals of the pages", count=2000)
def open_forged_journal(seed: int) -> None:
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
    answers_or_tells(lambda: _go_on(kind))


def _go_on(kind: int) -> None:
    """Look at the page, and step back and forth."""
    page = _page(kind)
    try:
        list(page.greeting())
        for command in ("redo", "undo", "undo", "redo"):
            page.commands[command]({"do": command})
    finally:
        page.end()


def _page(kind: int) -> LabelPage | PaintPage:
    if kind == 0:
        return LabelPage(LabelOptions(table=INSIDE / "in.csv", n_jobs=1))
    return PaintPage(PaintOptions(source=INSIDE / "in.png", output=INSIDE / "painted", n_jobs=1))


@cache
def _head(kind: int, journal: Path) -> bytes:
    """The first lines of a journal: what it is about, and the classes to begin with."""
    for user in USERS:
        user(random.Random(0)).furnish(INSIDE)
    _page(kind).end()
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
