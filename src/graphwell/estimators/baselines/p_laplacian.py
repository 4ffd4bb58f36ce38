"""Clusters by the graph p-Laplacian (Buehler, Hein 2009)."""

from graphwell._random import Seed
from graphwell._types import BoolArray, FloatArray
from graphwell.estimators.baselines.clusterer import CutClusterer
from graphwell.estimators.registry import method
from graphwell.solve.cuts import Piece, best_threshold, p_eigenfunction


@method(
    "p-laplacian",
    "clusters by thresholds of p-eigenfunctions, named by the labels",
    slow=True,
    sources=("buehler2009spectral",),
)
class PLaplacianClustering(CutClusterer):
    """Clusters by the second eigenfunction of the p-Laplacian, cut at its best threshold, and again.

    Minimises ``sum_edges w |f_i - f_j|^p / min_c |f - c|_p^p``, from the second eigenvector at ``p = 2`` down
    to the `p` that is asked for, by a tenth at a time. The threshold is that of the lowest ratio Cheeger cut.

    Source: T. Buehler, M. Hein, "Spectral clustering based on the graph p-Laplacian", ICML 2009. Cost: some
    two hundred passes over the edges for each cut. It needs to be told the number of clusters. It fails near
    ``p = 1``, where the problem is stiff, and where the smallest cut is not between classes.

    Parameters
    ----------
    n_clusters : int, optional
        By default the number of classes, where labels are given.
    p : float
        Above 1, at most 2; 2 is spectral clustering by thresholds.
    max_iter : int
        Iterations for each p on the way.
    n_neighbors, scale_neighbor, metric, n_jobs, random_state
        As in `graphwell.DiffuseInterfaceClassifier`.

    Examples
    --------
    >>> W = [[0, 2, 0, 0], [2, 0, 1, 0], [0, 1, 0, 3], [0, 0, 3, 0]]
    >>> PLaplacianClustering(2, metric="precomputed").fit_predict(W).tolist() in ([0, 0, 1, 1], [1, 1, 0, 0])
    True
    """

    def __init__(
        self,
        n_clusters: int | None = None,
        n_neighbors: int = 10,
        scale_neighbor: int = 10,
        metric: str = "euclidean",
        *,
        p: float = 1.2,
        max_iter: int = 30,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
        super().__init__(
            n_clusters, n_neighbors, scale_neighbor, metric, n_jobs=n_jobs, random_state=random_state
        )
        self.p = p
        self.max_iter = max_iter

    def _side(self, piece: Piece, start: FloatArray) -> BoolArray:
        return best_threshold(piece, p_eigenfunction(piece, start, self.p, self.max_iter))
