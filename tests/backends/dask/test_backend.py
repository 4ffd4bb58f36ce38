"""The classifier on Dask arrays: the answers of one machine, in blocks."""

import pickle

import dask.array as da
import numpy as np
import pytest

from graphwell import BridgedWarning, DiffuseInterfaceClassifier, Graph, Status
from graphwell.backends.registry import backend_of_rows
from tests.backends.dask.cases import QUICK, SHORT, fitted, in_order, rows_and_labels

pytestmark = pytest.mark.slow  # a fit or two on a cluster each


@pytest.fixture(scope="module")
def data():
    return rows_and_labels()


@pytest.mark.parametrize(
    "parameters",
    [
        {"step_size": 2.0},
        {"start": "nearest", "schedule": SHORT},
        {"start": "random", "schedule": SHORT, "metric": "cosine"},
        {"start": "diffusion", "class_prior": [0.5, 0.25, 0.25], "step_size": 2.0},
        {"start": "diffusion", "schedule": SHORT, "n_neighbors": 5, "scale_neighbor": 3, "fidelity": 3.0},
    ],
)
def test_labels_are_those_of_one_machine(client, data, parameters):
    X, y, truth = data
    if "class_prior" in parameters:  # which classes are told apart by
        prior = {"class_prior": parameters["class_prior"]}
        (X, y, _), classes = in_order(X, y, truth, **prior)
        parameters = {**parameters, "class_prior": np.array(prior["class_prior"])[classes].tolist()}
    one = fitted(X, y, **parameters)
    rows = da.from_array(X, chunks=((250, 0, 250, 100), 10))
    many = fitted(rows, y, **parameters)
    assert backend_of_rows(many.transduction_) == "dask"
    assert many.transduction_.chunks == (rows.chunks[0],)
    assert many.label_distributions_.chunks == (rows.chunks[0], (3,))
    np.testing.assert_array_equal(many.transduction_.compute(), one.transduction_)
    np.testing.assert_allclose(many.label_distributions_.compute(), one.label_distributions_, atol=1e-4)
    assert many.reachable_.compute().all()
    assert many.result_.status is one.result_.status
    assert many.n_iter_ == one.n_iter_
    assert many.result_.energies == pytest.approx(one.result_.energies, rel=1e-4)
    assert set(many.timings_) - {"tuning"} == {"graph", "start", "descent"}


def test_names_as_labels_in_a_dask_array_and_rows_in_a_part_without_any(client, data):
    X, y, _ = data
    X = np.vstack([X, X[:30] + 1e3])
    names = np.array(["ant", "bee", "cat", None], dtype=object)[np.concatenate([y, np.full(30, -1)])]
    with pytest.warns(BridgedWarning, match=r"30 of 630 rows lie in 1 component of the graph"):
        many = fitted(da.from_array(X, chunks=(300, 10)), da.from_array(names, chunks=400), **QUICK)
    with pytest.warns(BridgedWarning):
        one = fitted(X, names, **QUICK)
    np.testing.assert_array_equal(many.transduction_.compute(), one.transduction_)
    np.testing.assert_array_equal(many.bridged_.compute(), np.arange(630) >= 600)
    np.testing.assert_allclose(many.label_distributions_[-1].compute(), one.label_distributions_[-1])


@pytest.mark.filterwarnings("ignore:All known labels are")
def test_one_class_and_progress(client, data):
    X, y, _ = data
    stages = []
    classifier = DiffuseInterfaceClassifier(models=None, random_state=0, **QUICK)
    classifier.fit(da.from_array(X, chunks=(200, 10)), y, progress=lambda stage, share: stages.append(stage))
    assert list(dict.fromkeys(stages)) == ["neighbours", "start", "descent"]
    assert stages.count("descent") == 4
    alone = fitted(da.from_array(X, chunks=(200, 10)), np.where(y == 0, 0, -1))
    assert alone.result_.status is Status.ONE_CLASS
    assert (alone.transduction_.compute() == 0).all()


def test_what_needs_one_machine_is_refused(client, data):
    X, y, _ = data
    with pytest.raises(ValueError, match="callback needs rows of one machine; on a cluster progress is told"):
        DiffuseInterfaceClassifier(**QUICK).fit(blocks(X), y, callback=print)
    with pytest.raises(ValueError, match='metric="precomputed" works on one machine, and X is a Dask array'):
        fitted(da.ones((12, 12)), np.arange(12) % 2, metric="precomputed")


def blocks(X):
    return da.from_array(X, chunks=(200, X.shape[1]))


