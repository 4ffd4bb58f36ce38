"""A page and its windows as a web application, and the server that runs it.

The only module that imports Starlette and uvicorn.
"""

import asyncio
import html
import socket
import tempfile
import webbrowser
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from graphwell.errors import OptionError
from graphwell.serve.channel import LONGEST_MESSAGE, Hub, Page
from graphwell.serve.security import (
    HEADERS,
    LONGEST_BODY,
    AccessRefusedError,
    Door,
    is_loopback,
    origins_of,
    read_part,
    read_picture,
    read_private,
    write_private,
)

NEEDS = 'Pages in the browser need Starlette and uvicorn: pip install "graphwell[serve]"'
# The cookie of a window that has shown the password.
TICKET = "graphwell_ticket"
ANYWHERE = ("0.0.0.0", "::", "")
# To come in whole; and how long a connection may be kept without one.
SECONDS_FOR_A_REQUEST = 10.0
HEADER_LINES = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
Application = Callable[[dict[str, Any], Callable[[], Awaitable[Any]], Callable[[Any], Awaitable[None]]], Any]


def launch(
    page: Page,
    *,
    host: str = "127.0.0.1",  # others than this machine reach a server only if it is not the loopback
    port: int = 0,  # 0 for one that is free
    address: str | None = None,  # of browsers, if it is not that of the host: https://label.example.org
    password: str | None = None,  # needed where the host is not the loopback
    open_browser: bool = True,
    on_ready: Callable[[str], None] = print,  # is told the address, once the server listens
    request_seconds: float = SECONDS_FOR_A_REQUEST,  # until a connection without a whole request is cut
    remembered: Path | None = None,  # private file for port and token, so that open windows go on
) -> None:
    """Serve a page until the process is interrupted."""
    check_host(host, address, password)
    with ExitStack() as held:
        before = {} if remembered is None else read_private(remembered)
        listening = held.enter_context(_listen(host, port, before.get("port", 0)))
        port = listening.getsockname()[1]
        door = Door(origins_of(host, port, address), None if is_loopback(host) else password)
        door.token = before.get("token", door.token)
        if remembered is not None:
            write_private(remembered, {"port": port, "token": door.token})
        shown = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        where = f"{address.rstrip('/') if address else shown}/{door.token}/"
        server = _server(page, door, request_seconds)
        on_ready(where)
        if open_browser:
            webbrowser.open(held.enter_context(leading_to(where)).as_uri())
        server.run(sockets=[listening])


@contextmanager
def leading_to(address: str) -> Iterator[Path]:
    """A file for this user alone that leads a browser to an address.

    Every user of a machine can read the arguments of a browser, which would hold the token.
    """
    link = html.escape(address)
    with tempfile.TemporaryDirectory(prefix="graphwell-") as folder:
        path = Path(folder) / "open.html"
        path.touch(0o600)
        path.write_text(
            f'<!DOCTYPE html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={link}">'
            f'<title>graphwell</title><a href="{link}">graphwell</a>\n',
            encoding="utf-8",
        )
        yield path


def check_host(host: str, address: str | None, password: str | None) -> None:
    """Refuse to let others in without a password, or under a name that nobody knows."""
    if is_loopback(host):
        return
    if not password:
        problem = "{field} {}: others can reach it, so a password is needed; give {password} too."
        raise OptionError("host", problem, host)
    if host in ANYWHERE and address is None:
        problem = "{field} {} is no name that a browser can ask for; give {address} too."
        raise OptionError("host", problem, host)


def _listen(host: str, port: int, before: int = 0) -> socket.socket:
    """Listen on a port; where any will do, on that of the start before, if it is free."""
    kind = socket.AF_INET6 if ":" in host else socket.AF_INET
    if port == 0 and before:
        with suppress(OSError, OverflowError):
            return socket.create_server((host, before), family=kind, backlog=64)
    try:
        return socket.create_server((host, port), family=kind, backlog=64)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        problem = "{field} {}: nothing can listen there on {}: {}; give another."
        raise OptionError("port", problem, port, host, reason) from error


