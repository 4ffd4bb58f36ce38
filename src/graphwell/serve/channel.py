"""The channel between a page and its windows: commands in, events out, every window in step.

A window sends ``{"do": name, "id": number, ...}`` and gets ``{"re": number, "ok": value}`` or
``{"re": number, "error": sentence}``. What changes for all is sent to every window: an event
``{"event": name, ...}``, or a binary frame of an event and an array.
"""

import asyncio
import json
import struct
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from graphwell._types import FloatArray

# Bytes of a command: a lasso around a million rows.
LONGEST_MESSAGE = 2**23
MOST_WINDOWS = 32
MESSAGES_A_SECOND, MESSAGES_AT_ONCE = 100.0, 300.0
# Events that a window may lag behind; then it is closed, and begins anew when it comes back.
MOST_WAITING = 1_000
# Codes of websockets.
TOO_MANY, TOO_SLOW = 1008, 1013

Event = dict[str, Any] | bytes
Command = Callable[[dict[str, Any]], Any]
Wanted = TypeVar("Wanted")


class Page(Protocol):
    """The state behind a page; `name` is that of its HTML file in ``page/``, without the ending."""

    name: str
    folders: Mapping[str, Path]  # whose pictures the page may show, by their name in addresses
    commands: Mapping[str, Command]  # each takes the message and returns values of JSON; one runs at a time
    beside: frozenset[str]  # commands that take long: others do not wait for them

    def greeting(self) -> Iterable[Event]:
        """Everything, for a new window."""

    def begin(self, send: Callable[[Event], None]) -> None:
        """Begin work in the background; `send` reaches every window, from any thread."""

    def end(self) -> None:
        """End the work in the background and close files."""


def frame(event: Mapping[str, Any], array: FloatArray) -> bytes:
    """An event with an array: its length in four bytes, the event as JSON, blanks up to eight, the array."""
    head = json.dumps(event, separators=(",", ":")).encode()
    head += b" " * (-(len(head) + 4) % 8)
    return struct.pack("<I", len(head)) + head + np.ascontiguousarray(array).tobytes()


class Hub:
    """All windows of a page."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._windows: dict[Any, asyncio.Queue[Event | None]] = {}
        self._turn = asyncio.Lock()
        self._beside: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def begin(self) -> None:
        """Begin the page's work; called in the loop that serves the windows."""
        self._loop = asyncio.get_running_loop()
        self.page.begin(self.send)

    def send(self, event: Event) -> None:
        """Send an event to every window; may be called from any thread."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._put, event)

    def _put(self, event: Event) -> None:
        for window, waiting in list(self._windows.items()):
            if waiting.qsize() >= MOST_WAITING:
                self._windows.pop(window)
                waiting.put_nowait(None)
            else:
                waiting.put_nowait(event)

    async def serve(self, window: Any) -> None:
        """Serve one window, a websocket that was accepted, by messages of ASGI until it goes."""
        if len(self._windows) >= MOST_WINDOWS:
            await _close(window, TOO_SLOW, "There are too many windows; close some.")
            return
        waiting: asyncio.Queue[Event | None] = asyncio.Queue()
        for event in self.page.greeting():  # in the loop: no event comes in between and is missed
            waiting.put_nowait(event)
        self._windows[window] = waiting
        sender = asyncio.create_task(self._send_waiting(window, waiting))
        try:
            await self._receive(window, waiting)
        finally:
            self._windows.pop(window, None)
            sender.cancel()

    async def _send_waiting(self, window: Any, waiting: "asyncio.Queue[Event | None]") -> None:
        while (event := await waiting.get()) is not None:
            content = {"bytes": event} if isinstance(event, bytes) else {"text": json.dumps(event)}
            await window.send({"type": "websocket.send", **content})
        await _close(window, TOO_SLOW, "This window fell too far behind; load it again.")

    async def _receive(self, window: Any, waiting: "asyncio.Queue[Event | None]") -> None:
        allowed, last = MESSAGES_AT_ONCE, time.monotonic()
        while (received := await window.receive())["type"] != "websocket.disconnect":
            now = time.monotonic()
            allowed = min(MESSAGES_AT_ONCE, allowed + (now - last) * MESSAGES_A_SECOND) - 1
            last = now
            if allowed < 0:
                await _close(window, TOO_MANY, "Too many messages; load the page again.")
                break
            await self._take(received.get("text") or "", waiting)

    async def _take(self, text: str, waiting: "asyncio.Queue[Event | None]") -> None:
        """Answer a message; one that may take long is answered when it is done."""
        try:
            message = json.loads(text)
            command = self.page.commands[message["do"]]
        except (ValueError, KeyError, TypeError, RecursionError):
            waiting.put_nowait({"re": None, "error": "This is no command."})
            return

        async def answer() -> None:
            waiting.put_nowait(await _answer(command, message))

        if message["do"] not in self.page.beside:
            async with self._turn:
                await answer()
        elif self._beside is None or self._beside.done():
            self._beside = asyncio.create_task(answer())
        else:
            waiting.put_nowait({"re": message.get("id"), "error": "This is being done already; wait for it."})


async def _close(window: Any, code: int, reason: str) -> None:
    await window.send({"type": "websocket.close", "code": code, "reason": reason})


async def _answer(command: Command, message: dict[str, Any]) -> dict[str, Any]:
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


class Newest(Generic[Wanted]):
    """A thread that works on what is wanted last; what was wanted before and has not begun is forgotten."""

    def __init__(self, work: Callable[[Wanted], None], failed: Callable[[Exception], None]) -> None:
        self._work, self._failed = work, failed
        self._wanted: list[Wanted] = []
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="page", daemon=True)
        self.is_over = False

    @property
    def is_overtaken(self) -> bool:
        """Whether something else is wanted, or nothing any more."""
        return bool(self._wanted) or self.is_over

    def begin(self) -> None:
        """Start the thread."""
        self._thread.start()

    def request(self, wanted: Wanted) -> None:
        """Work on this next."""
        with self._changed:
            self._wanted = [wanted]
            self._changed.notify()

    def end(self, seconds: float = 0.0) -> None:
        """Let the thread end after what it does now, and wait so long for it."""
        with self._changed:
            self.is_over = True
            self._changed.notify()
        if self._thread.is_alive():
            self._thread.join(seconds)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self.is_overtaken)
                if self.is_over:
                    return
                wanted = self._wanted.pop()
            try:
                self._work(wanted)
            except Exception as error:  # shown in the windows; the next one may do
                self._failed(error)
