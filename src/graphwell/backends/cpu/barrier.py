"""A barrier at which the threads of a pool wait for each other inside compiled code.

Leaving compiled code after every sweep costs more than a sweep of a small graph, the more so the more threads
there are. Who waits here spins for a moment, then sleeps: a busy machine is not made busier. A barrier that
is broken, because one of the threads failed, lets everybody through.
"""

import os
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from graphwell._types import IntArray
from graphwell.graph.compiled import inner

ARRIVED, ROUND, BROKEN, SIZE = 0, 8, 16, 24
"""Places in a barrier, each in a cache line of its own."""
SPINS, NAP = 50_000, 20
"""Looks at the barrier, some 100 microseconds, before sleeping; and microseconds of a sleep."""


def new_barrier() -> IntArray:
    """Return an open barrier."""
    return np.zeros(SIZE, dtype=np.int64)


def break_barrier(barrier: IntArray) -> None:
    """Let everybody through, now and later."""
    barrier[BROKEN] = 1


def _pointer(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    data = context.make_array(signature.args[0])(context, builder, args[0]).data
    return builder.gep(data, [args[1]])


@intrinsic
def _add(typing_context: Any, barrier: Any, place: Any, value: Any) -> Any:
    """Add to a place at once, for all threads to see; return what was there before."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, signature, args)
        return builder.atomic_rmw("add", pointer, args[2], "seq_cst")

    return types.int64(barrier, types.int64, types.int64), codegen


@intrinsic
def _look(typing_context: Any, barrier: Any, place: Any) -> Any:
    """Read a place as other threads left it.

    A plain read would be hoisted out of the loop that waits: LLVM sees nobody else write there.
    """

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, signature, args)
        return builder.load_atomic(pointer, "seq_cst", align=8, typ=ir.IntType(64))

    return types.int64(barrier, types.int64), codegen


if os.name == "posix":
    _sleep = types.ExternalFunction("usleep", types.int32(types.uint32))

    @inner
    def _rest() -> None:
        _sleep(np.uint32(NAP))

else:

    @inner
    def _rest() -> None:
        """Nothing: such a system has no call to sleep for so short a time."""


@inner
def pass_barrier(barrier: IntArray, n_threads: int) -> bool:
    """Wait until so many threads are here; return whether the barrier is whole."""
    turn = _look(barrier, ROUND)
    if _add(barrier, ARRIVED, 1) == n_threads - 1:
        # The count goes back to zero before the round opens: a fast thread may be at the next barrier while
        # a slow one has not left this one.
        _add(barrier, ARRIVED, -n_threads)
        _add(barrier, ROUND, 1)
        return _look(barrier, BROKEN) == 0
    looks = 0
    while _look(barrier, ROUND) == turn:
        if _look(barrier, BROKEN):
            return False
        looks += 1
        if looks > SPINS:
            _rest()
    return _look(barrier, BROKEN) == 0
