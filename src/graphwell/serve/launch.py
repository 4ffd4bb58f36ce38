"""Start a server for a page, and open it. The only module that imports uvicorn."""

import socket
import webbrowser
from collections.abc import Callable
from typing import Any

from graphwell.errors import OptionError
from graphwell.serve.app import NEEDS, make_app
from graphwell.serve.channel import LONGEST_MESSAGE, Page
from graphwell.serve.security import Door, is_loopback, origins_of

ANYWHERE = ("0.0.0.0", "::", "")
LOOPBACK = "127.0.0.1"


def launch(
    page: Page,
    *,
    host: str = LOOPBACK,
    port: int = 0,
    address: str | None = None,
    password: str | None = None,
    open_browser: bool = True,
    told: Callable[[str], None] = print,
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
    """
    check_host(host, address, password)
    listening = _listen(host, port)
    with listening:
        port = listening.getsockname()[1]
        door = Door(origins_of(host, port, address), None if is_loopback(host) else password)
        where = f"{address.rstrip('/') if address else _shown(host, port)}/{door.token}/"
        server = _server(page, door)
        told(where)
        if open_browser:
            webbrowser.open(where)
        server.run(sockets=[listening])


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


def _server(page: Page, door: Door) -> Any:
    try:
        import uvicorn
    except ImportError as error:
        raise ImportError(NEEDS) from error
    return uvicorn.Server(
        uvicorn.Config(
            make_app(page, door),
            ws="websockets-sansio",
            ws_max_size=LONGEST_MESSAGE,
            ws_max_queue=16,
            log_level="warning",
            proxy_headers=False,
            access_log=False,  # addresses hold the token
            server_header=False,
            timeout_graceful_shutdown=2,
            h11_max_incomplete_event_size=16_384,
        )
    )
