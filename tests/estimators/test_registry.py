"""A method is one file: registered, it is in `gw.methods()` and in the benchmark."""

import numpy as np
import pytest

import graphwell as gw
from benchmarks.methods import baselines
from graphwell.estimators.baselines.base import Baseline
from graphwell.estimators.registry import DEFAULT, forget, method
from tests.helpers import blobs, few


@pytest.fixture
def toy():
    @method("toy", "the largest class wins everywhere", slow=True)
    class Majority(Baseline):
        def _scores(self, problem, engine):
            counts = np.bincount(problem.labels[problem.is_known], minlength=problem.n_classes)
            return np.tile(counts.astype(float), (problem.graph.n_vertices, 1))

    yield "toy"
    if "toy" in gw.methods():
        forget("toy")


def test_a_registered_method_appears_everywhere_and_is_forgotten(toy):
    entry = gw.methods()[toy]
    assert entry.summary == "the largest class wins everywhere"
    X, truth = blobs(n=10)
    y = np.where(np.arange(30) % 5 == 0, truth, -1)
    assert set(entry(n_neighbors=20).fit(X, y).transduction_) == {0, 1, 2}
    listed = {m.name: m for m in baselines()}
    assert listed[toy].slow
    labels, remark = listed[toy].label(gw.Graph.from_features(X), few(truth), np.full(3, 1 / 3))
    assert len(labels) == 30
    assert remark == ""
    forget(toy)
    assert toy not in gw.methods()
    assert toy not in {m.name for m in baselines()}


def test_every_method_labels_a_graph():
    X, truth = blobs(classes=2)
    graph = gw.Graph.from_features(X)
    assert next(iter(gw.methods())) == DEFAULT
    for name, entry in gw.methods().items():
        assert entry.name == name
        assert entry.summary
        assert entry.most_classes is None or entry.most_classes >= 2
        np.testing.assert_array_equal(entry().fit(graph, few(truth)).transduction_, truth, err_msg=name)


def test_the_list_cannot_be_changed_from_outside():
    with pytest.raises(TypeError):
        gw.methods()["mine"] = None
