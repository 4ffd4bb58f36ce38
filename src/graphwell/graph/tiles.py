"""Matrix products of rows with packed points, a tile at a time, as vector code.

A tile is some rows times `TILE_POINTS` points. Its sums stay in registers until they are done. Terms are
added in the order of the features: what comes of a row and a point does not depend on those around them. A
library's products would take seconds to compile.
"""

from typing import Any

import numpy as np
from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from graphwell._types import FloatArray
from graphwell.graph.compiled import inner
from graphwell.graph.lanes import LANES, everywhere, lanes_at

TILE_POINTS = 16
TILE_ROWS = 12 if binding.get_host_cpu_features().get("avx512f") else 6
"""Rows of a tile: as many as leave all its sums in registers."""
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