def _server(page: Page, door: Door, request_seconds: float) -> Any:
    try:
        import h11
        import uvicorn
        from uvicorn.protocols.http.h11_impl import H11Protocol
    except ImportError as error:
        raise ImportError(NEEDS) from error

    class Impatient(H11Protocol):
        """HTTP that cuts a connection whose request does not come in whole; uvicorn would wait for ever."""

        _cut: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._count()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._count()

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            self._count(is_over=True)

        def _count(self, *, is_over: bool = False) -> None:
            """Count from the first byte of a request to its last; a websocket is no longer ours."""
            came = self.conn.their_state not in (h11.IDLE, h11.SEND_BODY)
            if is_over or came or self.transport.get_protocol() is not self:
                if self._cut is not None:
                    self._cut.cancel()
                self._cut = None
            elif self._cut is None:
                self._cut = self.loop.call_later(request_seconds, self.transport.abort)

    return uvicorn.Server(
        uvicorn.Config(
            make_app(page, door),
            http=Impatient,
            ws="websockets-sansio",
            ws_max_size=LONGEST_MESSAGE,
            ws_max_queue=16,
            log_level="warning",
            proxy_headers=False,
            access_log=False,  # addresses hold the token
            server_header=False,
            timeout_keep_alive=max(1, round(request_seconds)),
            timeout_graceful_shutdown=2,
            h11_max_incomplete_event_size=16_384,
        )
    )


def make_app(page: Page, door: Door) -> Application:
    """The application: one page, its parts, its pictures, and its channel, all behind a door."""
    try:
        from starlette.applications import Starlette
        from starlette.exceptions import HTTPException
        from starlette.responses import RedirectResponse, Response
        from starlette.routing import Route, WebSocketRoute
    except ImportError as error:
        raise ImportError(NEEDS) from error
    hub = Hub(page)

    def is_known(connection: Any) -> bool:
        return door.knows(connection.cookies.get(TICKET))

    def found(read: Callable[..., tuple[bytes, str]], *names: Any) -> Any:
        try:
            content, kind = read(*names)
        except FileNotFoundError:
            raise HTTPException(404, "There is no such file.") from None
        return Response(content, media_type=kind)

    def front(request: Any) -> Any:
        return found(read_part, f"{page.name}.html" if is_known(request) else "login.html")

    def part(request: Any) -> Any:
        return found(read_part, request.path_params["name"])

    def picture(request: Any) -> Any:
        if not is_known(request):
            raise HTTPException(403, "The password is missing.")
        return found(read_picture, page.folders, *request.path_params.values())

    async def login(request: Any) -> Any:
        given = parse_qs((await request.body()).decode("utf-8", "replace")).get("password", [""])[0]
        answer = RedirectResponse("./", 303)
        if door.try_password(given):
            answer.set_cookie(TICKET, door.ticket, httponly=True, samesite="strict", path=f"/{door.token}/")
        return answer

    async def channel(socket: Any) -> None:
        if not is_known(socket):
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

    routes = [
        Route("/", front, methods=["GET"]),
        Route("/login", login, methods=["POST"]),
        Route("/static/{name}", part, methods=["GET"]),
        Route("/files/{folder}/{name:path}", picture, methods=["GET"]),
        WebSocketRoute("/channel", channel),
    ]
    return guarded(Starlette(routes=routes, lifespan=life), door)


def guarded(app: Any, door: Door) -> Application:
    """An application behind a door: what is refused is not read, and every response has the headers."""
    from starlette.datastructures import Headers
    from starlette.responses import PlainTextResponse
    from starlette.websockets import WebSocketClose

    async def behind(scope: Any, receive: Any, send: Any) -> None:
        async def send_more(message: Any) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *HEADER_LINES]}
            await send(message)

        answer, is_socket = app, scope["type"] == "websocket"
        if scope["type"] != "lifespan":
            headers = Headers(scope=scope)
            host, length = headers.get("host", ""), headers.get("content-length", "0")
            try:
                path = door.inner_path(scope["path"], host, headers.get("origin"), is_socket=is_socket)
                if "transfer-encoding" in headers or not length.isdecimal() or int(length) > LONGEST_BODY:
                    raise AccessRefusedError(413, "This server takes no files.")
                scope = {**scope, "path": path, "raw_path": path.encode(), "root_path": ""}
            except AccessRefusedError as refused:
                answer = PlainTextResponse(str(refused), refused.status, headers={"connection": "close"})
                answer = WebSocketClose(1008) if is_socket else answer
        await answer(scope, receive, send_more)

    return behind
