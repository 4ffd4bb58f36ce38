"""Memory that a fit or a file will need, before it is taken, and that there is."""

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path

from graphwell.errors import OptionError

# Stored entries of a graph per neighbour that each row chooses: joined where either chose the other.
EDGES_PER_NEIGHBOR = 1.8


def fit_bytes(n_rows: int, n_neighbors: int, n_classes: int) -> int:
    """Memory that a fit takes beyond its input, about: the larger of its two stages."""
    entries = EDGES_PER_NEIGHBOR * n_neighbors
    graph = 8 * entries + 4
    neighbours = graph + n_neighbors * 3 * 8  # the choices of rows, that matrix turned, and turned back
    layout, sharper = 8 * entries + 16, 4 * entries
    blocks, vectors = 4 * 4 * n_classes, 8 * 15
    start = graph + layout + sharper + blocks + vectors
    return int(n_rows * max(neighbours, start))


def in_words(n_bytes: float) -> str:
    """Bytes for people."""
    for unit, size in (("GB", 1e9), ("MB", 1e6)):
        if n_bytes >= size:
            return f"{n_bytes / size:.1f} {unit}"
    return f"{n_bytes / 1e3:.0f} kB" if n_bytes >= 1e3 else f"{n_bytes:.0f} bytes"


SIZES = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
# What a packed table may hold unasked: so many times its size, where that is more than a little. As text,
# MNIST and eight sets of the UCI collection hold 2 to 9 times their size, rows of 0.2 % ones 250 times.
MOST_RATIO, LITTLE, MOST_UNPACKED = 200, 10**8, 3 * 10**10
CGROUP = Path("/sys/fs/cgroup")
_limit: ContextVar[int | None] = ContextVar("limit", default=None)


def read_size(text: str) -> int:
    """Turn a size as people write it into bytes."""
    plain = text.strip().lower().removesuffix("b").removesuffix("i").strip()
    unit = plain[-1:] if plain[-1:] in SIZES else ""
    try:
        size = float(plain.removesuffix(unit)) * SIZES[unit]
    except ValueError:
        size = float("nan")
    if not 0 < size < 1e18:
        raise OptionError("max_memory", "{field} must be a size such as 4GB or 500MB, got {!r}.", text)
    return int(size)


def available() -> int:
    """Bytes of memory that are free, for this process and those it shares a container with."""
    found = [2**62]
    with suppress(OSError, ValueError):
        lines = Path("/proc/meminfo").read_text().splitlines()
        found += [1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")]
    with suppress(OSError, ValueError):
        most, used = (int((CGROUP / name).read_text()) for name in ("memory.max", "memory.current"))
        found.append(max(0, most - used))
    if len(found) == 1 and hasattr(os, "sysconf"):
        with suppress(OSError, ValueError):
            found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return min(found)


@contextmanager
def limited_to(size: int | str | None) -> Iterator[None]:
    """Let `check_fits` allow so many bytes, or a size as people write it, in the block; else what is free."""
    token = _limit.set(read_size(size) if isinstance(size, str) else size)
    try:
        yield
    finally:
        _limit.reset(token)


def allowed() -> int:
    """Bytes that may be taken: what `limited_to` says, or else what is free."""
    given = _limit.get()
    return available() if given is None else given


def check_fits(what: object, n_bytes: float) -> None:
    """Refuse what needs more memory than is allowed, before any of it is taken."""
    most = allowed()
    if n_bytes > most:
        whose = "that are free" if _limit.get() is None else "allowed"
        problem = (
            "{} needs about {} of memory, more than the {} {}; make it smaller, or allow more with {field}."
        )
        raise OptionError("max_memory", problem, what, in_words(n_bytes), in_words(most), whose)


def check_unpacked(what: object, packed: float, unpacked: float) -> None:
    """Refuse what unpacks to far more than tables do, unless the user says how much memory may be taken."""
    if _limit.get() is None and unpacked > min(MOST_UNPACKED, max(LITTLE, MOST_RATIO * packed)):
        problem = (
            "{} unpacks from {} to {} or more, as a file does that is made to fill the memory; "
            "if it is not, name the memory that it may take with {field}."
        )
        raise OptionError("max_memory", problem, what, in_words(packed), in_words(unpacked))


def held(what: str = "VmRSS", process: int | str = "self") -> int | None:
    """Bytes that Linux says a process holds, by the name it has for them; None where it does not tell."""
    with suppress(OSError, ValueError):
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
        return next((1024 * int(line.split()[1]) for line in lines if line.startswith(f"{what}:")), None)
    return None


def give_back() -> None:
    """Hand freed memory back to the system: the C library of Linux keeps what lies between what is in use."""
    with suppress(OSError, AttributeError, TypeError):  # elsewhere there is none
        ctypes.CDLL(None).malloc_trim(0)
