"""Checks before any work begins: features, affinities, numbers of neighbours, indices of sparse matrices.

SciPy and compiled loops follow stored indices without looking, so these are looked at first.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_array

from graphwell._checks import as_readable, whole_number
from graphwell._types import FloatArray
from graphwell.errors import Sentence, warn_user
from graphwell.graph.weights import WEIGHT_FLOOR, index_dtype

# Distances between larger ones overflow. A plain float would be cast to the type of the rows.
LARGEST_FEATURE = np.float64(1e150)
# Sums and squares of larger ones overflow.
LARGEST_AFFINITY = 1e100
# Largest affinities beyond these become 1: squares and roots are taken of them in single precision.
SMALL_AFFINITY, LARGE_AFFINITY = 1e-3, 1e6
SYMMETRY_TOLERANCE = 1e-6
ROWS_AT_ONCE = 65_536
TOO_LARGE = f"X holds values beyond {LARGEST_FEATURE:g}; rescale the features."
# Parts of the errors of NumPy and scikit-learn, and sentences that say what to do.
REFUSED = {
    "complex": "Complex data not supported: X is complex; give its parts as columns.",
    "contains NaN": "Input X contains NaN. Leave out such rows; fit fills the gaps of a data frame.",
    "got 1D array": "Expected 2D array, got 1D array instead. Reshape your data: X[:, None] is one column.",
    "too large to convert": TOO_LARGE,
}


def read_features(X: Any, at_least: int = 2) -> Any:
    """Rows of features as a dense array or a CSR matrix, checked."""
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # what becomes infinite is refused
            X = check_array(
                as_readable(sound_sparse(X, "X"), "X"),
                accept_sparse="csr",
                dtype=[np.float64, np.float32],
                ensure_min_samples=at_least,
                input_name="X",
            )
    except Exception as error:
        for part, told in REFUSED.items():
            if part in str(error):
                raise ValueError(told) from error
        if type(error).__module__.partition(".")[0] not in ("polars", "pyarrow"):
            raise
        raise ValueError(f"X holds columns that NumPy cannot read as numbers: {error}.") from error
    check_range(float(X.max()), float(X.min()), alone=at_least > 1)
    return X


def check_range(largest: float, smallest: float, *, alone: bool) -> None:
    """Refuse values whose squares overflow, or vanish where rows are compared with each other alone."""
    size = max(largest, -smallest)
    if size > LARGEST_FEATURE:
        raise ValueError(TOO_LARGE)
    if alone and 0 < size < 1 / LARGEST_FEATURE:
        raise ValueError(
            f"X holds no value beyond {1 / LARGEST_FEATURE:g}: distances vanish; rescale the features."
        )


def neighbor_counts(
    n_neighbors: Any, scale_neighbor: Any, n_rows: int, warn: Callable[[Sentence], object] = warn_user
) -> tuple[int, int]:
    """Numbers of neighbours that there are, with a warning where the first had to be reduced."""
    wanted, most = whole_number("n_neighbors", n_neighbors), n_rows - 1
    if wanted > most:
        note = f"{{n_neighbors={wanted}}} is reduced to {most}: there are no more other rows."
        warn(Sentence(note))
    return min(wanted, most), min(whole_number("scale_neighbor", scale_neighbor), most)


def rows_differ(points: FloatArray) -> bool:
    """Whether some row is another than the first; they are looked at in batches, which is soon over."""
    batches = range(0, len(points), ROWS_AT_ONCE)
    return any(bool(np.any(points[first : first + ROWS_AT_ONCE] != points[0])) for first in batches)


def check_points(largest: float, smallest: float, differ: bool) -> None:
    """Refuse points that no graph can be made of."""
    check_range(largest, smallest, alone=True)
    if not differ:
        raise ValueError("X has only identical rows; check the features, no graph can tell the rows apart.")


def symmetric_matrix(W: Any) -> Any:
    """Return a matrix of affinities as a symmetric CSR array with an empty diagonal and sorted indices."""
    library, kind = type(W).__module__.partition(".")[0], type(W).__name__
    if library in ("networkx", "igraph"):  # edges with a direction have to lose it
        told, graph = "", "W"
        if W.is_directed():
            told = ", whose edges have a direction, which affinities have not"
            graph = "W.to_undirected()" if library == "networkx" else "W.as_undirected()"
        converted = {"networkx": f"networkx.to_scipy_sparse_array({graph})"}
        matrix = converted.get(library, f"{graph}.get_adjacency_sparse()")
        raise ValueError(f"W is a {kind} of {library}{told}; give {matrix}.")
    W = W if sparse.issparse(W) else np.asarray(W)
    if W.ndim != 2:
        raise ValueError(f"The affinity matrix must have two dimensions, got {W.ndim}.")
    W = _real_csr(W, "The affinity matrix")
    W.sum_duplicates()
    check_affinities(W.data)
    if W.shape[0] != W.shape[1]:
        raise ValueError(f"The affinity matrix must be square, got shape {W.shape}.")
    if W.shape[0] < 2:
        raise ValueError(f"The affinity matrix needs at least 2 vertices, got {W.shape[0]} sample.")
    asymmetry = abs(W - W.T)
    if asymmetry.nnz and asymmetry.max() > SYMMETRY_TOLERANCE * max(W.max(), WEIGHT_FLOOR):
        raise ValueError("The affinity matrix must be symmetric; use (W + W.T) / 2 or W.maximum(W.T).")
    upper = sparse.triu(W, 1, format="csr")
    W = (upper + upper.T).tocsr()
    W.eliminate_zeros()
    largest = float(W.data.max(initial=0.0))
    if largest and not SMALL_AFFINITY < largest < LARGE_AFFINITY:  # to about 1, without rounding
        W.data = np.ldexp(W.data, -int(np.frexp(largest)[1]))
    dtype = index_dtype(W.shape[0], W.nnz)
    W.indices, W.indptr = W.indices.astype(dtype), W.indptr.astype(dtype)
    W.sort_indices()
    return W


def read_new_affinities(X: Any, n: int) -> Any:
    """Affinities of new rows to `n` fitted ones as a CSR array, checked."""
    X = _real_csr(X, "X")
    if X.shape[1] != n:
        raise ValueError(
            f"X must hold the affinities of each new row to the {n} fitted rows, got {X.shape[1]} columns."
        )
    if not np.isfinite(X.data).all() or X.data.min(initial=0.0) < 0:
        raise ValueError("X must hold affinities that are finite and not negative.")
    check_affinities(X.data, "X")
    return X


def _real_csr(matrix: Any, name: str) -> Any:
    """A copy of a matrix of real numbers in CSR form."""
    matrix = sound_sparse(matrix, name)
    if np.iscomplexobj(matrix):
        raise ValueError(f"{name} is complex; give real affinities, its absolute values say.")
    try:
        return sparse.csr_array(matrix, dtype=np.float64, copy=True)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must hold numbers only.") from error
    except OverflowError as error:
        raise ValueError(f"{name} holds values beyond {LARGEST_AFFINITY:g}; divide it.") from error


def check_affinities(values: FloatArray, name: str = "The affinity matrix") -> None:
    """Refuse values that are no affinities."""
    if not np.isfinite(values).all():
        raise ValueError(f"{name} holds NaN or infinite values; remove those edges first.")
    if len(values) and values.min() < 0:
        raise ValueError(f"{name} holds negative values; affinities must be zero or positive.")
    if len(values) and float(values.max()) > LARGEST_AFFINITY:
        raise ValueError(f"{name} holds values beyond {LARGEST_AFFINITY:g}; divide it by its largest one.")


def sound_sparse(matrix: Any, name: str) -> Any:
    """Return a sparse matrix whose stored indices have been checked; any other object as it is."""
    if not sparse.issparse(matrix):
        return matrix
    if matrix.ndim != 2:
        raise ValueError(f"{name} must have two dimensions, got {matrix.ndim}.")
    try:
        if matrix.format == "lil":  # SciPy takes the lengths of one half for those of the other
            lengths = [[len(row) for row in half] for half in (matrix.rows, matrix.data)]
            if lengths[0] != lengths[1] or len(lengths[0]) != matrix.shape[0]:
                raise ValueError("rows and data differ")
            matrix = matrix.tocsr()
        elif matrix.format not in ("csr", "csc", "bsr"):
            matrix = matrix.tocoo()
            return sparse.coo_array((matrix.data, matrix.coords), shape=matrix.shape)  # looks at them
    except (AttributeError, IndexError, TypeError, ValueError, OverflowError) as error:
        raise _damaged(name) from error
    return sound_compressed(matrix, name)


def sound_compressed(matrix: Any, name: str) -> Any:
    """A CSR, CSC or BSR matrix of the same arrays; refused if a stored index leads outside of it."""
    kind = {"csr": sparse.csr_array, "csc": sparse.csc_array, "bsr": sparse.bsr_array}[matrix.format]
    try:
        sound = kind((matrix.data, matrix.indices, matrix.indptr), shape=matrix.shape)
        sound.check_format(full_check=True)
        if sound.indptr.min() < 0:  # the differences that SciPy looks at could overflow
            raise ValueError("row pointers are negative")
    except (TypeError, ValueError, OverflowError) as error:
        raise _damaged(name) from error
    return sound


def _damaged(name: str) -> ValueError:
    told = "is a sparse matrix whose stored entries do not fit its shape; it is damaged, build it anew."
    return ValueError(f"{name} {told}")


def frozen(matrix: Any) -> Any:
    """Make a sparse matrix read-only."""
    for array in (matrix.data, matrix.indices, matrix.indptr):
        read_only(array)
    return matrix


def read_only(array: Any) -> Any:
    """Make an array read-only."""
    array.flags.writeable = False
    return array
