"""The inner loops of sweeps and products as vector code.

numba compiles a loop over scattered reads one element at a time. These intrinsics emit the same loops on
vectors; LLVM lowers them to the widest instructions the processor has, and to plain loads where it has
none. Entries are added in their stored order, so the sums are exactly those of the scalar loop.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from graphwell.engines.layout import LANES

COLUMNS_AT_ONCE = 4


@intrinsic
def sum_neighbors(
    typing_context: Any,
    columns: Any,
    values: Any,
    words: Any,
    first: Any,
    stop: Any,
    row: Any,
    shift: Any,
    sums: Any,
) -> Any:
    """Write ``sum_j S_ij r_j`` over all neighbours and over those of the own class into `sums`.

    `words` packs the state of a vertex: its class above `shift` bits, its ``r`` in fixed point below.
    `row` is the first of the sixteen rows, `first` and `stop` bound the entries of their slice, `sums`
    has room for 2 x 16 values: the totals, then the own-class parts.
    """
    signature = types.void(columns, values, words, first, stop, row, shift, sums)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        def pointer(position: int) -> Any:
            kind = signature.args[position]
            return context.make_array(kind)(context, builder, args[position]).data

        index = ir.IntType(64)
        word = context.get_value_type(signature.args[2].dtype)
        real = context.get_value_type(signature.args[1].dtype)
        word_vector, real_vector = ir.VectorType(word, LANES), ir.VectorType(real, LANES)
        column_vector = ir.VectorType(ir.IntType(32), LANES)
        mask_vector = ir.VectorType(ir.IntType(1), LANES)
        lane_of_first = ir.Constant(column_vector, [0] * LANES)
        zeros = ir.Constant(real_vector, [0.0] * LANES)

        def splat(scalar: Any) -> Any:
            undefined = ir.Constant(ir.VectorType(scalar.type, LANES), ir.Undefined)
            single = builder.insert_element(undefined, scalar, ir.Constant(ir.IntType(32), 0))
            return builder.shuffle_vector(single, undefined, lane_of_first)

        def at(base: Any, offset: Any, vector: Any) -> Any:
            return builder.bitcast(builder.gep(base, [offset]), vector.as_pointer())

        def load(base: Any, offset: Any, vector: Any) -> Any:
            return builder.load(at(base, offset, vector), align=vector.element.get_abi_size(target) or 4)

        target = context.target_data
        columns_, values_, words_, sums_ = pointer(0), pointer(1), pointer(2), pointer(7)
        addresses = splat(words_)
        gather = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(word_vector, [addresses.type, ir.IntType(32), mask_vector, word_vector]),
            f"llvm.masked.gather.v{LANES}i{word.width}.v{LANES}p0",
        )
        alignment = ir.Constant(ir.IntType(32), word.width // 8)
        everywhere = ir.Constant(mask_vector, [1] * LANES)
        nothing = ir.Constant(word_vector, ir.Undefined)

        bits = builder.trunc(args[6], word) if word.width < 64 else args[6]
        shift_ = splat(bits)
        low = splat(builder.sub(builder.shl(ir.Constant(word, 1), bits), ir.Constant(word, 1)))
        own = builder.lshr(load(words_, args[5], word_vector), shift_)
        total = cgutils.alloca_once_value(builder, zeros)
        same = cgutils.alloca_once_value(builder, zeros)
        with cgutils.for_range_slice(builder, args[3], args[4], ir.Constant(index, LANES)) as (entry, _):
            neighbors = builder.sext(load(columns_, entry, column_vector), ir.VectorType(index, LANES))
            places = builder.gep(addresses, [neighbors], source_etype=word)
            states = builder.call(gather, [places, alignment, everywhere, nothing])
            r = builder.sitofp(builder.and_(states, low), real_vector)
            part = builder.fmul(load(values_, entry, real_vector), r)
            builder.store(builder.fadd(builder.load(total), part), total)
            alike = builder.icmp_signed("==", builder.lshr(states, shift_), own)
            own_part = builder.select(alike, part, zeros)
            builder.store(builder.fadd(builder.load(same), own_part), same)
        for place, result in ((0, total), (LANES, same)):
            where = at(sums_, ir.Constant(index, place), real_vector)
            builder.store(builder.load(result), where, align=4)
        return context.get_dummy_value()

    return signature, codegen


@intrinsic
def add_row(typing_context: Any, sums: Any, weight: Any, block: Any, first: Any, width: Any) -> Any:
    """Add `weight` times ``block.flat[first : first + width]`` to `sums`, a few values at a time."""
    signature = types.void(sums, weight, block, first, width)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        def pointer(position: int) -> Any:
            kind = signature.args[position]
            return context.make_array(kind)(context, builder, args[position]).data

        vector = ir.VectorType(context.get_value_type(signature.args[0].dtype), COLUMNS_AT_ONCE)
        undefined = ir.Constant(vector, ir.Undefined)
        zeros = ir.Constant(ir.VectorType(ir.IntType(32), COLUMNS_AT_ONCE), [0] * COLUMNS_AT_ONCE)
        single = builder.insert_element(undefined, args[1], ir.Constant(ir.IntType(32), 0))
        weights = builder.shuffle_vector(single, undefined, zeros)
        sums_, block_ = pointer(0), pointer(2)
        index = ir.IntType(64)
        start, step = ir.Constant(index, 0), ir.Constant(index, COLUMNS_AT_ONCE)
        with cgutils.for_range_slice(builder, start, args[4], step) as (column, _):
            place = builder.bitcast(builder.gep(sums_, [column]), vector.as_pointer())
            entry = builder.gep(block_, [builder.add(args[3], column)])
            values = builder.load(builder.bitcast(entry, vector.as_pointer()), align=4)
            total = builder.fadd(builder.load(place, align=4), builder.fmul(weights, values))
            builder.store(total, place, align=4)
        return context.get_dummy_value()

    return signature, codegen
