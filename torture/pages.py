"""A user of the pages who sends sense and nonsense, is cut off by kill -9, and finds the same work again."""

import json
import os
import random
import shutil
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager, suppress
from pathlib import Path
from typing import Any

from graphwell.memory import held
from torture.attack import Attack, Lost, patience
from torture.forked import Fork, ready
from torture.program import check_left, end, fresh, warm
from torture.users import USERS, User, nonsense

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
            from graphwell._interrupt import end_at_once

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


def attempt(seed: int) -> None:
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
    check_left(folder, *user.files)
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


ATTACK = Attack(
    "pages", "label and paint pages: nonsense, kill -9, the same labels and history", attempt, count=24
)
