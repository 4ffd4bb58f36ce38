"""Cheeger cuts: the ratio cut (Szlam, Bresson 2010) and the normalised 1-cut (Hein, Setzer 2011)."""

from graphwell._random import Seed
from graphwell._types import BoolArray, FloatArray
from graphwell.estimators.baselines.clusterer import CutClusterer
from graphwell.estimators.registry import method
from graphwell.solve.cuts import Piece, cheeger_cut


@method(
    "ratio cheeger cut",
    "clusters of the smallest cut over their size, named by the labels",
    slow=True,
    sources=("szlam2010total", "hein2010inverse"),
)
class RatioCheegerCut(CutClusterer):
    """Clusters by the smallest Cheeger cut: the weight of the cut over the number of vertices of a side.

    Minimises ``TV(f) / |f - median(f)|_1``, whose minimum is ``min_A cut(A, B) / min(|A|, |B|)``, by the
    inverse power method from the second eigenvector, and from random functions where asked for. Then cuts
    the parts again, first the one whose cut leaves the lowest sum of ``cut / size`` over all parts.

    Source: A. Szlam, X. Bresson, "Total variation and Cheeger cuts", ICML 2010; the method of M. Hein,
    T. Buehler, "An inverse power method for nonlinear eigenproblems", NIPS 2010. Cost: a few hundred to some
    thousand passes over the edges for each cut. It needs to be told the number of clusters. It fails where
    the smallest cut is not between classes, above all at rows that hardly hang together with the others.

    Parameters
    ----------
    n_clusters : int, optional
        By default the number of classes, where labels are given.
    n_starts : int
        Starts of each cut: the second eigenvector, and random ones beyond the first.
    max_inner : int
        Steps of the inner problem at most.
    n_neighbors, scale_neighbor, metric, n_jobs
        As in `graphwell.DiffuseInterfaceClassifier`.
    random_state : int, Generator or RandomState, optional
        Seed of random starts.

    Examples
    --------
    >>> W = [[0, 2, 0, 0], [2, 0, 1, 0], [0, 1, 0, 3], [0, 0, 3, 0]]
    >>> RatioCheegerCut(2, metric="precomputed").fit_predict(W)
    array([0, 0, 1, 1])
    >>> RatioCheegerCut(metric="precomputed").fit(W, ["a", None, None, "b"]).transduction_
    array(['a', 'a', 'b', 'b'], dtype='<U1')
    """

    def __init__(
        self,
        n_clusters: int | None = None,
        n_neighbors: int = 10,
        scale_neighbor: int = 10,
        metric: str = "euclidean",
        *,
        n_starts: int = 1,
        max_inner: int = 640,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
        super().__init__(
            n_clusters, n_neighbors, scale_neighbor, metric, n_jobs=n_jobs, random_state=random_state
        )
        self.n_starts = n_starts
        self.max_inner = max_inner

    @property
    def _starts(self) -> int:
        return self.n_starts

    def _side(self, piece: Piece, start: FloatArray) -> BoolArray:
        return cheeger_cut(piece, start, self.max_inner)


@method(
    "normalised 1-cut",
    "clusters of the smallest cut over their volume, named by the labels",
    slow=True,
    sources=("hein2011beyond", "hein2010inverse"),
)
class NormalisedOneCut(RatioCheegerCut):
    """Clusters by the smallest normalised Cheeger cut: the weight of the cut over the volume of a side.

    As `RatioCheegerCut`, with the sum of the degrees in place of the number of vertices: minimises
    ``TV(f) / sum_i d_i |f_i - median(f)|``, whose minimum is ``min_A cut(A, B) / min(vol A, vol B)``.

    Source: M. Hein, S. Setzer, "Beyond spectral clustering: tight relaxations of balanced graph cuts",
    NIPS 2011. Cost, needs and failures: those of `RatioCheegerCut`, but rows that hardly hang together with
    the others have little volume and are cut off less often.

    Parameters
    ----------
    n_clusters, n_starts, max_inner, n_neighbors, scale_neighbor, metric, n_jobs, random_state
        As in `RatioCheegerCut`.

    Examples
    --------
    >>> W = [[0, 2, 0, 0], [2, 0, 1, 0], [0, 1, 0, 3], [0, 0, 3, 0]]
    >>> NormalisedOneCut(2, metric="precomputed").fit_predict(W)
    array([0, 0, 1, 1])
    """

    by_degree = True
