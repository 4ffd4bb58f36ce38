"""Compiled loops that are kept on disc, and vector code that numba does not make by itself.

Full or damaged folders cost time and not the run. `LANES` numbers are compared at once; products of rows with
packed points are taken a tile at a time: some rows times `TILE_POINTS` points, whose sums stay in registers
until they are done. Terms are added in the order of the features: what comes of a row and a point does not
depend on those around them. A library's products would take seconds to compile.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
from llvmlite import binding, ir

try:
    from numba import config, njit, types
except ValueError as error:
    raise ValueError(
        f"numba refuses its settings ({error}); unset NUMBA_NUM_THREADS and the like."
    ) from error
from numba.core import cgutils, event
from numba.core.caching import FunctionCache
from numba.extending import intrinsic

from graphwell._types import FloatArray
from graphwell.errors import warn_user

if config.DISABLE_JIT:
    raise ValueError(
        "NUMBA_DISABLE_JIT is set: graphwell's loops hold vector code that Python cannot run; unset it."
    )

# Compiles what compiled functions alone call, without the code that calls from Python need.
inner = njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
# The same where the order of a sum may change.
inner_fast = njit(nogil=True, fastmath=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)

_told = False


class _Cache(FunctionCache):
    """Numba's cache, except that a full or damaged folder costs time and not the run."""

    def load_overload(self, *arguments: Any) -> Any:
        try:
            return super().load_overload(*arguments)
        except OSError as error:
            _tell(error)
        except Exception:  # whatever a damaged file raises: it is compiled anew, and the file replaced
            with suppress(OSError):
                self.flush()
        return None

    def save_overload(self, *arguments: Any) -> None:
        try:
            super().save_overload(*arguments)
        except OSError as error:
            _tell(error)


def seen(array: Any) -> Any:
    """The array as one that is only read: for both kinds numba would compile everything twice."""
    view = array.view()
    view.flags.writeable = False
    return view


def unsigned(array: Any) -> Any:
    """Whole numbers that are not negative, only to be read: with others, loops look at the sign of each."""
    return seen(array.view(f"u{array.itemsize}"))


