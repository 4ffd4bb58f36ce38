"""The pages of `graphwell label` and `graphwell paint` as widgets in a notebook, shown by anywidget.

Messages of a widget take the place of websockets. A window sends ``{"window": its name, ...}`` with ``show``
(it wants the page), ``open`` and ``close`` (of its line), ``text`` (a command) or ``picture`` (the name of a
file). Answers name the window too. The page is sent as one document that loads nothing: its styles and
modules stand inside.
"""

import asyncio
import base64
import json
import re
import secrets
import threading
from collections.abc import Callable, Coroutine, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from graphwell.jobs.labelling import LabelOptions
from graphwell.jobs.painting import PaintOptions
from graphwell.serve.channel import LONGEST_MESSAGE, TOO_MANY, Hub, Page
from graphwell.serve.labelling import LabelPage, journal_of
from graphwell.serve.painting import PaintPage
from graphwell.serve.security import policy, read_part, read_picture

__all__ = ["Label", "Paint"]
USUAL_HEIGHT = 760
MOST_SHOWN = 8
"""Windows of one widget; a notebook does not always tell that one has gone, so the oldest makes room."""
ENDED = "This page has ended; run its cell again."
Message = dict[str, Any]


class PageWidget:
    """A page in a notebook: shown where it is the last value of a cell, or by ``display``.

    Attributes
    ----------
    page : Page
        The page that is shown.
    widget : anywidget.AnyWidget
        Shows it; layouts of ipywidgets take it.
    """

    def __init__(self, make: Callable[[], Page], files: Path, height: int) -> None:
        try:
            from anywidget import AnyWidget
        except ImportError as error:
            needs = 'Pages in a notebook need anywidget: pip install "graphwell[notebook]"'
            raise ImportError(needs) from error
        self._files = files.resolve()
        if self._files in _OPEN:  # a cell that is run again begins anew
            _OPEN[self._files].close()
        self.page: Any = make()
        self.widget = AnyWidget(_esm=read_part("widget.js")[0].decode())
        self._windows = Windows(self.page, self.widget.send, height)
        self.widget.on_msg(lambda _, message, __: self._windows.take(message))
        _OPEN[self._files] = self

    def _repr_mimebundle_(self, **options: Any) -> Any:
        return self.widget._repr_mimebundle_(**options)

    def close(self) -> None:
        """End the page; what was done is on disc, and a new widget goes on from there."""
        if _OPEN.get(self._files) is self:
            del _OPEN[self._files]
        self._windows.end()
        self.widget.close()


_OPEN: dict[Path, PageWidget] = {}
"""Widgets by the files that they hold alone: a journal, or the folder of journals."""


class Label(PageWidget):
    r"""Label the rows of a table in a notebook: the page of `graphwell label`, with the same journal.

    A second widget on the same table ends the first and goes on from its journal.

    Parameters
    ----------
    table : str or Path
        File of a table.
    height : int
        Of the page, in pixels.
    **options
        Fields of `graphwell.jobs.labelling.LabelOptions`: ``label``, ``classes``, ``image_column``, ...

    Examples
    --------
    Only a notebook shows it; elsewhere it can be asked as well.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "pets.csv"
    ...     _ = path.write_text("weight,label\n4,cat\n5,\n28,dog\n30,\n")
    ...     labelling = Label(path, n_jobs=1)
    ...     labelling.labels
    ...     labelling.close()
    ['cat', None, 'dog', None]
    """

    page: LabelPage

    def __init__(self, table: str | Path, *, height: int = USUAL_HEIGHT, **options: Any) -> None:
        path = Path(table)  # answers are kept beside it
        chosen = _with_paths(options)
        super().__init__(lambda: LabelPage(LabelOptions(table=path, **chosen)), journal_of(path), height)

    @property
    def labels(self) -> list[str | None]:
        """The class that each row was given so far, None where it has none."""
        answers = self.page.answers
        names = answers.classes.names
        return [names[code] if code >= 0 else None for code in answers.codes]

    def write(self) -> Path:
        """Write the labelled table, as the page's button does; returns its file."""
        return Path(self.page.commands["export"]({"do": "export"}))


class Paint(PageWidget):
    """Paint strokes on pictures in a notebook: the page of `graphwell paint`, with the same journals.

    A second widget on the same folder ends the first and goes on from its journals.

    Parameters
    ----------
    source : str or Path
        A picture, or a folder of pictures.
    classes : iterable of str
        Names of the classes to begin with.
    height : int
        Of the page, in pixels.
    **options
        Fields of `graphwell.jobs.painting.PaintOptions`: ``output``, ``labels``, ``slice_axis``, ...
    """

    page: PaintPage

    def __init__(
        self, source: str | Path, classes: Iterable[str] = (), *, height: int = USUAL_HEIGHT, **options: Any
    ) -> None:
        chosen = PaintOptions(source=Path(source), **_with_paths(options))
        super().__init__(lambda: PaintPage(chosen, classes), chosen.folder, height)