def test_a_fit_is_stored_and_used_without_the_cluster(cluster, data):
    from distributed import Client

    X, y, _ = data
    with Client(cluster):
        many = fitted(blocks(X), y, **QUICK)
        stored = pickle.dumps(many)
        expected = many.transduction_.compute()
    alone = pickle.loads(stored)
    one = fitted(X, y, **QUICK)
    np.testing.assert_array_equal(alone.transduction_, expected)
    assert isinstance(alone.label_distributions_, np.ndarray)
    new = X[:50] + 0.1
    np.testing.assert_array_equal(alone.predict(new), one.predict(new))
    np.testing.assert_allclose(alone.predict_proba(new), one.predict_proba(new), atol=1e-6)
    np.testing.assert_array_equal(alone.doubtful(7), one.doubtful(7))
    assert type(alone.graph_) is Graph
    np.testing.assert_allclose(alone.graph_.W.toarray(), one.graph_.W.toarray(), rtol=1e-6)
    again = pickle.loads(pickle.dumps(alone))
    np.testing.assert_array_equal(again.predict(new), one.predict(new))


def test_the_graph_after_a_fit_is_that_of_one_machine(client, data):
    X, y, _ = data
    one, many = fitted(X, y, **QUICK).graph_, fitted(blocks(X), y, **QUICK).graph_
    np.testing.assert_array_equal(many.components, one.components)
    np.testing.assert_array_equal(many.W.toarray(), one.W.toarray())
    for name in ("S", "L", "L_s"):
        np.testing.assert_allclose(getattr(many, name).toarray(), getattr(one, name).toarray(), rtol=1e-12)
    assert (many.n_edges, many.n_vertices, many.n_components) == (
        one.n_edges,
        one.n_vertices,
        one.n_components,
    )
    np.testing.assert_array_equal(many.isolated, one.isolated)
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        _ = many.nonsense


def test_a_cluster_judges_on_a_sample(client, data):
    X, _, truth = data
    (X, y, _), _ = in_order(X, np.where(np.arange(600) % 12 == 0, truth, -1), truth)
    assert np.bincount(y[y >= 0]).min() >= 10
    many, one = (fitted(rows, y, models="auto") for rows in (blocks(X), X))
    assert many.tuning_ == one.tuning_
    assert many.accuracy_ == one.accuracy_
    assert len(many.models_[many.models_.weight > 0]) > 1
    assert many.timings_["tuning"] > 0
    np.testing.assert_array_equal(many.transduction_.compute(), one.transduction_)
    np.testing.assert_allclose(many.label_distributions_.compute(), one.label_distributions_, atol=1e-4)
    new = X[:50] + 0.1
    np.testing.assert_allclose(many.predict_proba(new), one.predict_proba(new), atol=1e-4)
    np.testing.assert_allclose(
        many.predict_proba(da.from_array(new, chunks=(20, 10))).compute(), one.predict_proba(new), atol=1e-4
    )
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(many)).predict(new), one.predict(new))


def test_new_rows_are_answered_block_by_block(client, data):
    X, y, _ = data
    one, many = fitted(X, y, **QUICK), fitted(da.from_array(X, chunks=(200, 10)), y, **QUICK)
    new = X[:90] + 0.2
    rows = da.from_array(new, chunks=(40, 10))
    scores = many.predict_proba(rows)
    assert scores.chunks == ((40, 40, 10), (3,))
    np.testing.assert_allclose(scores.compute(), one.predict_proba(new), atol=1e-6)
    assert many.predict(rows).chunks == ((40, 40, 10),)
    np.testing.assert_array_equal(many.predict(rows).compute(), one.predict(new))
    np.testing.assert_array_equal(many.predict(new), one.predict(new))
    np.testing.assert_allclose(many.predict_proba(new[:1]), one.predict_proba(new[:1]), atol=1e-6)
    np.testing.assert_array_equal(many.doubtful(5), one.doubtful(5))


def test_bad_new_rows_get_one_sentence(client, data):
    X, y, _ = data
    many = fitted(da.from_array(X, chunks=(200, 10)), y, schedule=SHORT, start="random")
    with pytest.raises(
        ValueError, match="X has 3 features, but DiffuseInterfaceClassifier is expecting 10 features"
    ):
        many.predict(X[:, :3])
    with pytest.raises(ValueError, match="X contains NaN"):
        many.predict(np.full((1, 10), np.nan))
    with pytest.raises(ValueError, match="y has 3 labels but X has 600 rows"):
        fitted(da.from_array(X, chunks=(200, 10)), [0, 1, -1])
