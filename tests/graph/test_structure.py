"""Sparse matrices that lie about their indices never reach compiled code."""

import numpy as np
import pytest
from scipy import sparse

from graphwell import DiffuseInterfaceClassifier, Graph
from graphwell.graph.structure import sound_sparse

FAR = 10**9


def chain(kind="csr", n=40):
    weights = np.ones(n - 1)
    return sparse.diags_array([weights, weights], offsets=[-1, 1], shape=(n, n)).asformat(kind)


def spoil(kind, attribute, value):
    matrix = chain(kind)
    if kind == "coo":
        coordinates = [c.copy() for c in matrix.coords]
        coordinates[attribute][3] = value
        matrix.coords = tuple(coordinates)
    else:
        getattr(matrix, attribute)[3] = value
    return matrix


SPOILT = {
    "csr index too high": ("csr", "indices", FAR),
    "csr index negative": ("csr", "indices", -FAR),
    "csr pointer falls": ("csr", "indptr", -5),
    "csr pointer beyond the end": ("csr", "indptr", FAR),
    "csr pointer at the lowest": ("csr", "indptr", -(2**31)),
    "csc index too high": ("csc", "indices", FAR),
    "bsr index too high": ("bsr", "indices", FAR),
    "coo row too high": ("coo", 0, FAR),
    "coo column negative": ("coo", 1, -7),
    "lil column too high": ("lil", "rows", [FAR]),
    "lil rows without data": ("lil", "rows", [1, 2, 3, 4]),
}


@pytest.mark.parametrize("case", SPOILT)
def test_indices_out_of_range_get_a_sentence(case):
    with pytest.raises(ValueError, match=r"is a sparse matrix with .*; it is damaged"):
        sound_sparse(spoil(*SPOILT[case]), "X")


@pytest.mark.parametrize("kind", ["csr", "csc", "bsr", "coo", "lil", "dok", "dia"])
def test_sound_matrices_of_every_format_pass(kind):
    assert (abs(sound_sparse(chain(kind), "X") - chain()).sum()) == 0
    assert Graph.from_affinity(chain(kind)).n_edges == 39


def test_a_matrix_whose_last_entries_are_unused_is_sound():
    matrix = chain()
    spare = sparse.csr_array(
        (np.r_[matrix.data, 7.0], np.r_[matrix.indices, FAR], matrix.indptr), matrix.shape
    )
    assert sound_sparse(spare, "X") is spare


@pytest.mark.parametrize("case", SPOILT)
def test_every_public_way_in_is_checked(case):
    wrong, y = spoil(*SPOILT[case]), np.r_[0, 1, np.full(38, -1)]
    fitted = DiffuseInterfaceClassifier(metric="precomputed", n_jobs=1).fit(chain(), y)
    on_features = DiffuseInterfaceClassifier(n_neighbors=3, n_jobs=1)
    for attack in (
        lambda: Graph.from_affinity(wrong),
        lambda: Graph.from_features(wrong),
        lambda: DiffuseInterfaceClassifier(metric="precomputed", n_jobs=1).fit(wrong, y),
        lambda: on_features.fit(wrong, y),
        lambda: fitted.predict(wrong),
    ):
        with pytest.raises(ValueError, match="damaged"):
            attack()


def test_a_graph_cannot_be_made_of_a_damaged_matrix():
    for case in ("csr index too high", "csr pointer beyond the end"):
        with pytest.raises(ValueError, match="damaged"):
            Graph(spoil(*SPOILT[case]))
    with pytest.raises(ValueError, match="CSR"):
        Graph(chain("coo"))
    with pytest.raises(ValueError, match="CSR"):
        Graph(np.eye(3))


def test_a_graph_that_was_written_into_is_refused():
    graph = Graph.from_affinity(chain())
    graph.W.indices.flags.writeable = True
    graph.W.indices[5] = FAR
    with pytest.raises(ValueError, match="damaged"):
        DiffuseInterfaceClassifier(n_jobs=1).fit(graph, np.r_[0, 1, np.full(38, -1)])
