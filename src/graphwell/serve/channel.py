"""The channel between a page and its windows: commands in, events out, every window in step.

A window sends ``{"do": name, "id": number, ...}`` and gets ``{"re": number, "ok": value}`` or
``{"re": number, "error": sentence}``. What changes for all is told to every window: an event
``{"event": name, ...}``, or a binary frame of an event and an array.
"""

import asyncio
import json
import struct
import time
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from graphwell._types import FloatArray

LONGEST_MESSAGE = 2**23
"""Bytes of a command: a lasso around a million rows."""
MOST_WINDOWS = 32
MESSAGES_A_SECOND, MESSAGES_AT_ONCE = 100.0, 300.0
MOST_WAITING = 1_000
"""Events that a window may lag behind; then it is closed, and begins anew when it comes back."""
MOST_BESIDE = 2
"""Commands that take long and run at once, of all windows."""
TOO_MANY, TOO_SLOW = 1008, 1013
"""Codes of websockets."""

Event = dict[str, Any] | bytes
Command = Callable[[dict[str, Any]], Any]


class Page(Protocol):
    """The state behind a page."""

    @property
    def name(self) -> str:
        """Name of its HTML file in ``page/``, without the ending."""

    @property
    def folders(self) -> Mapping[str, Path]:
        """Folders whose pictures the page may show, by the name that addresses call them."""

    @property
    def commands(self) -> Mapping[str, Command]:
        """Commands of windows; each takes the message and returns values of JSON. One runs at a time."""

    @property
    def beside(self) -> frozenset[str]:
        """Names of commands that may take long: they run beside others, which do not wait for them."""

    def greeting(self) -> Iterable[Event]:
        """Events for a new window: everything, as it was when the last event was sent."""

    def begin(self, tell: Callable[[Event], None]) -> None:
        """Begin work in the background; `tell` reaches every window, from any thread."""

    def end(self) -> None:
        """End the work in the background and close files."""


def frame(event: Mapping[str, Any], array: FloatArray) -> bytes:
    """An event with an array: its length in four bytes, the event as JSON in blanks up to eight, the array.

    Examples
    --------
    >>> len(frame({"event": "positions"}, np.zeros(2, dtype=np.float32)))
    40
    """
    head = json.dumps(event, separators=(",", ":")).encode()
    head += b" " * (-(len(head) + 4) % 8)
    return struct.pack("<I", len(head)) + head + np.ascontiguousarray(array).tobytes()


@dataclass
class Allowance:
    """How many messages a window may send: some at once, and so many a second for long.

    Examples
    --------
    >>> allowance = Allowance(2.0, 1.0)
    >>> [allowance.spend(now) for now in (0.0, 0.0, 0.0, 1.5, 1.5)]
    [True, True, False, True, False]
    """

    at_once: float = MESSAGES_AT_ONCE
    a_second: float = MESSAGES_A_SECOND
    left: float = field(init=False)
    since: float | None = None

    def __post_init__(self) -> None:
        self.left = self.at_once

    def spend(self, now: float) -> bool:
        """Take one message; False if there were too many."""
        gained = 0.0 if self.since is None else (now - self.since) * self.a_second
        self.left, self.since = min(self.at_once, self.left + gained), now
        if self.left < 1:
            return False
        self.left -= 1
        return True


class Hub:
    """All windows of a page."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._windows: dict[Any, asyncio.Queue[Event | None]] = {}
        self._turn = asyncio.Lock()
        self._beside: set[asyncio.Task[dict[str, Any]]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None

    def begin(self) -> None:
        """Begin the page's work; called in the loop that serves the windows."""
        self._loop = asyncio.get_running_loop()
        self.page.begin(self.tell)

    def tell(self, event: Event) -> None:
        """Send an event to every window; may be called from any thread."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._put, event)

    async def serve(self, window: Any) -> None:
        """Speak with one window, a websocket of Starlette that was accepted, until it goes."""
        if len(self._windows) >= MOST_WINDOWS:
            await window.close(TOO_SLOW, "There are too many windows; close some.")
            return
        waiting: asyncio.Queue[Event | None] = asyncio.Queue()
        for event in self.page.greeting():  # in the loop: no event comes in between and is missed
            waiting.put_nowait(event)
        self._windows[window] = waiting
        sender = asyncio.create_task(self._send(window, waiting))
        try:
            await self._listen(window, waiting)
        finally:
            self._windows.pop(window, None)
            sender.cancel()

    def _put(self, event: Event) -> None:
        for window, waiting in list(self._windows.items()):
            if waiting.qsize() >= MOST_WAITING:
                self._windows.pop(window)
                waiting.put_nowait(None)
            else:
                waiting.put_nowait(event)

    async def _send(self, window: Any, waiting: "asyncio.Queue[Event | None]") -> None:
        while (event := await waiting.get()) is not None:
            if isinstance(event, bytes):
                await window.send_bytes(event)
            else:
                await window.send_text(json.dumps(event))
        await window.close(TOO_SLOW, "This window fell too far behind; load it again.")

    async def _listen(self, window: Any, waiting: "asyncio.Queue[Event | None]") -> None:
        allowance = Allowance()
        while True:
            received = await window.receive()
            if received["type"] == "websocket.disconnect":
                return
            if not allowance.spend(time.monotonic()):
                await window.close(TOO_MANY, "Too many messages; load the page again.")
                return
            await self._take(received.get("text") or "", waiting)

    async def _take(self, text: str, waiting: "asyncio.Queue[Event | None]") -> None:
        """Answer a message; one that may take long is answered when it is done."""
        try:
            message = json.loads(text)
            command = self.page.commands[message["do"]]
        except (ValueError, KeyError, TypeError, RecursionError):
            waiting.put_nowait({"re": None, "error": "This is no command."})
            return
        if message["do"] not in self.page.beside:
            async with self._turn:
                waiting.put_nowait(await self._answer(command, message))
        elif len(self._beside) < MOST_BESIDE:
            task = asyncio.create_task(self._answer(command, message))
            self._beside.add(task)
            task.add_done_callback(self._beside.discard)
            task.add_done_callback(lambda done: waiting.put_nowait(done.result()))
        else:
            waiting.put_nowait({"re": message.get("id"), "error": "This is being done already; wait for it."})

    async def _answer(self, command: Command, message: dict[str, Any]) -> dict[str, Any]:
        """Run a command; an error becomes a sentence."""
        number = message.get("id")
        try:
            return {"re": number, "ok": await asyncio.to_thread(command, message)}
        except KeyError as error:
            return {"re": number, "error": f"This command lacks {error}."}
        except (ValueError, TypeError, OSError) as error:
            return {"re": number, "error": str(error) or "This command cannot be done."}
        except Exception as error:
            traceback.print_exception(error)
            return {"re": number, "error": f"This is a mistake in graphwell: {error!r}"}
