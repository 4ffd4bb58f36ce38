"""The inner loops of sweeps and products as vector code.

numba compiles a loop over scattered reads one element at a time. These intrinsics emit the same loops on
vectors; LLVM lowers them to the widest instructions the processor has, and to plain loads where it has
none. Entries are added in their stored order, so the sums are exactly those of the scalar loop.

Why by hand: numba's arrays may overlap for all that LLVM knows, so it will not turn reads at scattered
positions into one gather by itself. Sixteen rows side by side need no sum across lanes, which would change
the order of addition and with it the bits.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from graphwell.backends.conjugate_gradients import COLUMNS_AT_ONCE
from graphwell.backends.cpu.layout import LANES
from graphwell.graph.compiled import everywhere

INDEX = ir.IntType(64)
COLUMN = ir.IntType(32)


class _Emitter:
    """Writes vector instructions into a function that numba is compiling."""

    def __init__(self, context: Any, builder: Any, signature: Any, args: Any) -> None:
        self.context, self.builder, self.signature, self.args = context, builder, signature, args

    def element(self, position: int) -> Any:
        """Type of the elements of an argument."""
        return self.context.get_value_type(self.signature.args[position].dtype)

    def pointer(self, position: int) -> Any:
        """First element of an argument."""
        kind = self.signature.args[position]
        return self.context.make_array(kind)(self.context, self.builder, self.args[position]).data

    def splat(self, scalar: Any) -> Any:
        """The same scalar in every lane."""
        return everywhere(self.builder, scalar, LANES)

    def at(self, base: Any, offset: Any, vector: Any) -> Any:
        return self.builder.bitcast(self.builder.gep(base, [offset]), vector.as_pointer())

    def load(self, base: Any, offset: Any, vector: Any) -> Any:
        """Consecutive elements, aligned as single ones are."""
        size = vector.element.get_abi_size(self.context.target_data)
        return self.builder.load(self.at(base, offset, vector), align=size)

    def store(self, value: Any, base: Any, offset: Any) -> None:
        size = value.type.element.get_abi_size(self.context.target_data)
        self.builder.store(value, self.at(base, offset, value.type), align=size)

    def sum(self, vector: Any) -> Any:
        """A place for a running sum, at zero; LLVM keeps it in a register."""
        return cgutils.alloca_once_value(self.builder, ir.Constant(vector, [0.0] * vector.count))

    def add(self, place: Any, value: Any) -> None:
        self.builder.store(self.builder.fadd(self.builder.load(place), value), place)

    def neighbors(self, columns: Any, entry: Any) -> Any:
        """The sixteen positions that `columns` holds from `entry` on."""
        positions = self.load(columns, entry, ir.VectorType(COLUMN, LANES))
        return self.builder.sext(positions, ir.VectorType(INDEX, LANES))

    def gather(self, addresses: Any, positions: Any, element: Any) -> Any:
        """Elements at sixteen positions."""
        builder = self.builder
        places = builder.gep(addresses, [positions], source_etype=element)
        vector = ir.VectorType(element, LANES)
        mask = ir.VectorType(ir.IntType(1), LANES)
        size = element.get_abi_size(self.context.target_data)
        letter = "i" if isinstance(element, ir.IntType) else "f"
        function = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(vector, [addresses.type, COLUMN, mask, vector]),
            f"llvm.masked.gather.v{LANES}{letter}{8 * size}.v{LANES}p0",
        )
        everywhere, nothing = ir.Constant(mask, [1] * LANES), ir.Constant(vector, ir.Undefined)
        return builder.call(function, [places, ir.Constant(COLUMN, size), everywhere, nothing])


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
        emit = _Emitter(context, builder, signature, args)
        word, real = emit.element(2), ir.VectorType(emit.element(1), LANES)
        columns_, values_, words_, sums_ = (emit.pointer(position) for position in (0, 1, 2, 7))
        bits = builder.trunc(args[6], word) if word.width < 64 else args[6]
        low = builder.sub(builder.shl(ir.Constant(word, 1), bits), ir.Constant(word, 1))
        shift_, mask, addresses = emit.splat(bits), emit.splat(low), emit.splat(words_)
        own = builder.lshr(emit.load(words_, args[5], ir.VectorType(word, LANES)), shift_)
        total, same = emit.sum(real), emit.sum(real)
        with cgutils.for_range_slice(builder, args[3], args[4], ir.Constant(INDEX, LANES)) as (entry, _):
            states = emit.gather(addresses, emit.neighbors(columns_, entry), word)
            r = builder.sitofp(builder.and_(states, mask), real)
            part = builder.fmul(emit.load(values_, entry, real), r)
            emit.add(total, part)
            alike = builder.icmp_signed("==", builder.lshr(states, shift_), own)
            emit.add(same, builder.select(alike, part, ir.Constant(real, [0.0] * LANES)))
        emit.store(builder.load(total), sums_, ir.Constant(INDEX, 0))
        emit.store(builder.load(same), sums_, ir.Constant(INDEX, LANES))
        return context.get_dummy_value()

    return signature, codegen


@intrinsic
def move_rows(
    typing_context: Any,
    row: Any,
    sums: Any,
    offsets: Any,
    words: Any,
    following: Any,
    row_sums: Any,
    known: Any,
    fidelity: Any,
    phi: Any,
    pressure: Any,
    epsilon: Any,
    step_size: Any,
    implicit: Any,
    shift: Any,
) -> Any:
    """Move sixteen rows by one gradient step, from the sums of `sum_neighbors`; none changes class.

    Returns a bit for each that left its class, for the caller to find it another.
    """
    signature = types.int64(
        row, sums, offsets, words, following, row_sums, known, fidelity, phi, pressure, epsilon, step_size,
        implicit, shift,
    )  # fmt: skip

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        emit = _Emitter(context, builder, signature, args)
        element, word = emit.element(2), emit.element(3)
        real, whole = ir.VectorType(element, LANES), ir.VectorType(word, LANES)
        values = (0.0, 0.5, 1.0, 2.0, -0.5, -1.0)
        zero, half, one, two, minus_half, minus_one = (ir.Constant(real, [v] * LANES) for v in values)
        name = f"llvm.fabs.v{LANES}f{8 * element.get_abi_size(context.target_data)}"
        fabs = cgutils.get_or_insert_function(builder.module, ir.FunctionType(real, [real]), name)
        row_, first = args[0], ir.Constant(INDEX, 0)
        bits = builder.trunc(args[13], word) if word.width < 64 else args[13]
        unit = builder.shl(ir.Constant(word, 1), bits)
        scale = emit.splat(builder.sitofp(unit, element))
        eps, dt = emit.splat(args[10]), emit.splat(args[11])
        total = emit.load(emit.pointer(1), first, real)
        same = emit.load(emit.pointer(1), ir.Constant(INDEX, LANES), real)
        d, state = emit.load(emit.pointer(2), row_, real), emit.load(emit.pointer(3), row_, whole)
        row_sum, given, weight, mass = (
            emit.load(emit.pointer(position), row_, real) for position in (5, 6, 7, 8)
        )
        add, subtract, multiply, divide = builder.fadd, builder.fsub, builder.fmul, builder.fdiv
        size = builder.call(fabs, [d])
        side = builder.select(builder.fcmp_ordered(">=", d, zero), one, minus_one)
        own = builder.lshr(state, emit.splat(bits))
        place = own if word.width == 64 else builder.zext(own, ir.VectorType(INDEX, LANES))
        pressed = emit.gather(emit.splat(emit.pointer(9)), place, element)
        # sum_j S_ij (r_i +- r_j), equation (16): minus inside the class, plus across; then the pressure on
        # sizes
        pull = add(multiply(row_sum, subtract(half, size)), subtract(total, multiply(two, same)))
        pull = add(pull, multiply(multiply(two, mass), pressed))
        # F'(u_i) = f (f - 1) (2 f - 1), equation (17)
        slope = multiply(multiply(side, size), subtract(one, size))
        slope = multiply(slope, subtract(one, multiply(two, size)))
        # minus the gradient, equation (15), with r' = -side; the fidelity is explicit, or implicit along the
        # star
        force = subtract(multiply(multiply(eps, side), pull), divide(slope, eps))
        away = subtract(builder.sitofp(own, real), given)
        explicit = subtract(force, multiply(weight, add(away, d)))
        explicit = add(d, multiply(dt, explicit))
        outside = multiply(builder.fneg(side), subtract(one, size))
        along = builder.select(builder.fcmp_ordered("==", away, zero), d, outside)
        pin = multiply(dt, weight)
        step = subtract(multiply(dt, force), multiply(pin, along))
        pinned = add(d, divide(step, add(one, pin)))
        moved = builder.select(builder.trunc(args[12], ir.IntType(1)), pinned, explicit)
        r = builder.fptosi(multiply(subtract(half, builder.call(fabs, [moved])), scale), whole)
        emit.store(moved, emit.pointer(2), row_)
        emit.store(builder.or_(builder.shl(own, emit.splat(bits)), r), emit.pointer(4), row_)
        above = builder.fcmp_ordered(">=", moved, minus_half)
        left = builder.not_(builder.and_(above, builder.fcmp_ordered("<", moved, half)))  # NaN has left too
        return builder.zext(builder.bitcast(left, ir.IntType(LANES)), INDEX)

    return signature, codegen


@intrinsic
def sum_vector(
    typing_context: Any, columns: Any, values: Any, vector: Any, first: Any, stop: Any, sums: Any
) -> Any:
    """Write the products of sixteen rows with a vector into `sums`; `first` and `stop` bound their slice."""
    signature = types.void(columns, values, vector, first, stop, sums)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        emit = _Emitter(context, builder, signature, args)
        element = emit.element(1)
        real = ir.VectorType(element, LANES)
        columns_, values_, sums_ = (emit.pointer(position) for position in (0, 1, 5))
        addresses, total = emit.splat(emit.pointer(2)), emit.sum(real)
        with cgutils.for_range_slice(builder, args[3], args[4], ir.Constant(INDEX, LANES)) as (entry, _):
            there = emit.gather(addresses, emit.neighbors(columns_, entry), element)
            emit.add(total, builder.fmul(emit.load(values_, entry, real), there))
        emit.store(builder.load(total), sums_, ir.Constant(INDEX, 0))
        return context.get_dummy_value()

    return signature, codegen


@intrinsic
def sum_columns(
    typing_context: Any, columns: Any, values: Any, block: Any, first: Any, stop: Any, sums: Any
) -> Any:
    """Write the product of one row with a block of `COLUMNS_AT_ONCE` columns into `sums`."""
    signature = types.void(columns, values, block, first, stop, sums)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        emit = _Emitter(context, builder, signature, args)
        real, width = ir.VectorType(emit.element(1), COLUMNS_AT_ONCE), ir.Constant(INDEX, COLUMNS_AT_ONCE)
        columns_, values_, block_, sums_ = (emit.pointer(position) for position in (0, 1, 2, 5))
        total = emit.sum(real)
        with cgutils.for_range_slice(builder, args[3], args[4], ir.Constant(INDEX, LANES)) as (entry, _):
            neighbor = builder.sext(builder.load(builder.gep(columns_, [entry])), INDEX)
            weight = everywhere(builder, builder.load(builder.gep(values_, [entry])), COLUMNS_AT_ONCE)
            there = emit.load(block_, builder.mul(neighbor, width), real)
            emit.add(total, builder.fmul(weight, there))
        emit.store(builder.load(total), sums_, ir.Constant(INDEX, 0))
        return context.get_dummy_value()

    return signature, codegen
