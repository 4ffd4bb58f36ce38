"""The Dask client: found, connected, its errors in sentences. The only module that imports `distributed`."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

# What Dask's versions call their errors about a client that is closed.
CUT_OFF = ("CancelledError", "ClosedClientError", "FutureCancelledError", "FuturesCancelledError")


def require_dask() -> Any:
    """Return Dask's `distributed`, or say how to install it."""
    try:
        import distributed
    except ImportError as error:
        raise ImportError(
            'A fit on a cluster needs Dask, which is not installed: pip install "graphwell[dask]"'
        ) from error
    return distributed


def connected_client() -> Any:
    """Return the Dask client in use, which must be connected."""
    distributed = require_dask()
    if _inside_a_task(distributed):
        raise ValueError(
            "X is a Dask array and this is a Dask task already, which would wait for itself; "
            "fit from the client, or give X.compute()."
        )
    try:
        client = distributed.get_client()
    except ValueError as error:
        raise ValueError(
            "X is a Dask array but there is no Dask client; start one first: "
            "from dask.distributed import Client; client = Client()."
        ) from error
    if client.status != "running":
        raise ValueError(
            f"The Dask client is not connected (its status is {client.status}); "
            "connect it to a running scheduler."
        )
    if not workers_of(client):
        raise ValueError("The Dask cluster has no workers; start at least one, or wait until one has joined.")
    return client


def workers_of(client: Any) -> dict[str, Any]:
    """The workers that a client can use, by their address.

    The client asks the scheduler every other second, without the workers, and may put that answer in the
    place of this one; how many workers there are is part of both.
    """
    while client.status == "running":
        found = client.scheduler_info(n_workers=-1)
        if len(found["workers"]) == found.get("n_workers", len(found["workers"])):
            return dict(found["workers"])
    raise cut_off()


def forget_messages(client: Any) -> None:
    """Drop Dask's log of what a client sent: up to a thousand messages of a megabyte, vectors and all."""
    log = getattr(getattr(client, "scheduler_comm", None), "recent_message_log", None)
    if log is not None:
        log.clear()


def _inside_a_task(distributed: Any) -> bool:
    try:
        distributed.get_worker()
    except ValueError:
        return False
    return True


@contextmanager
def told_if_cut_off() -> Iterator[None]:
    """Turn Dask's errors about lost clients into a sentence."""
    try:
        yield
    except Exception as error:
        if type(error).__name__ in CUT_OFF:
            raise cut_off() from error
        raise


def cut_off() -> OSError:
    """The error where the client, or its scheduler, is gone."""
    return OSError(
        "The Dask client was closed, or lost its scheduler, while the fit was under way; nothing was fitted."
    )
