"""Windows of a page in a notebook: messages of a widget take the place of websockets.

A window sends ``{"window": its name, ...}`` with ``show`` (it wants the page), ``open`` and ``close`` (of its
line), ``text`` (a command) or ``picture`` (the name of a file). Answers name the window too. The page is sent
as one document that loads nothing: its styles and modules stand inside.
"""

import asyncio
import base64
import json
import re
import secrets
import threading
from collections.abc import Callable, Coroutine
from typing import Any

from graphwell.serve.channel import LONGEST_MESSAGE, TOO_MANY, Hub, Page
from graphwell.serve.files import read_part, read_picture
from graphwell.serve.security import policy

MOST_SHOWN = 8
"""Windows of one widget; a notebook does not always tell that one has gone, so the oldest makes room."""
ENDED = "This page has ended; run its cell again."
Message = dict[str, Any]
Send = Callable[[Message, list[bytes]], object]


class Window:
    """A window as `Hub` knows it, in place of a websocket; `send` takes a message and its buffers."""

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


# ------------------------------------------------------------------------------------ a page in one piece

LINE, WIDGET_LINE = "line.js", "widget-line.js"
"""The module that reaches a server, and the one that stands in for it."""
STYLES = re.compile(r'<link rel="stylesheet" href="static/([\w-]+\.css)">')
SCRIPT = re.compile(r'<script type="module" src="static/([\w-]+\.js)"></script>')
IMPORT = re.compile(r'\b(from|import) "\./([\w-]+\.js)"')
CHARSET = '<meta charset="utf-8">'


def one_document(name: str) -> str:
    """A page, by the name of its HTML file, in one piece; it speaks with the widget instead of a server.

    Examples
    --------
    >>> made = one_document("paint")
    >>> "static/" in made, "Content-Security-Policy" in made
    (False, True)
    """
    page = _text(f"{name}.html")
    nonce = secrets.token_urlsafe(16)
    first = SCRIPT.findall(page)[0]
    allowed = policy(f"'nonce-{nonce}' 'strict-dynamic'", f"'nonce-{nonce}'", "")
    meta = f'{CHARSET}\n<meta http-equiv="Content-Security-Policy" content="{allowed}">'
    addresses = json.dumps({"imports": {f"graphwell/{part}": _address(part) for part in modules_of(first)}})
    scripts = (
        f'<script type="importmap" nonce="{nonce}">{addresses}</script>\n'
        f'<script type="module" nonce="{nonce}">import "graphwell/{first}";</script>'
    )
    page = page.replace(CHARSET, meta, 1)
    page = STYLES.sub(lambda found: f'<style nonce="{nonce}">\n{_text(found[1])}</style>', page)
    return SCRIPT.sub(lambda _: scripts, page)


def modules_of(first: str) -> list[str]:
    """A module and all that it needs.

    Examples
    --------
    >>> modules_of("channel.js")
    ['channel.js', 'line.js']
    """
    found = [first]
    for name in found:  # grows meanwhile
        found += [needed for _, needed in IMPORT.findall(_source(name)) if needed not in found]
    return found


def _source(name: str) -> str:
    return _text(WIDGET_LINE if name == LINE else name)


def _address(name: str) -> str:
    """A module as an address; it imports others by name, as nothing lies beside it."""
    source = IMPORT.sub(r'\1 "graphwell/\2"', _source(name))
    return f"data:text/javascript;base64,{base64.b64encode(source.encode()).decode()}"


def _text(name: str) -> str:
    return read_part(name)[0].decode()
