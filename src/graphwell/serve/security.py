"""Who is let in: a secret in the address, the names that this server goes by, and a password beyond loopback.

A page of another site can send requests to a server on this machine. It knows no token, its `Origin` is
another, and with a name of its own that leads here (DNS rebinding) its `Host` is another: all are refused.
"""

import hmac
import ipaddress
import secrets
import time
from dataclasses import dataclass, field

LONGEST_BODY = 4_096
"""Bytes that a request may bring along; pages speak through the channel."""
SECONDS_AFTER_A_WRONG_PASSWORD = 1.0
NOWHERE = "'none'"


def policy(scripts: str, styles: str, own: str) -> str:
    """The content security policy: sources that a page may load from, and where it may send.

    Parameters
    ----------
    scripts, styles : str
        Where these may come from.
    own : str
        Where pictures may come from too, and messages and forms may go; empty for nowhere.

    Examples
    --------
    >>> policy("'self'", "'self'", "'self'").split("; ")[:3]
    ["default-src 'none'", "script-src 'self'", "style-src 'self'"]
    """
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {scripts}",
            f"style-src {styles}",
            f"img-src data: blob: {own}".rstrip(),
            f"connect-src {own or NOWHERE}",
            f"form-action {own or NOWHERE}",
            "base-uri 'none'",
            "require-trusted-types-for 'script'",  # no text ever becomes markup
            "trusted-types 'none'",
        )
    )


POLICY = policy("'self'", "'self'", "'self'") + "; frame-ancestors 'none'"
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""Sent with every answer."""


class AccessRefusedError(Exception):
    """A request that is not let in.

    Attributes
    ----------
    status : int
        Of HTTP.
    """

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


@dataclass
class Door:
    """The conditions under which a request is let in.

    Attributes
    ----------
    origins : frozenset of str
        Addresses that this server goes by, ``http://127.0.0.1:8000`` say.
    password : str, optional
        Asked for besides the token, where others than this machine can reach the server.
    token : str
        The first part of every path.
    """

    origins: frozenset[str]
    password: str | None = None
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    ticket: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    _locked_until: float = 0.0

    @property
    def hosts(self) -> frozenset[str]:
        """Values that the header Host may have."""
        return frozenset(origin.partition("://")[2] for origin in self.origins)

    def inner_path(self, path: str, host: str, origin: str | None, *, is_socket: bool = False) -> str:
        """The path without the token; refuses whatever does not come from a page of this server.

        Parameters
        ----------
        path : str
        host, origin : str
            Headers; browsers always send the origin of a websocket.
        is_socket : bool

        Examples
        --------
        >>> door = Door(frozenset({"http://127.0.0.1:80"}), token="secret")
        >>> door.inner_path("/secret/static/label.js", "127.0.0.1:80", None)
        '/static/label.js'
        """
        if host.lower() not in self.hosts:
            raise AccessRefusedError(421, "This server does not go by that name.")
        if (origin is None and is_socket) or (origin is not None and origin.lower() not in self.origins):
            raise AccessRefusedError(403, "This server answers its own pages only.")
        given, slash, rest = path.removeprefix("/").partition("/")
        if not same(given, self.token) or not slash:
            raise AccessRefusedError(
                403, "Open the whole address that graphwell printed; its secret part is missing."
            )
        return "/" + rest

    def knows(self, ticket: str | None) -> bool:
        """Whether a window has shown the password, by the ticket it got for it; True if none is asked."""
        return self.password is None or (ticket is not None and same(ticket, self.ticket))

    def try_password(self, said: str) -> bool:
        """Whether a password is right; after a wrong one, all are wrong for a second."""
        if time.monotonic() < self._locked_until:
            return False
        right = self.password is not None and same(said, self.password)
        if not right:
            self._locked_until = time.monotonic() + SECONDS_AFTER_A_WRONG_PASSWORD
        return right


def same(one: str, other: str) -> bool:
    """Whether two secrets are the same, in a time that says nothing about them."""
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server on a host.

    Examples
    --------
    >>> [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "example.org")]
    [True, True, True, False, False]
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def origins_of(host: str, port: int, address: str | None = None) -> frozenset[str]:
    """Addresses that a server goes by.

    Parameters
    ----------
    host : str
        That it listens on.
    port : int
    address : str, optional
        That browsers use instead, behind a proxy say.

    Examples
    --------
    >>> sorted(origins_of("127.0.0.1", 8000))
    ['http://127.0.0.1:8000', 'http://localhost:8000']
    >>> sorted(origins_of("0.0.0.0", 8000, "https://Label.example.org/"))
    ['https://label.example.org']
    """
    if address is not None:
        return frozenset({address.rstrip("/").lower()})
    names = {f"[{host}]" if ":" in host else host}
    if is_loopback(host):
        names.add("localhost")
    return frozenset(f"http://{name}:{port}".lower() for name in names)
