"""The methods by name: what all of them can do, what they refuse, and what to cite."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.svm import SVC

import graphwell as gw
from graphwell import baselines
from graphwell.errors import OptionError
from graphwell.estimators.methods.base import Baseline
from graphwell.metrics import matched_error
from tests.helpers import blobs, few

OF_FEATURES = "adapted eigenfunctions"
BASELINES = [name for name, entry in gw.methods().items() if issubclass(entry.classifier, Baseline)]
every = pytest.mark.parametrize("name", BASELINES)


def made(name, **options):
    """A method with a seed, where it takes one."""
    entry = gw.methods()[name]
    seeded = {"random_state": 0} if "random_state" in entry.classifier().get_params() else {}
    return entry(**seeded, **options)


@every
def test_every_method_finds_clear_clusters_again_and_again(name):
    X, truth = blobs(n=40)
    y = np.where(np.arange(len(truth)) % 4 > 0, -1, truth)
    clf, again = made(name).fit(X, y), made(name).fit(X, y)
    assert (clf.transduction_ == truth).mean() > 0.98
    np.testing.assert_allclose(clf.label_distributions_.sum(axis=1), 1)
    np.testing.assert_array_equal(clf.label_distributions_, again.label_distributions_)


@pytest.mark.parametrize("name", [name for name in BASELINES if name != OF_FEATURES])
def test_every_method_is_right_on_a_graph_that_falls_apart(name):
    W = np.kron(np.eye(2), 1 - np.eye(4))
    clf = made(name, metric="precomputed").fit(W, [5, -1, -1, -1, 9, -1, -1, -1])
    assert clf.transduction_.tolist() == [5] * 4 + [9] * 4


@pytest.mark.filterwarnings("ignore:All known labels are")
@every
def test_every_method_answers_where_all_labels_are_of_one_class(name):
    X, _ = blobs(n=10)
    assert set(made(name, n_neighbors=20).fit(X, [4] + 29 * [-1]).transduction_) == {4}


CLUSTERERS = (
    baselines.NormalisedOneCut,
    baselines.PLaplacianClustering,
    baselines.RatioCheegerCut,
    baselines.SpectralClustering,
)
TRUTH = np.repeat([0, 1, 2], 20)
X = np.random.default_rng(0).normal(size=(60, 2)) + 6 * np.array([[0, 0], [1, 0], [0, 1]])[TRUTH]
each = pytest.mark.parametrize("clusterer", CLUSTERERS)


@each
def test_three_clusters_without_labels_and_named_by_three(clusterer):
    found, again = (clusterer(3, random_state=0, n_jobs=jobs).fit_predict(X) for jobs in (1, 2))
    np.testing.assert_array_equal(found, again)
    assert matched_error(found, TRUTH) <= 0.05
    assert (clusterer(3, random_state=0, n_jobs=1).fit_predict(pd.DataFrame(X)) >= 0).all()
    y = np.full(60, None, dtype=object)
    y[[0, 25, 45]] = ["ant", "bee", "cat"]
    named = clusterer(random_state=0, n_jobs=1).fit_predict(X, y)
    assert (named == np.array(["ant", "bee", "cat"])[TRUTH]).mean() >= 0.95


@each
def test_a_graph_in_parts_and_a_single_cluster(clusterer):
    W = np.kron(np.eye(3), 1 - np.eye(4))
    found = clusterer(3, metric="precomputed", random_state=0).fit_predict(W).reshape(3, 4)
    assert (found == found[:, :1]).all()
    assert len(np.unique(found)) == 3
    assert (clusterer(1, metric="precomputed").fit_predict(W) == 0).all()


@each
def test_numbers_that_make_no_sense_get_a_sentence(clusterer):
    with pytest.raises(OptionError, match="n_clusters must be given"):
        clusterer().fit_predict(X)
    with pytest.raises(OptionError, match="n_clusters is 61, but there are 60 rows"):
        clusterer(61, n_jobs=1).fit_predict(X)
    with pytest.raises(OptionError, match="n_clusters must be"):
        clusterer(0).fit_predict(X)


def test_a_registered_method_appears_everywhere_and_is_forgotten(registry):
    @registry.method("toy", "the nearest label, slowly", slow=True)
    class Toy(baselines.NearestLabel):
        pass

    entry = gw.methods()["toy"]
    assert entry.summary == "the nearest label, slowly"
    X, truth = blobs(n=10)
    y = np.where(np.arange(30) % 5 == 0, truth, -1)
    assert set(entry(n_neighbors=20).fit(X, y).transduction_) == {0, 1, 2}
    assert entry.slow
    registry.forget("toy")
    assert "toy" not in gw.methods()


def test_every_method_labels_a_graph():
    X, truth = blobs(classes=2)
    graph = gw.Graph.from_features(X)
    assert next(iter(gw.methods())) == "diffuse interface"
    for name, entry in gw.methods().items():
        assert entry.name == name
        assert entry.summary
        assert entry.most_classes is None or entry.most_classes >= 2
        np.testing.assert_array_equal(entry().fit(graph, few(truth)).transduction_, truth, err_msg=name)


def keys(estimator):
    return re.findall(r"^@\w+\{(\w+),", gw.citation(estimator), re.MULTILINE)


def test_every_method_has_sources_and_every_source_is_used(registry):
    used = {key for method in gw.methods().values() for key in method.sources}
    assert all(method.sources for method in gw.methods().values())
    assert used <= set(registry.bibliography())
    assert set(registry.bibliography()) - used == {"zelnikmanor2004selftuning", "blondel2008fast"}


def test_a_fit_is_cited_for_what_it_did():
    X, truth = blobs(n=40)
    one_each = np.full(len(truth), -1)
    one_each[[0, 50, 100]] = truth[[0, 50, 100]]
    few_labels = gw.DiffuseInterfaceClassifier(random_state=0, n_jobs=1, models=None).fit(X, one_each)
    assert keys(few_labels) == [
        "garciacardona2013multiclass", "calder2020poisson", "blondel2008fast", "zelnikmanor2004selftuning",
    ]  # fmt: skip
    paper = gw.DiffuseInterfaceClassifier(start="random", schedule=gw.Fixed(1.0, sweeps=10), random_state=0)
    W = gw.Graph.from_features(X, n_jobs=1).W
    paper.set_params(metric="precomputed").fit(W, few(truth))
    assert keys(paper) == ["garciacardona2013multiclass"]


def test_a_clusterer_of_another_room_names_its_sources_and_strangers_are_refused():
    assert "blondel2008fast" in keys(gw.DiffuseInterfaceClustering(3))
    with pytest.raises(ValueError, match="Only methods of graphwell are cited here, got SVC"):
        gw.citation(SVC())


@pytest.mark.parametrize(
    ("method", "field"),
    [
        (baselines.MulticlassMBO(max_iter=0), "max_iter"),
        (baselines.LaplaceLearning(weights="cubic"), "weights"),
        (baselines.VolumeMBO(class_prior=[0.5, 0.5]), "class_prior"),
        (baselines.CutLearning(tol=np.nan), "tol"),
        (baselines.CorrectAndSmooth(alpha_correct=1.0), "alpha_correct"),
        (baselines.MeasurePropagation(mu=-1.0), "mu"),
        (baselines.PLaplacianClustering(2, p=1.0), "p"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_what_makes_no_sense_is_refused_by_name(method, field):
    X, truth = blobs(n=10)
    with pytest.raises(OptionError, match=f"^{field} must") as caught:
        method.fit(X, few(truth))
    assert caught.value.field == field
