"""Which backends there are, and what each needs. A new one is a folder and a line here."""

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from graphwell._threads import thread_count
from graphwell.errors import OptionError

if TYPE_CHECKING:
    from graphwell.backends.base import Backend
    from graphwell.backends.cpu.pixels import Pixels


@dataclass(frozen=True)
class Entry:
    """A backend that can be had; its modules are imported when they are asked for."""

    backend: str  # its class, after the module and a colon
    arrays: tuple[str, ...] = ()  # libraries whose arrays can only be worked on here
    pixels: str = "graphwell.backends.cpu.pixels:Pixels"  # by which pictures are segmented


BACKENDS: dict[str, Entry] = {
    "cpu": Entry("graphwell.backends.base:Backend"),
    "cuda": Entry(
        "graphwell.backends.cuda.backend:CudaBackend", pixels="graphwell.backends.cuda.pixels:CudaPixels"
    ),
    "dask": Entry("graphwell.backends.dask.backend:DaskBackend", arrays=("dask",)),
}


def devices() -> tuple[str, ...]:
    """The names that `device` may be: the backends that any rows can be brought to."""
    return tuple(name for name, entry in BACKENDS.items() if not entry.arrays)


def find_backend(device: str = "cpu", X: Any = None, n_jobs: int | None = None) -> "Backend":
    """Return the backend of a device, or the one that rows of this kind need.

    Examples
    --------
    >>> find_backend("tpu")
    Traceback (most recent call last):
    graphwell.errors.OptionError: device must be one of cpu, cuda, got 'tpu'.
    """
    thread_count(n_jobs)
    check_device(device)
    name = backend_of_rows(X) or device
    if device not in ("cpu", name):
        problem = "{field} must be cpu for a {} array, whose workers compute on their processors; got {!r}."
        raise OptionError("device", problem, name.title(), device)
    backend: Backend = named(BACKENDS[name].backend)(n_jobs)
    return backend


def named(place: str) -> Any:
    """Import what a module has by a name."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def find_pixels(device: str = "cpu", n_jobs: int | None = None) -> "Pixels":
    """Return the engine that segments pictures on a device."""
    check_device(device)
    engine: Pixels = named(BACKENDS[device].pixels)(n_jobs)
    return engine


def check_device(device: str) -> None:
    """Refuse a device that there is not; nothing is imported for it."""
    if not isinstance(device, str) or device not in devices():
        raise OptionError("device", "{field} must be one of {}, got {!r}.", ", ".join(devices()), device)


def backend_of_rows(X: Any) -> str | None:
    """Name of the backend that rows of this kind need; None if any will do."""
    library = type(X).__module__.partition(".")[0]
    return next((name for name, entry in BACKENDS.items() if library in entry.arrays), None)


def refuse_rows_of_a_cluster(X: Any, who: str, instead: str = "") -> None:
    """Say that rows which only their own backend can work on will not be fetched silently."""
    place = backend_of_rows(X)
    if place is not None:
        raise ValueError(
            f"{who} works on one machine, and X is a {place.title()} array; give X.compute(){instead}."
        )
