"""A page and its windows as a web application. The only module that imports Starlette."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qs

from graphwell.serve.channel import Hub, Page
from graphwell.serve.files import read_part, read_picture
from graphwell.serve.security import HEADERS, LONGEST_BODY, Door, RefusedError

NEEDS = 'Pages in the browser need Starlette and uvicorn: pip install "graphwell[serve]"'
TICKET = "graphwell_ticket"
"""The cookie of a window that has shown the password."""
Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]


def make_app(page: Page, door: Door) -> Any:
    """The application: one page, its parts, its pictures, and its channel, all behind a door.

    Parameters
    ----------
    page : Page
    door : Door
    """
    try:
        from starlette.applications import Starlette
        from starlette.responses import RedirectResponse, Response
        from starlette.routing import Route, WebSocketRoute
    except ImportError as error:
        raise ImportError(NEEDS) from error
    hub = Hub(page)

    def found(read: Callable[[], tuple[bytes, str]]) -> Any:
        try:
            content, kind = read()
        except FileNotFoundError:
            return Response("There is no such file.", 404, media_type="text/plain")
        return Response(content, media_type=kind)

    def front(request: Any) -> Any:
        known = door.knows(request.cookies.get(TICKET))
        return found(lambda: read_part(f"{page.name}.html" if known else "login.html"))

    def part(request: Any) -> Any:
        return found(lambda: read_part(request.path_params["name"]))

    def picture(request: Any) -> Any:
        at = request.path_params
        if not door.knows(request.cookies.get(TICKET)):
            return Response("The password is missing.", 403, media_type="text/plain")
        return found(lambda: read_picture(page.folders, at["folder"], at["name"]))

    async def login(request: Any) -> Any:
        said = parse_qs((await request.body()).decode("utf-8", "replace")).get("password", [""])[0]
        answer = RedirectResponse("./", 303)
        if door.try_password(said):
            answer.set_cookie(TICKET, door.ticket, httponly=True, samesite="strict", path=f"/{door.token}/")
        return answer

    async def channel(socket: Any) -> None:
        if not door.knows(socket.cookies.get(TICKET)):
            await socket.close(1008)
            return
        await socket.accept()
        await hub.serve(socket)

    @asynccontextmanager
    async def life(_: Any) -> AsyncIterator[None]:
        hub.begin()
        try:
            yield
        finally:
            page.end()

    app = Starlette(
        routes=[
            Route("/", front, methods=["GET"]),
            Route("/login", login, methods=["POST"]),
            Route("/static/{name}", part, methods=["GET"]),
            Route("/files/{folder}/{name:path}", picture, methods=["GET"]),
            WebSocketRoute("/channel", channel),
        ],
        lifespan=life,
    )
    return Guarded(app, door)


class Guarded:
    """An application behind a door, with the headers that every answer has.

    Parameters
    ----------
    app : ASGI application
    door : Door
    """

    def __init__(self, app: Any, door: Door) -> None:
        self.app = app
        self.door = door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or refuse it before anything of it is read."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        try:
            path = self.door.inner_path(
                scope["path"],
                headers.get("host", ""),
                headers.get("origin"),
                is_socket=scope["type"] == "websocket",
            )
            _check_length(headers)
        except RefusedError as refused:
            await _refuse(scope, send, refused)
            return
        scope = {**scope, "path": path, "raw_path": path.encode(), "root_path": ""}
        await self.app(scope, receive, _with_headers(send))


def _check_length(headers: dict[str, str]) -> None:
    length = headers.get("content-length", "0")
    if "transfer-encoding" in headers or not length.isdecimal() or int(length) > LONGEST_BODY:
        raise RefusedError(413, "This server takes no files.")


async def _refuse(scope: Scope, send: Send, refused: RefusedError) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
        return
    headers = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
    headers += [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": refused.status, "headers": headers})
    await send({"type": "http.response.body", "body": str(refused).encode()})


def _with_headers(send: Send) -> Send:
    """Every answer with the headers of `security.HEADERS`."""

    async def told(message: Any) -> None:
        if message["type"] == "http.response.start":
            added = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
            message = {**message, "headers": [*message["headers"], *added]}
        await send(message)

    return told
