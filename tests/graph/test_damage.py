"""Damaged sparse matrices and pickles are refused before compiled code follows them."""

import pickle
from dataclasses import fields

import numpy as np
import pytest
from scipy import sparse

from graphwell import DiffuseInterfaceClassifier, Graph

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


@pytest.mark.parametrize("kind", ["csr", "csc", "bsr", "coo", "lil", "dok", "dia"])
def test_sound_matrices_of_every_format_pass(kind):
    assert Graph.from_affinity(chain(kind)).n_edges == 39


def test_a_matrix_whose_last_entries_are_unused_is_sound():
    matrix = chain()
    spare = sparse.csr_array(
        (np.r_[matrix.data, 7.0], np.r_[matrix.indices, FAR], matrix.indptr), matrix.shape
    )
    assert Graph.from_affinity(spare).n_edges == 39


@pytest.mark.parametrize("case", SPOILT)
def test_every_public_way_in_is_checked(case):
    wrong, y = spoil(*SPOILT[case]), np.r_[0, 1, np.full(38, -1)]
    fitted = DiffuseInterfaceClassifier(models=None, metric="precomputed", n_jobs=1).fit(chain(), y)
    on_features = DiffuseInterfaceClassifier(models=None, n_neighbors=3, n_jobs=1)
    for attack in (
        lambda: Graph.from_affinity(wrong),
        lambda: Graph.from_features(wrong),
        lambda: DiffuseInterfaceClassifier(models=None, metric="precomputed", n_jobs=1).fit(wrong, y),
        lambda: on_features.fit(wrong, y),
        lambda: fitted.predict(wrong),
    ):
        with pytest.raises(ValueError, match="damaged"):
            attack()


def test_a_graph_that_was_written_into_is_refused():
    graph = Graph.from_affinity(chain())
    graph.W.indices.flags.writeable = True
    graph.W.indices[5] = FAR
    with pytest.raises(ValueError, match="damaged"):
        DiffuseInterfaceClassifier(models=None, n_jobs=1).fit(graph, np.r_[0, 1, np.full(38, -1)])


rng = np.random.default_rng(0)
POINTS = {d: rng.normal(size=(300, d)) for d in (3, 12)}


def unpickled(value, **changed):
    """A value out of a pickle whose state somebody has changed."""
    state = value.__getstate__() if hasattr(value, "__getstate__") else dict(vars(value))
    again = object.__new__(type(value))
    again.__setstate__({**state, **changed})
    return again


@pytest.mark.parametrize("dimension", POINTS)
def test_a_graph_survives_its_pickle(dimension):
    graph = Graph.from_features(POINTS[dimension])
    graph.S, graph.components  # noqa: B018
    again = pickle.loads(pickle.dumps(graph))
    assert set(vars(again)) == {field.name for field in fields(Graph)}
    assert (again.W != graph.W).nnz == 0
    new = rng.normal(size=(20, dimension))
    assert (again.affinity_to(new) != graph.affinity_to(new)).nnz == 0
    assert np.array_equal(pickle.loads(pickle.dumps(graph.sharpened(2))).S.data, graph.sharpened(2).S.data)
    with pytest.raises(ValueError, match="no pickled graph of this version"):
        unpickled(graph, more=1)
    W = graph.W.copy()
    W.indices[7] = FAR
    for spoilt in (W, np.eye(3)):
        with pytest.raises(ValueError, match=r"damaged|needs a square CSR matrix"):
            unpickled(graph, W=spoilt)


def test_a_forged_classifier_is_refused():
    y = np.where(np.arange(300) < 6, np.arange(300) % 2, -1)
    fitted = DiffuseInterfaceClassifier(models=None, n_jobs=1).fit(POINTS[3], y)
    assert (pickle.loads(pickle.dumps(fitted)).predict(POINTS[3]) == fitted.predict(POINTS[3])).all()
    short = {name: np.ones(2, dtype=bool) for name in ("_given", "reachable_", "bridged_")}
    for changed in (*({name: value} for name, value in short.items()), {"_predictor": "x"}):
        with pytest.raises(ValueError, match="damaged; fit it anew"):
            unpickled(fitted, **changed)
    shorter = fitted._predictor.distributions[:10]
    with pytest.raises(ValueError, match="damaged; fit it anew"):
        unpickled(fitted._predictor, distributions=shorter)
    lacking = {name: value for name, value in vars(fitted._predictor).items() if name != "order"}
    with pytest.raises(ValueError, match="of another version; fit it anew"):
        type(fitted._predictor).__new__(type(fitted._predictor)).__setstate__(lacking)


def test_a_pickle_of_another_version_is_refused_in_a_sentence():
    with pytest.raises(ModuleNotFoundError, match="a pickle that names it is of another version; fit anew"):
        pickle.loads(b"cgraphwell.graph.neighbors\nFlatSearch\n.")
