"""Who is let in, and to which files: a secret in the address, names of this server, a password, two folders.

A page of another site can send requests to a server on this machine. It knows no token, its `Origin` is
another, and with a name of its own that leads here (DNS rebinding) its `Host` is another: all are refused.
"""

import hmac
import ipaddress
import json
import os
import re
import secrets
import stat
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from graphwell.io.files import NO_FOLLOW, written_whole

# Bytes of a request's body; pages send their messages through the websocket.
LONGEST_BODY = 4_096
SECONDS_AFTER_A_WRONG_PASSWORD = 1.0
NOWHERE = "'none'"
LARGEST_FILE = 64 * 2**20
# Files that browsers can show and no script can hide in: SVG is not among them.
PICTURES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".bmp": "image/bmp",
}
PARTS_OF_PAGES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
}
TOKEN = re.compile(r"[\w-]{32}", re.ASCII)
PAGES = Path(__file__).parent / "page"


def policy(scripts: str, styles: str, own: str) -> str:
    """Content security policy: sources of scripts and styles; where pictures, messages and forms may go."""
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


# Sent with every response.
HEADERS = {
    "content-security-policy": policy("'self'", "'self'", "'self'") + "; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class AccessRefusedError(Exception):
    """A request that is refused, with a status of HTTP."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


@dataclass
class Door:
    """Conditions for a request: the addresses of this server, the token in its path, perhaps a password."""

    origins: frozenset[str]
    password: str | None = None
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    ticket: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    _locked_until: float = 0.0

    def inner_path(self, path: str, host: str, origin: str | None, *, is_socket: bool = False) -> str:
        """The path without the token; refuses whatever does not come from a page of this server."""
        if host.lower() not in {known.partition("://")[2] for known in self.origins}:
            raise AccessRefusedError(421, "This server does not go by that name.")
        # browsers always send the origin of a websocket
        if (origin is None and is_socket) or (origin is not None and origin.lower() not in self.origins):
            raise AccessRefusedError(403, "This server answers its own pages only.")
        given, slash, inner = path.removeprefix("/").partition("/")
        if not same(given, self.token) or not slash:
            raise AccessRefusedError(
                403, "Open the whole address that graphwell printed; its secret part is missing."
            )
        return "/" + inner

    def knows(self, ticket: str | None) -> bool:
        """Whether no password is needed, or a window has a ticket that was given for the right one."""
        return self.password is None or (ticket is not None and same(ticket, self.ticket))

    def try_password(self, given: str) -> bool:
        """Whether a password is right; after a wrong one, all are wrong for a second."""
        if time.monotonic() < self._locked_until:
            return False
        is_right = self.password is not None and same(given, self.password)
        if not is_right:
            self._locked_until = time.monotonic() + SECONDS_AFTER_A_WRONG_PASSWORD
        return is_right


def same(one: str, other: str) -> bool:
    """Whether two secrets are the same, in a time that does not depend on them."""
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server on a host."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def origins_of(host: str, port: int, address: str | None = None) -> frozenset[str]:
    """Addresses of a server: the one that browsers use instead (a proxy's), or those of host and port."""
    if address is not None:
        return frozenset({address.rstrip("/").lower()})
    names = {f"[{host}]" if ":" in host else host}
    if is_loopback(host):
        names.add("localhost")
    return frozenset(f"http://{name}:{port}".lower() for name in names)


# ---------------------------------------------------------------------------------------------- files


def read_private(path: Path) -> dict[str, Any]:
    """Port and token as `write_private` wrote them; empty if anybody else could have read or written them."""
    try:
        file = os.open(path, os.O_RDONLY | NO_FOLLOW | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(file, "rb") as opened:
            found, content = os.fstat(file), opened.read(LONGEST_BODY)
        known = json.loads(content)
        is_ours = os.name != "posix" or (found.st_uid == os.getuid() and not found.st_mode & 0o077)
        if not is_ours or not TOKEN.fullmatch(known["token"]) or type(known["port"]) is not int:
            return {}
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return {}
    return {"port": known["port"], "token": known["token"]}


def write_private(path: Path, content: Mapping[str, Any]) -> None:
    """Write values of JSON to a file that this user alone can read; nothing where that cannot be."""
    with suppress(OSError):
        path.unlink(missing_ok=True)  # its mode would be taken over
        with written_whole(path) as file:
            if hasattr(os, "fchmod"):
                os.fchmod(file.fileno(), 0o600)
            file.write(json.dumps(content).encode())


def read_picture(folders: Mapping[str, Path], folder: str, name: str) -> tuple[bytes, str]:
    """A picture inside a named folder, and its type; FileNotFoundError for whatever is no such picture."""
    kind = PICTURES.get(PurePosixPath(name).suffix.lower())
    if kind is None or folder not in folders:
        raise FileNotFoundError(name)
    return read_inside(folders[folder], name), kind


def read_part(name: str) -> tuple[bytes, str]:
    """A file of the pages, which come with the package, and its type."""
    kind = PARTS_OF_PAGES.get(PurePosixPath(name).suffix)
    if kind is None:
        raise FileNotFoundError(name)
    return read_inside(PAGES, name), kind


def read_inside(folder: Path, name: str) -> bytes:
    """Read a file below a folder; no ``..`` and no link leads out of it, even one that changes meanwhile."""
    root = folder.resolve()
    try:
        inside = (root / name).resolve(strict=True).relative_to(root)
        return _read_below(root, inside)
    except (OSError, ValueError, RuntimeError):  # no such file, outside, a NUL in the name, links in a circle
        raise FileNotFoundError(name) from None


def _read_below(root: Path, inside: Path) -> bytes:
    """Read a file whose path holds no link; each folder is opened from the one before."""
    descriptor = -1
    try:
        if os.open in os.supports_dir_fd:
            descriptor = os.open(root, os.O_RDONLY)
            for part in inside.parts:
                above, flags = descriptor, os.O_RDONLY | NO_FOLLOW | os.O_NONBLOCK
                descriptor = os.open(part, flags, dir_fd=above)
                os.close(above)
        else:
            descriptor = os.open(root / inside, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST_FILE:
            raise FileNotFoundError(inside)
        with os.fdopen(os.dup(descriptor), "rb") as file:
            return file.read(LARGEST_FILE)
    finally:
        if descriptor >= 0:
            os.close(descriptor)
