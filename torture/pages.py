"""Users of the pages: sense and nonsense, kill -9, the same work again; damaged and forged journals."""

import json
import os
import random
import shutil
import signal
import tempfile
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from graphwell.jobs.labelling import LabelOptions
from graphwell.jobs.painting import PaintOptions
from graphwell.memory import held
from graphwell.serve.labelling import LabelPage
from graphwell.serve.painting import PaintPage
from torture.attack import Lost, attack, patience
from torture.files import answers_or_tells, mutated
from torture.program import Fork, check_left, end, fresh, ready, warm
from torture.users import ODD, USERS, Labeller, User, nonsense

OPEN = b"Open http://"
SECONDS = 120.0
MOST_GROWTH = 100_000_000
"""Bytes that a server may gain in one attempt; fits in the background come and go."""


class Served(Fork):
    """A page in a fork of this process.

    Parameters
    ----------
    arguments : sequence of str
        Of the program.
    folder : Path
        In which it runs.
    """

    def __init__(self, arguments: Sequence[str], folder: Path) -> None:
        warm("classify")
        warm("segment")

        def work() -> None:
            import sys

            from graphwell.__main__ import main
            from graphwell.progress import end_at_once

            sys.argv = ["graphwell", *arguments, "--jobs", "1", "--no-browser"]
            signal.signal(signal.SIGINT, signal.default_int_handler)
            end_at_once()
            ready()
            main()

        with chdir(folder):
            super().__init__(work)
        self.address = self._address()

    def __enter__(self) -> "Served":
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()  # where the attempt was lost

    def _address(self) -> str:
        said = b""
        while OPEN not in said or not said.endswith(b"\n"):
            more = os.read(self._said, 4096)
            if not more:
                self.communicate()
                raise Lost(f"the page did not open: {said.decode('utf-8', 'replace')[-300:]}")
            said += more
        return said[said.index(OPEN) :].split()[1].decode()

    def held(self) -> tuple[int, int]:
        """Open files, and bytes of memory."""
        memory = held(process=self.pid)
        if memory is None:
            raise Lost("the page's process is gone")
        return len(list(Path(f"/proc/{self.pid}/fd").iterdir())), memory


class Window:
    """The websocket of a page, without a browser.

    Parameters
    ----------
    address : str
        That the program printed.
    """

    def __init__(self, address: str) -> None:
        from websockets.sync.client import connect
        from websockets.typing import Origin

        origin, where = "/".join(address.split("/")[:3]), address.replace("http", "ws", 1) + "channel"
        self.socket = connect(where, origin=Origin(origin), max_size=None, open_timeout=SECONDS)
        self.greeting: list[dict[str, Any]] = []

    def greeted(self, event: str) -> dict[str, Any]:
        """The event of this name in what a new window is told."""
        while True:
            found = next((told for told in self.greeting if told.get("event") == event), None)
            if found is not None:
                return found
            self.greeting.append(self._receive())

    def send(self, message: str | bytes) -> None:
        """Send and do not wait."""
        self.socket.send(message)

    def answer(self) -> dict[str, Any]:
        """The next answer; events are passed over."""
        while "re" not in (told := self._receive()):
            pass
        return told

    def _receive(self) -> dict[str, Any]:
        got = self.socket.recv(timeout=SECONDS)
        head = got[4 : 4 + int.from_bytes(got[:4], "little")] if isinstance(got, bytes) else got
        told: dict[str, Any] = json.loads(head)
        return told


@contextmanager
def window(served: Served) -> Iterator[Window]:
    """A window that is closed in the end, whatever became of the server."""
    opened = Window(served.address)
    try:
        yield opened
    finally:
        with suppress(OSError):
            opened.socket.close()


@attack("pages", "label and paint pages: nonsense, kill -9, the same labels and history", count=24)
def work_and_be_killed(seed: int) -> None:
    """Work, be killed in the middle, come back to the same labels and the same history, and end."""
    rng = random.Random(seed)
    folder, user = fresh(), USERS[seed % len(USERS)](rng)
    user.furnish(folder)
    for _ in range(rng.randint(1, 2)):
        with Served(user.arguments, folder) as served:
            _work(served, user, rng)
            hasty = _sent_in_haste(served, user, rng)
            end(served, expected={-signal.SIGKILL})
        user.came_back_to(_state(folder, user), hasty)
    _check_history(folder, user, rng)
    check_left(folder, *user.files, killed=True)
    shutil.rmtree(folder)


