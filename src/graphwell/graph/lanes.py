"""Many numbers compared at once: what numba does not turn into vector code by itself."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from graphwell._types import FloatArray, IntArray
from graphwell.graph.compiled import inner

LANES = 32
"""Numbers that are compared at once: as many as a mask has bits."""
INSERTED = 16
"""Numbers that are shifted at once."""


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


@intrinsic
def insert_lanes(typing_context: Any, values: Any, names: Any, first: Any, value: Any, name: Any) -> Any:
    """Shift a part of ascending values, `INSERTED` from ``first + 1`` on, to make room for another one.

    Each becomes what lies before it where that is larger, and the new value where it is larger itself;
    its name goes with it.
    """
    signature = types.void(values, names, types.int64, values.dtype, names.dtype)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        new = [everywhere(builder, scalar, INSERTED) for scalar in args[3:]]
        second, parts = builder.add(args[2], ir.Constant(ir.IntType(64), 1)), []
        for kind, array in zip(signature.args[:2], args[:2], strict=True):
            data = context.make_array(kind)(context, builder, array).data
            size = data.type.pointee.get_abi_size(context.target_data)
            places = [lanes_at(builder, data, place, INSERTED) for place in (args[2], second)]
            parts.append((places[1], size, *(builder.load(place, align=size) for place in places)))
        shifted, replaced = (builder.fcmp_ordered(">", found, new[0]) for found in parts[0][2:])
        for (place, size, before, here), other in zip(parts, new, strict=True):
            found = builder.select(shifted, before, builder.select(replaced, other, here))
            builder.store(found, place, align=size)
        return context.get_dummy_value()

    return signature, codegen


@inner
def insert(values: FloatArray, names: IntArray, value: float, name: int) -> None:
    """Put a value into its place behind a first one that is lower than all; the largest is dropped.

    The others are ascending, a multiple of `INSERTED`. Among equals it comes last.
    """
    for first in range(len(values) - 1 - INSERTED, -1, -INSERTED):
        insert_lanes(values, names, first, value, name)


@inner
def places_at_most(values: FloatArray, bound: float, places: IntArray) -> int:
    """Write the places of all values up to a bound, in order; return how many there are."""
    count, whole = 0, len(values) // LANES * LANES
    for first in range(0, whole, LANES):
        within = at_most(values, first, bound)
        while within:
            places[count] = first + lowest_bit(within)
            within &= within - 1
            count += 1
    for place in range(whole, len(values)):
        places[count] = place
        count += values[place] <= bound
    return count
