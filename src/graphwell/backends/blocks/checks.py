"""Whether a block of rows is what its array says of it."""

from typing import Any

import numpy as np

from graphwell._types import FloatArray


def checked_block(rows: Any, length: int, *, n_features: int) -> Any:
    """A block that is what its array says of it; compiled code would read beyond a smaller one."""
    if not isinstance(rows, np.ndarray):
        rows = rows.toarray() if hasattr(rows, "toarray") else np.asarray(rows)
    if rows.shape != (length, n_features):
        raise ValueError(
            f"A block of X has the shape {rows.shape} where the array says ({length}, {n_features}); "
            "correct the chunks, by X.compute_chunk_sizes() say."
        )
    if rows.dtype.kind not in "biuf":
        raise ValueError(f"A block of X must hold real numbers, got the type {rows.dtype}.")
    return rows


def inspect(rows: FloatArray) -> tuple[int, FloatArray, FloatArray, FloatArray]:
    """Number of values that are not finite; range and sum of each feature."""
    bad = int(rows.size - np.isfinite(rows).sum())
    if bad:
        nothing = np.zeros(rows.shape[1])
        return bad, nothing, nothing, nothing
    return bad, rows.min(axis=0), rows.max(axis=0), rows.sum(axis=0, dtype=np.float64)