def compiled(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function by numba when it is first called, and keep the result on disc."""

    def decorate(function: Callable[..., Any]) -> Any:
        made = njit(no_cfunc_wrapper=True, **options)(function)
        try:
            made._cache = _Cache(function)
        except RuntimeError as error:  # no folder can be written, as in some containers
            _tell(error)
        return made

    return decorate


def _tell(error: Exception) -> None:
    """Say once why a run takes longer than it need."""
    global _told
    if not _told:
        _told = True
        warn_user(
            f"Compiled loops cannot be kept on disc ({str(error).rstrip('.')}); every run compiles them "
            "anew; set NUMBA_CACHE_DIR to a folder that can be written."
        )


# ------------------------------------------------------------------- telling that something is compiled


class _OnceTold(event.Listener):
    """Calls a function when numba begins to compile; kernels that come from its cache do not count."""

    def __init__(self, tell: Callable[[], object]) -> None:
        self.tell, self.told = tell, False

    def on_start(self, event: event.Event) -> None:
        if not self.told:
            self.told = True
            self.tell()

    def on_end(self, event: event.Event) -> None:
        """Nothing: the next stage speaks for itself."""


@contextmanager
def told_of_compiling(tell: Callable[[], object]) -> Iterator[None]:
    """Have a function called, once, if anything is compiled while the block runs."""
    with event.install_listener("numba:run_pass", _OnceTold(tell)):
        yield


# ------------------------------------------------------------------------------------------- vector code

# Numbers that are compared at once: as many as a mask has bits.
LANES = 32


def lanes_at(builder: Any, data: Any, first: Any, count: int = LANES) -> Any:
    """Where a vector of consecutive numbers lies, aligned as single ones are."""
    vector = ir.VectorType(data.type.pointee, count)
    return builder.bitcast(builder.gep(data, [first]), vector.as_pointer())


def everywhere(builder: Any, scalar: Any, count: int = LANES) -> Any:
    """The same number in every lane."""
    place = ir.Constant(ir.IntType(32), 0)
    undefined = ir.Constant(ir.VectorType(scalar.type, count), ir.Undefined)
    lanes = ir.Constant(ir.VectorType(place.type, count), [0] * count)
    return builder.shuffle_vector(builder.insert_element(undefined, scalar, place), undefined, lanes)


@intrinsic
def at_most(typing_context: Any, values: Any, first: Any, bound: Any) -> Any:
    """A mask with a bit for each of `LANES` values from `first` on: whether it is at most the bound.

    All must be of one type. What is no number is not.
    """

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        size = data.type.pointee.get_abi_size(context.target_data)
        found = builder.load(lanes_at(builder, data, args[1]), align=size)
        within = builder.fcmp_ordered("<=", found, everywhere(builder, args[2]))
        return builder.zext(builder.bitcast(within, ir.IntType(LANES)), ir.IntType(64))

    return types.int64(values, types.int64, values.dtype), codegen


@intrinsic
def lowest_bit(typing_context: Any, mask: Any) -> Any:
    """The place of the lowest bit that is set in a mask; it must have one."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], cgutils.true_bit)

    return types.int64(types.int64), codegen


TILE_POINTS = 16
# Rows of a tile: as many as leave all its sums in registers.
TILE_ROWS = 12 if binding.get_host_cpu_features().get("avx512f") else 6
SINGLE = ir.FloatType()
SIZE = 4
INDEX = ir.IntType(64)


@intrinsic
def compare_tile(
    typing_context: Any, rows: Any, first: Any, packed: Any, block: Any, lengths: Any, apart: Any
) -> Any:
    """Write ``lengths - 2 rows @ points`` into `apart`, for `TILE_ROWS` rows and a block of packed points.

    All are contiguous, in single precision. Row `i` of `apart` is that of row ``first + i``. What is no
    number becomes infinite: rows may be written into while they are compared.
    """
    signature = types.void(rows, types.int64, packed, types.int64, lengths, apart)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        rows_, packed_, lengths_, apart_ = (
            context.make_array(signature.args[place])(context, builder, args[place]) for place in (0, 2, 4, 5)
        )
        vector, many = ir.VectorType(SINGLE, TILE_POINTS), ir.Constant(INDEX, TILE_POINTS)
        fused = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(vector, [vector] * 3), f"llvm.fmuladd.v{TILE_POINTS}f32"
        )
        n_features, column = builder.extract_value(rows_.shape, 1), builder.mul(args[3], many)
        row = [
            builder.gep(rows_.data, [builder.mul(builder.add(args[1], INDEX(number)), n_features)])
            for number in range(TILE_ROWS)
        ]
        points = builder.gep(packed_.data, [builder.mul(column, n_features)])
        sums = [cgutils.alloca_once(builder, vector) for _ in row]
        for total in sums:
            builder.store(vector([0.0] * TILE_POINTS), total)
        with cgutils.for_range(builder, n_features) as loop:
            point = builder.load(
                lanes_at(builder, points, builder.mul(loop.index, many), TILE_POINTS), align=SIZE
            )
            for values, total in zip(row, sums, strict=True):
                value = everywhere(builder, builder.load(builder.gep(values, [loop.index])), TILE_POINTS)
                builder.store(builder.call(fused, [value, point, builder.load(total)]), total)
        length = builder.load(lanes_at(builder, lengths_.data, column, TILE_POINTS), align=SIZE)
        width, infinite = builder.extract_value(apart_.shape, 1), vector([float("inf")] * TILE_POINTS)
        for number, total in enumerate(sums):
            product = builder.load(total)
            value = builder.fsub(length, builder.fadd(product, product))
            value = builder.select(builder.fcmp_ordered("<", value, infinite), value, infinite)
            place = builder.add(builder.mul(INDEX(number), width), column)
            builder.store(value, lanes_at(builder, apart_.data, place, TILE_POINTS), align=SIZE)
        return context.get_dummy_value()

    return signature, codegen


@inner
def pack(points: FloatArray, count: int, packed: FloatArray, lengths: FloatArray) -> int:
    """Lay out points as `compare_tile` reads them, feature by feature; return how many they are then.

    That is a multiple of `LANES`: what fills up the last ones is infinitely far away.
    """
    filled = -(-count // LANES) * LANES
    for place in range(filled):
        block, lane = place // TILE_POINTS, place % TILE_POINTS
        for c in range(points.shape[1]):
            packed[block, c, lane] = points[place, c] if place < count else 0
        if place >= count:
            lengths[place] = np.inf
    return filled
