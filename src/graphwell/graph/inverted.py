"""The parts of an inverted file: centres of cells, and the search of cells that are already known."""

from typing import Any

import numpy as np

from graphwell._types import FloatArray, IntArray


def flat_index(points: FloatArray) -> Any:
    """A faiss index that compares with every point."""
    import faiss

    index = faiss.IndexFlatL2(points.shape[1])
    index.add(np.ascontiguousarray(points, dtype=np.float32))
    return index


def k_means_centres(sample: FloatArray, cells: int) -> FloatArray:
    """Centres of cells, by k-means on a sample."""
    import faiss

    means = faiss.Kmeans(
        sample.shape[1], cells, niter=5, seed=1234, min_points_per_centroid=1, max_points_per_centroid=2**30
    )
    means.train(np.ascontiguousarray(sample, dtype=np.float32))
    return np.asarray(means.centroids)


class CellSearch:
    """Searches cells that are already known: the part of an inverted file that one worker holds.

    Parameters
    ----------
    centres : array of shape (n_cells, d)
        Of all cells, this part's and others'.
    scaled : array of shape (n, d)
        The points of this part, scaled.
    cell_of : array of shape (n,)
        The cell of each.
    scaling : callable
        What scales rows like the points.
    """

    def __init__(self, centres: FloatArray, scaled: FloatArray, cell_of: IntArray, scaling: Any) -> None:
        import faiss

        self.scaling = scaling
        self.index: Any = faiss.IndexIVFFlat(flat_index(centres), centres.shape[1], len(centres))
        scaled, assigned = np.ascontiguousarray(scaled), np.ascontiguousarray(cell_of, dtype=np.int64)
        self.index.add_core(len(scaled), faiss.swig_ptr(scaled), None, faiss.swig_ptr(assigned))

    def find(self, rows: FloatArray, cells: IntArray, k: int) -> IntArray:
        """The `k` nearest points of each row in the cells listed for it; -1 for none in either."""
        self.index.nprobe = cells.shape[1]
        unused = np.zeros(cells.shape, dtype=np.float32)
        return np.asarray(
            self.index.search_preassigned(self.scaling(rows), k, cells.astype(np.int64), unused)[1]
        )

    def __getstate__(self) -> dict[str, Any]:
        import faiss

        return {"scaling": self.scaling, "index": faiss.serialize_index(self.index)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        import faiss

        self.scaling, self.index = state["scaling"], faiss.deserialize_index(state["index"])
