"""A backend is one folder and one line: here the dense one of the tests is registered, and used."""

import numpy as np
import pytest

import graphwell as gw
from graphwell.backends.registry import backend_of_rows, devices, find_backend
from tests.backends.dense import DenseBackend
from tests.helpers import blobs, few


def test_rows_of_a_library_choose_their_backend():
    da = pytest.importorskip("dask.array")
    assert backend_of_rows(da.ones((3, 2))) == "dask"
    assert backend_of_rows(np.ones((3, 2))) is None
    with pytest.raises(ValueError, match="X is a Dask array but there is no Dask client"):
        find_backend("cpu", da.ones((3, 2)))
    with pytest.raises(ValueError, match="device must be cpu for a Dask array, whose workers"):
        find_backend("cuda", da.ones((3, 2)))


def test_a_backend_that_is_not_registered_is_refused():
    with pytest.raises(ValueError, match="device must be one of cpu, cuda, got 'dense'"):
        gw.DiffuseInterfaceClassifier(models=None, device="dense").fit(*blobs())


def test_a_registered_backend_is_a_device(dense):
    assert {"cpu", "cuda", "dense"} <= set(devices())
    assert "dask" not in devices()
    assert isinstance(find_backend("dense", n_jobs=1), DenseBackend)


@pytest.mark.parametrize(
    "parameters", [{}, {"models": "auto"}, {"start": "nearest"}, {"class_prior": "labels"}]
)
def test_a_classifier_runs_on_a_registered_backend(dense, parameters):
    X, truth = blobs(n=25)
    given = {"models": None, "random_state": 0, **parameters}
    found = gw.DiffuseInterfaceClassifier(device=dense, **given).fit(X, few(truth))
    expected = gw.DiffuseInterfaceClassifier(**given).fit(X, few(truth))
    np.testing.assert_array_equal(found.transduction_, truth)
    np.testing.assert_array_equal(expected.transduction_, truth)
    if (
        parameters.get("models", None) is None and "tune" not in parameters
    ):  # else folds follow the order of rows
        np.testing.assert_allclose(found.label_distributions_, expected.label_distributions_, atol=1e-3)
    np.testing.assert_array_equal(found.predict(X + 0.01), truth)
    assert found.result_.status is expected.result_.status


def test_graphs_and_pictures_of_a_registered_backend(dense):
    X, _ = blobs(n=10)
    np.testing.assert_array_equal(
        gw.Graph.from_features(X, device=dense).W.toarray(), gw.Graph.from_features(X).W.toarray()
    )
    image, truth = gw.datasets.make_grey_image(16, 16)
    seeds = np.where(np.arange(16) % 3 == 0, truth, -1)
    np.testing.assert_array_equal(gw.segment(image, seeds, device=dense), gw.segment(image, seeds))
