"""The loops of conjugate gradients on one block of a graph, for `backends.blocks`, compiled by numba.

Vectors have rows for the positions of the layout and then for the halo. Products are rounded to a unit before
they are added up, so that the sums are exact and do not depend on how the rows are cut.
"""

from graphwell._types import FloatArray, IntArray
from graphwell.backends.cpu.layout import LANES
from graphwell.backends.cpu.systems import multiply
from graphwell.graph.compiled import compiled


@compiled(nogil=True)
def scale_entries(
    first_part: int,
    last_part: int,
    parts: IntArray,
    starts: IntArray,
    columns: IntArray,
    values: FloatArray,
    scaling: FloatArray,
    out: FloatArray,
) -> None:
    """Write the entries of ``A S A`` into `out`, `scaling` being the diagonal of ``A``."""
    for s in range(parts[first_part], parts[last_part]):
        for entry in range(starts[s], starts[s + 1]):
            row = s * LANES + (entry - starts[s]) % LANES
            out[entry] = scaling[row] * values[entry] * scaling[columns[entry]]


@compiled(nogil=True)
def apply(
    first_part: int,
    last_part: int,
    parts: IntArray,
    starts: IntArray,
    columns: IntArray,
    values: FloatArray,
    p: FloatArray,
    r: FloatArray,
    image: FloatArray,
    magnets: FloatArray,
    sums: FloatArray,
) -> None:
    """Write `p` less the matrix times `p` into `image` (w), and by part the sums of ``pw, rw, ww, rr``.

    `magnets`, one row for each of the four, round the products.
    """
    for part in range(first_part, last_part):
        multiply(part, part + 1, parts, starts, columns, values, p, image)
        found = sums[part]
        for row in range(parts[part] * LANES, parts[part + 1] * LANES):
            for c in range(p.shape[1]):
                a, b = float(p[row, c]), float(r[row, c])
                image[row, c] = p[row, c] - image[row, c]
                d = float(image[row, c])
                found[0, c] += (a * d + magnets[0, c]) - magnets[0, c]
                found[1, c] += (b * d + magnets[1, c]) - magnets[1, c]
                found[2, c] += (d * d + magnets[2, c]) - magnets[2, c]
                found[3, c] += (b * b + magnets[3, c]) - magnets[3, c]


@compiled(nogil=True)
def advance(
    first_row: int,
    last_row: int,
    x: FloatArray,
    r: FloatArray,
    p: FloatArray,
    image: FloatArray,
    step: FloatArray,
    ratio: FloatArray,
    moving: FloatArray,
) -> None:
    """Move `x` and `r` along `p`, and turn `p`, in place; where `moving` is 0, `p` becomes 0."""
    for i in range(first_row, last_row):
        for c in range(x.shape[1]):
            x[i, c] += step[c] * p[i, c]
            r[i, c] -= step[c] * image[i, c]
            p[i, c] = ratio[c] * p[i, c] + moving[c] * r[i, c]


@compiled(nogil=True)
def restrict_exactly(
    first: int,
    last: int,
    groups: IntArray,
    level: FloatArray,
    vectors: FloatArray,
    magnets: FloatArray,
    sums: FloatArray,
) -> None:
    """Add ``level * vectors`` of some rows to the sums of their groups; `magnets` round the products."""
    for row in range(first, last):
        group, factor = groups[row], float(level[row])
        for c in range(vectors.shape[1]):
            sums[group, c] += (factor * vectors[row, c] + magnets[c]) - magnets[c]


@compiled(nogil=True)
def condense_exactly(
    starts: IntArray,
    columns: IntArray,
    values: FloatArray,
    level: FloatArray,
    groups: IntArray,
    magnet: float,
    small: FloatArray,
) -> None:
    """Add what the matrix is between the levels of the groups to `small`; `magnet` rounds the products."""
    for s in range(len(starts) - 1):
        for entry in range(starts[s], starts[s + 1]):
            row, column = s * LANES + (entry - starts[s]) % LANES, columns[entry]
            product = float(level[row]) * level[column] * values[entry]
            small[groups[row], groups[column]] += (product + magnet) - magnet
