"""A gate at which the threads of a team wait for each other inside compiled code.

Leaving compiled code after every sweep costs more than a sweep of a small graph, the more so the more threads
there are. Who waits here spins for a moment, then gives way to others, then sleeps: a busy machine is not
made busier. A gate that is broken, because one of the threads failed, lets everybody through.
"""

import os
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from graphwell._types import IntArray

ARRIVED, ROUND, BROKEN, SIZE = 0, 8, 16, 24
"""Places in a gate, each in a cache line of its own."""
SPINS, YIELDS, NAP = 2_000, 200, 20
"""Looks at the gate before giving way, times of giving way before sleeping, and microseconds of a sleep."""


def new_gate() -> IntArray:
    """Return an open gate."""
    return np.zeros(SIZE, dtype=np.int64)


def break_gate(gate: IntArray) -> None:
    """Let everybody through, now and later."""
    gate[BROKEN] = 1


def _pointer(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    data = context.make_array(signature.args[0])(context, builder, args[0]).data
    return builder.gep(data, [args[1]])


@intrinsic
def _add(typing_context: Any, gate: Any, place: Any, value: Any) -> Any:
    """Add to a place at once, for all threads to see; return what was there before."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, signature, args)
        return builder.atomic_rmw("add", pointer, args[2], "seq_cst")

    return types.int64(gate, types.int64, types.int64), codegen


@intrinsic
def _look(typing_context: Any, gate: Any, place: Any) -> Any:
    """Read a place as other threads left it."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, signature, args)
        return builder.load_atomic(pointer, "seq_cst", align=8, typ=ir.IntType(64))

    return types.int64(gate, types.int64), codegen


if hasattr(os, "sched_yield"):
    _give_way = types.ExternalFunction("sched_yield", types.int32())
    _sleep = types.ExternalFunction("usleep", types.int32(types.uint32))

    @njit(nogil=True)
    def _rest(looks: int) -> None:
        if looks > SPINS + YIELDS:
            _sleep(np.uint32(NAP))
        elif looks > SPINS:
            _give_way()

else:

    @njit(nogil=True)
    def _rest(looks: int) -> None:
        """Nothing: there is no call to give way on such a system."""


@njit(nogil=True)
def pass_gate(gate: IntArray, n_threads: int) -> bool:
    """Wait until so many threads are here; return whether the gate is whole."""
    turn = _look(gate, ROUND)
    if _add(gate, ARRIVED, 1) == n_threads - 1:
        _add(gate, ARRIVED, -n_threads)
        _add(gate, ROUND, 1)
        return _look(gate, BROKEN) == 0
    looks = 0
    while _look(gate, ROUND) == turn:
        if _look(gate, BROKEN):
            return False
        looks += 1
        _rest(looks)
    return _look(gate, BROKEN) == 0
