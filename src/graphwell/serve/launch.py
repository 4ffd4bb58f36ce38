"""Start a server for a page, and open it. The only module that imports uvicorn."""

import asyncio
import html
import socket
import tempfile
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from graphwell.errors import OptionError
from graphwell.serve.app import NEEDS, make_app
from graphwell.serve.channel import LONGEST_MESSAGE, Page
from graphwell.serve.security import Door, is_loopback, origins_of

ANYWHERE = ("0.0.0.0", "::", "")
LOOPBACK = "127.0.0.1"
SECONDS_FOR_A_REQUEST = 10.0
"""To come in whole; and how long a connection may be kept without one."""


def launch(
    page: Page,
    *,
    host: str = LOOPBACK,
    port: int = 0,
    address: str | None = None,
    password: str | None = None,
    open_browser: bool = True,
    told: Callable[[str], None] = print,
    request_seconds: float = SECONDS_FOR_A_REQUEST,
) -> None:
    """Serve a page until the process is interrupted.

    Parameters
    ----------
    page : Page
    host : str
        To listen on; others than this machine reach it only if it is not the loopback.
    port : int
        0 for one that is free.
    address : str, optional
        That browsers use, if it is not that of the host: ``https://label.example.org``.
    password : str, optional
        Needed where the host is not the loopback.
    open_browser : bool
    told : callable
        Called with the address, once the server listens.
    request_seconds : float
        After which a connection is cut if no whole request has come.
    """
    check_host(host, address, password)
    with ExitStack() as held:
        listening = held.enter_context(_listen(host, port))
        port = listening.getsockname()[1]
        door = Door(origins_of(host, port, address), None if is_loopback(host) else password)
        where = f"{address.rstrip('/') if address else _shown(host, port)}/{door.token}/"
        server = _server(page, door, request_seconds)
        told(where)
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


def _listen(host: str, port: int) -> socket.socket:
    try:
        kind = socket.AF_INET6 if ":" in host else socket.AF_INET
        found = socket.create_server((host, port), family=kind, backlog=64)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        problem = "{field} {}: nothing can listen there on {}: {}; give another."
        raise OptionError("port", problem, port, host, reason) from error
    return found


def _shown(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


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
            self._wait()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._wait()

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            self._rest()

        def _wait(self) -> None:
            """Count from the first byte of a request to its last; a websocket is no longer ours."""
            came = self.conn.their_state not in (h11.IDLE, h11.SEND_BODY)
            if came or self.transport.get_protocol() is not self:
                self._rest()
            elif self._cut is None:
                self._cut = self.loop.call_later(request_seconds, self.transport.abort)

        def _rest(self) -> None:
            if self._cut is not None:
                self._cut.cancel()
                self._cut = None

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
