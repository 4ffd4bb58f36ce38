"""Windows of a page in a notebook: messages of a widget take the place of websockets.

What a window sends is ``{"window": its name, ...}`` with ``show`` (it wants the page), ``open`` and ``close``
(of its line), ``text`` (a command) or ``picture`` (the name of a file). Answers name the window too.
"""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any

from graphwell.serve.channel import LONGEST_MESSAGE, TOO_MANY, Hub, Page
from graphwell.serve.files import read_picture
from graphwell.widgets.document import one_document

MOST_SHOWN = 8
"""Windows of one widget; a notebook does not always tell that one has gone, so the oldest makes room."""
ENDED = "This page has ended; run its cell again."
Message = dict[str, Any]
Send = Callable[[Message, list[bytes]], object]


class Window:
    """A window as `Hub` knows it: what Starlette's websocket is to a browser.

    Parameters
    ----------
    name : str
        That its messages bear.
    send : callable
        Takes a message and its buffers.
    """

    def __init__(self, name: str, send: Send) -> None:
        self.name, self._send = name, send
        self._said: asyncio.Queue[Message] = asyncio.Queue()

    def say(self, text: str) -> None:
        """Take a command that the window has sent."""
        self._said.put_nowait({"type": "websocket.receive", "text": text})

    def leave(self) -> None:
        """Take note that the window has gone."""
        self._said.put_nowait({"type": "websocket.disconnect"})

    async def receive(self) -> Message:
        """The next that the window says."""
        return await self._said.get()

    async def send_text(self, text: str) -> None:
        """Tell the window an event or an answer."""
        self.tell(text=text)

    async def send_bytes(self, content: bytes) -> None:
        """Tell the window an event with an array."""
        self.tell([content])

    async def close(self, code: int, reason: str = "") -> None:
        """Close the line; the window may open it again."""
        self.tell(closed=reason, code=code)

    def tell(self, buffers: list[bytes] | None = None, **message: Any) -> None:
        """Send a message to this window alone."""
        self._send({"window": self.name, **message}, buffers or [])


class Windows:
    """A page and its windows in a notebook, served in a thread of their own.

    Parameters
    ----------
    page : Page
    send : callable
        Takes a message and its buffers; called in that thread.
    height : int
        Of the page, in pixels.
    """

    def __init__(self, page: Page, send: Send, height: int) -> None:
        self.page, self._send, self._height = page, send, height
        self._open: dict[str, Window] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._live()), name="widget", daemon=True)
        self._thread.start()
        self._ready.wait()

    def take(self, message: object) -> None:
        """Take a message of any window; may be called from any thread."""
        if isinstance(message, dict) and isinstance(message.get("window"), str) and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._take, message)

    def end(self) -> None:
        """Close all lines and end the page's work."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._over.set)
            self._thread.join()

    async def _live(self) -> None:
        self._loop, self._over, self._hub = asyncio.get_running_loop(), asyncio.Event(), Hub(self.page)
        self._ready.set()
        self._hub.begin()
        await self._over.wait()
        for window in self._open.values():
            window.tell(closed=ENDED)
        self.page.end()

    def _take(self, message: Message) -> None:
        name = message["window"]
        if "show" in message:
            Window(name, self._send).tell(page=one_document(self.page.name), height=self._height)
        elif "open" in message:
            self._welcome(name)
        elif "picture" in message:
            self._start(self._show_picture(Window(name, self._send), str(message["picture"])))
        elif name in self._open and "close" in message:
            self._open.pop(name).leave()
        elif name in self._open and isinstance(text := message.get("text"), str):
            self._hear(self._open[name], text)

    def _welcome(self, name: str) -> None:
        """Open a line; one that the same window had before is given up."""
        for earlier in [name, *list(self._open)[: max(0, len(self._open) - MOST_SHOWN + 1)]]:
            if earlier in self._open:
                self._open.pop(earlier).leave()
        window = self._open[name] = Window(name, self._send)
        window.tell(opened=True)
        self._start(self._serve(window))

    async def _serve(self, window: Window) -> None:
        await self._hub.serve(window)
        if self._open.get(window.name) is window:
            del self._open[window.name]

    def _hear(self, window: Window, text: str) -> None:
        if len(text) > LONGEST_MESSAGE:
            window.tell(closed="This message is too long.", code=TOO_MANY)
            self._open.pop(window.name).leave()
        else:
            window.say(text)

    async def _show_picture(self, window: Window, name: str) -> None:
        try:
            content, kind = await asyncio.to_thread(read_picture, self.page.folders, "pictures", name)
        except FileNotFoundError:
            window.tell(picture=name)
        else:
            window.tell([content], picture=name, kind=kind)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