def _with_paths(options: dict[str, Any]) -> dict[str, Any]:
    """Options whose files may be named by text."""
    text = {name for name in ("output", "images", "labels") if isinstance(options.get(name), str)}
    return {name: Path(value) if name in text else value for name, value in options.items()}


# ------------------------------------------------------------------------------------------- windows


class Window:
    """A window as `Hub` knows it, in place of a websocket; `tell` takes a message and its bytes."""

    def __init__(self, name: str, tell: Callable[..., None]) -> None:
        self.name, self.tell = name, partial(tell, name)
        self._received: asyncio.Queue[Message] = asyncio.Queue()
        self.receive = self._received.get

    def take(self, kind: str, text: str = "") -> None:
        """Take a command of the window, or note that it has gone."""
        self._received.put_nowait({"type": f"websocket.{kind}", "text": text})

    async def send(self, message: Message) -> None:
        """Send an event, or close the line; the window may open it again."""
        if message["type"] == "websocket.close":
            self.tell(closed=message["reason"], code=message["code"])
        elif "bytes" in message:
            self.tell(message["bytes"])
        else:
            self.tell(text=message["text"])


class Windows:
    """A page and its windows in a notebook, served in a thread of their own, where `send` is called."""

    def __init__(self, page: Page, send: Callable[[Message, list[bytes]], object], height: int) -> None:
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

    def _tell(self, name: str, /, *buffers: bytes, **message: Any) -> None:
        self._send({"window": name, **message}, list(buffers))

    def _take(self, message: Message) -> None:
        name, text = message["window"], message.get("text")
        window = self._open.get(name)
        if "show" in message:
            self._tell(name, page=one_document(self.page.name), height=self._height)
        elif "open" in message:
            # a line that the same window had before is given up, and so are the oldest if there are many
            for earlier in [name, *list(self._open)[: max(0, len(self._open) - MOST_SHOWN + 1)]]:
                if earlier in self._open:
                    self._open.pop(earlier).take("disconnect")
            window = self._open[name] = Window(name, self._tell)
            window.tell(opened=True)
            self._start(self._serve(window))
        elif "picture" in message:
            self._start(self._show_picture(name, str(message["picture"])))
        elif window is not None and isinstance(text, str) and len(text) <= LONGEST_MESSAGE:
            window.take("receive", text)
        elif window is not None and ("close" in message or isinstance(text, str)):
            if text:
                window.tell(closed="This message is too long.", code=TOO_MANY)
            self._open.pop(name).take("disconnect")

    async def _serve(self, window: Window) -> None:
        await self._hub.serve(window)
        if self._open.get(window.name) is window:
            del self._open[window.name]

    async def _show_picture(self, window: str, name: str) -> None:
        try:
            content, kind = await asyncio.to_thread(read_picture, self.page.folders, "pictures", name)
        except FileNotFoundError:
            self._tell(window, picture=name)
        else:
            self._tell(window, content, picture=name, kind=kind)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = self._loop.create_task(work)
        self._tasks.add(task)  # else it might be collected before it is done
        task.add_done_callback(self._tasks.discard)


# ------------------------------------------------------------------------------------ a page in one piece

STYLES = re.compile(r'<link rel="stylesheet" href="static/([\w-]+\.css)">')
SCRIPT = re.compile(r'<script type="module" src="static/([\w-]+\.js)"></script>')
IMPORT = re.compile(r'\b(from|import) "\./([\w-]+\.js)"')
CHARSET = '<meta charset="utf-8">'


def one_document(name: str) -> str:
    """A page, by the name of its HTML file, in one piece; it speaks with the widget instead of a server."""
    page = _text(f"{name}.html")
    nonce = secrets.token_urlsafe(16)
    first = SCRIPT.findall(page)[0]
    addresses = {}
    for part in modules_of(first):  # as addresses, which import each other by name: nothing lies beside them
        source = IMPORT.sub(r'\1 "graphwell/\2"', _text(part))
        encoded = base64.b64encode(source.encode()).decode()
        addresses[f"graphwell/{part}"] = f"data:text/javascript;base64,{encoded}"
    allowed = policy(f"'nonce-{nonce}' 'strict-dynamic'", f"'nonce-{nonce}'", "")
    meta = f'{CHARSET}\n<meta http-equiv="Content-Security-Policy" content="{allowed}">'
    scripts = (
        f'<script type="importmap" nonce="{nonce}">{json.dumps({"imports": addresses})}</script>\n'
        f'<script type="module" nonce="{nonce}">import "graphwell/{first}";</script>'
    )
    page = page.replace(CHARSET, meta, 1)
    page = STYLES.sub(lambda found: f'<style nonce="{nonce}">\n{_text(found[1])}</style>', page)
    return SCRIPT.sub(lambda _: scripts, page)


def modules_of(first: str) -> list[str]:
    """A module and all that it needs."""
    found = [first]
    for name in found:  # grows meanwhile
        found += [needed for _, needed in IMPORT.findall(_text(name)) if needed not in found]
    return found


def _text(name: str) -> str:
    """A part of a page; the line to the widget stands in for that to a server."""
    return read_part("widget-line.js" if name == "line.js" else name)[0].decode()