def _work(served: Served, user: User, rng: random.Random) -> None:
    """Messages one by one: what makes sense is done, the rest gets a sentence; nothing leaks."""
    with window(served) as first:
        first.greeted(user.event)
        files, memory = served.held()
        for number in range(rng.randint(5, 120)):
            is_sense = rng.random() < 0.6
            message = user.message() if is_sense else nonsense(user.message(), rng)
            first.send(message)
            user.was_answered(message, first.answer())
            if number % 40 == 20:
                with window(served) as second:
                    user.check(second.greeted(user.event))
    with window(served) as last:
        user.check(last.greeted(user.event))
        _check_no_leak(served, files, memory)


def _check_no_leak(served: Served, files: int, memory: int) -> None:
    """The sockets of windows that are gone are closed soon, and memory does not grow without end."""
    until = time.monotonic() + patience(20)
    while (now := served.held())[0] > files + 4:
        if time.monotonic() > until:
            raise Lost(f"{now[0] - files} files are open that were not")
        time.sleep(0.05)
    if now[1] - memory > MOST_GROWTH:
        raise Lost(f"{(now[1] - memory) / 1e6:.0f} MB of memory gained")


def _sent_in_haste(served: Served, user: User, rng: random.Random) -> list[str]:
    """Messages whose answers are not awaited, and a kill somewhere among them."""
    messages = [user.message() for _ in range(rng.randint(0, 30))]
    with window(served) as hasty, suppress(OSError):
        hasty.greeted(user.event)
        for message in messages:
            hasty.send(message)
        time.sleep(rng.uniform(0, 0.2))
        served.kill()
    served.kill()
    return messages


def _state(folder: Path, user: User) -> dict[str, Any]:
    """What a page that is started anew shows."""
    with Served(user.arguments, folder) as served:
        with window(served) as opened:
            found = opened.greeted(user.event)
        _end_gently(served, signal.SIGINT)
    return found


def _check_history(folder: Path, user: User, rng: random.Random) -> None:
    """Everything can be taken back and done again."""
    with Served(user.arguments, folder) as served:
        with window(served) as opened:
            for command in ("undo", "redo"):
                for _ in range(user.steps(command)):
                    _paced(opened, command, user)
                opened.send(json.dumps({"do": command, "id": 0}))
                if opened.answer().get("ok", 0) is not None:
                    raise Lost(f"{command} after the last step does something")
                with window(served) as other:
                    user.check(other.greeted(user.event))
        _end_gently(served, rng.choice((signal.SIGINT, signal.SIGTERM)))


def _paced(opened: Window, command: str, user: User) -> None:
    """One step; a page takes no more than a hundred messages a second."""
    message = json.dumps({"do": command, "id": 0})
    opened.send(message)
    user.was_answered(message, opened.answer())
    time.sleep(0.01)


def _end_gently(served: Served, sent: signal.Signals) -> None:
    served.send_signal(sent)
    end(served, expected={0} if sent is signal.SIGINT else {0, 143})


@attack(
    "annotators", "two windows, undo, lasso, rename, reload, kill -9: the journal is what was said", count=2
)
def annotate(seed: int, n_answers: int = 2_000) -> None:
    """Answer in turns in two windows of a page that is killed again and again; then read its journal."""
    rng = random.Random(seed)
    folder, user = fresh(), Labeller(rng)
    user.furnish(folder)
    while len(user.said) < n_answers:
        with Served(user.arguments, folder) as served, window(served) as one, window(served) as other:
            one.greeted(user.event)
            user.check(other.greeted(user.event))
            for _ in range(rng.randint(n_answers // 20, n_answers // 4)):
                message, chosen = user.message(), rng.choice((one, other))
                if rng.random() < 0.01:  # a third window, as after a reload
                    with window(served) as chosen:
                        user.check(chosen.greeted(user.event))
                        chosen.send(message)
                        user.was_answered(message, chosen.answer())
                else:
                    chosen.send(message)
                    user.was_answered(message, chosen.answer())
                time.sleep(0.006)  # a page takes a hundred messages a second from each window
            served.kill()
            end(served, expected={-signal.SIGKILL})
    lines = (folder / "in.csv.journal").read_bytes().splitlines()[1:]
    entries = [entry for line in lines if "note" not in (entry := json.loads(line.partition(b" ")[2]))]
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
