"""The estimator on Dask arrays: the answers of one machine, in blocks."""

import dask
import dask.array as da
import numpy as np
import pytest

from graphwell import Annealed, DiffuseInterfaceClassifier, Status
from graphwell.backends.dask import is_dask
from graphwell.estimators.base import UnreachableWarning

SHORT = Annealed(2.0, 0.5, ratio=0.5, sweeps=4)
QUICK = {"start": "nearest", "schedule": SHORT}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=600)
    X = rng.normal(size=(600, 10)) + 3 * np.eye(10)[truth]
    return X, np.where(np.arange(600) % 30 == 0, truth, -1), truth


def fitted(X, y, **parameters):
    return DiffuseInterfaceClassifier(**{"random_state": 0, "n_jobs": 1, **parameters}).fit(X, y)


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
    X, y, _ = data
    one = fitted(X, y, **parameters)
    rows = da.from_array(X, chunks=((250, 0, 250, 100), 10))
    many = fitted(rows, y, **parameters)
    assert is_dask(many.transduction_)
    assert many.transduction_.chunks == (rows.chunks[0],)
    assert many.label_distributions_.chunks == (rows.chunks[0], (3,))
    np.testing.assert_array_equal(many.transduction_.compute(), one.transduction_)
    np.testing.assert_allclose(many.label_distributions_.compute(), one.label_distributions_, atol=1e-4)
    assert many.reachable_.compute().all()
    assert many.result_.status is one.result_.status
    assert many.n_iter_ == one.n_iter_
    assert many.result_.energies == pytest.approx(one.result_.energies, rel=1e-4)
    assert set(many.timings_) == {"graph", "start", "descent"}


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


def test_names_as_labels_in_a_dask_array_and_rows_that_no_label_reaches(client, data):
    X, y, _ = data
    X = np.vstack([X, X[:30] + 1e3])
    names = np.array(["ant", "bee", "cat", None], dtype=object)[np.concatenate([y, np.full(30, -1)])]
    with pytest.warns(UnreachableWarning, match=r"30 of 630 rows lie in 1 part of the graph"):
        many = fitted(da.from_array(X, chunks=(300, 10)), da.from_array(names, chunks=400), **QUICK)
    with pytest.warns(UnreachableWarning):
        one = fitted(X, names, **QUICK)
    np.testing.assert_array_equal(many.transduction_.compute(), one.transduction_)
    np.testing.assert_array_equal(many.reachable_.compute(), np.arange(630) < 600)
    np.testing.assert_allclose(many.label_distributions_[-1].compute(), one.label_distributions_[-1])


def test_rows_that_are_on_the_workers_already(client, data):
    X, y, _ = data
    rows = da.from_array(X, chunks=(200, 10))
    expected = fitted(rows, y, **QUICK).result_.offsets
    on_workers = rows.persist()
    np.testing.assert_array_equal(fitted(on_workers, y, **QUICK).result_.offsets, expected)
    np.testing.assert_array_equal(fitted(on_workers + 0, y, **QUICK).result_.offsets, expected)


def test_one_class_and_progress(client, data):
    X, y, _ = data
    stages = []
    classifier = DiffuseInterfaceClassifier(random_state=0, **QUICK)
    classifier.fit(da.from_array(X, chunks=(200, 10)), y, progress=lambda stage, share: stages.append(stage))
    assert list(dict.fromkeys(stages)) == ["neighbours", "start", "descent"]
    assert stages.count("descent") == 4
    alone = fitted(da.from_array(X, chunks=(200, 10)), np.where(y == 0, 0, -1))
    assert alone.result_.status is Status.ONE_CLASS
    assert (alone.transduction_.compute() == 0).all()


def test_a_run_goes_on_from_its_checkpoint(client, data, tmp_path):
    X, y, _ = data
    rows = da.from_array(X, chunks=(200, 10))
    whole = fitted(rows, y, schedule=SHORT, start="random")
    stopped = DiffuseInterfaceClassifier(random_state=0, schedule=SHORT, start="random")
    stopped.fit(rows, y, checkpoint=tmp_path / "run", callback=lambda step: step.number == 1)
    assert stopped.result_.status is Status.STOPPED
    seen = []
    resumed = DiffuseInterfaceClassifier(random_state=0, schedule=SHORT, start="random").fit(
        rows.rechunk((150, 10)),
        y,
        checkpoint=tmp_path / "run",
        callback=lambda step: seen.append(step.number),
    )
    assert seen == [2, 3]
    np.testing.assert_array_equal(resumed.result_.offsets, whole.result_.offsets)
    with pytest.raises(ValueError, match="the graph differs"):
        DiffuseInterfaceClassifier(random_state=0, schedule=SHORT, start="random").fit(
            rows + rows**2, y, checkpoint=tmp_path / "run"
        )


def broken(n_bad):
    X = np.arange(1200.0).reshape(60, 20) % 7
    X[35, :n_bad] = np.nan
    return da.from_array(X, chunks=(20, 20))


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (da.ones((60, 20), chunks=(30, 10)), r"X is cut into 2 chunks along its features; .* X\.rechunk"),
        (
            da.ones((60, 20), chunks=(20, 20))[da.arange(60, chunks=20) > 3],
            "X has chunks of unknown size; call",
        ),
        (broken(1), r"X holds 1 NaN or infinite value in block 1 \(rows 20 to 39\); fill or remove"),
        (broken(2), r"2 NaN or infinite values in block 1"),
        (da.ones(60, chunks=20), "X must have two dimensions, got a Dask array of 1"),
        (da.ones((60, 2), chunks=(20, 2)), "X has only identical rows"),
        (da.ones((1, 2)), "X must have at least 2 rows"),
        (da.full((60, 2), 1e200), "X holds values beyond 1e.150; rescale"),
        (da.from_array(np.full((60, 2), "a")), "X must hold real numbers"),
        (dask.delayed([1]), "X must be a Dask array, got a Dask Delayed"),
    ],
)
def test_bad_rows_get_one_sentence(client, X, words):
    with pytest.raises(ValueError, match=words):
        DiffuseInterfaceClassifier().fit(X, np.zeros(60, dtype=int))


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"tune": True}, "tune=True is not available for a Dask array"),
        ({"device": "cuda"}, "device must be cpu for a Dask array"),
        ({"metric": "precomputed"}, "metric must be one of euclidean, cosine for a Dask array"),
        ({"n_neighbors": 0}, "n_neighbors must be a positive integer"),
    ],
)
def test_bad_choices_get_one_sentence(client, data, parameters, words):
    with pytest.raises(ValueError, match=words):
        fitted(da.from_array(data[0], chunks=(200, 10)), data[1], **parameters)


def test_bad_new_rows_get_one_sentence(client, data):
    X, y, _ = data
    many = fitted(da.from_array(X, chunks=(200, 10)), y, schedule=SHORT, start="random")
    with pytest.raises(ValueError, match="X has 3 features, but the classifier was fitted on 10"):
        many.predict(X[:, :3])
    with pytest.raises(ValueError, match="X holds NaN or infinite values"):
        many.predict(np.full((1, 10), np.nan))
    with pytest.raises(ValueError, match="y has 3 labels but X has 600 rows"):
        fitted(da.from_array(X, chunks=(200, 10)), [0, 1, -1])


def test_without_a_client_or_a_connected_one(data):
    rows = da.from_array(data[0], chunks=(200, 10))
    with pytest.raises(ValueError, match="X is a Dask array but there is no Dask client; start one first"):
        fitted(rows, data[1])


def test_a_client_that_is_not_connected(client, data, monkeypatch):
    monkeypatch.setattr(client, "status", "connecting")
    with pytest.raises(ValueError, match=r"The Dask client is not connected \(its status is connecting\)"):
        fitted(da.from_array(data[0], chunks=(200, 10)), data[1])


def test_without_dask_the_pip_line_is_told(monkeypatch, data):
    rows = da.from_array(data[0], chunks=(200, 10))
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(ImportError, match=r'pip install "graphwell\[dask\]"'):
        fitted(rows, data[1])
