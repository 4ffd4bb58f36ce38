"""What to cite."""

import re

import numpy as np
import pytest
from sklearn.svm import SVC

import graphwell as gw
from graphwell.estimators.citation import bibliography
from tests.helpers import blobs, few


def keys(estimator):
    return re.findall(r"^@\w+\{(\w+),", gw.citation(estimator), re.MULTILINE)


def test_every_method_has_sources_and_every_source_is_used():
    used = {key for method in gw.methods().values() for key in method.sources}
    assert all(method.sources for method in gw.methods().values())
    assert used <= set(bibliography())
    assert set(bibliography()) - used == {"zelnikmanor2004selftuning", "blondel2008fast"}


def test_every_entry_is_whole():
    for entry in bibliography().values():
        assert entry.count("{") == entry.count("}")
        assert all(f"{field} = {{" in entry for field in ("author", "title", "year"))


def test_variants_of_a_method_have_their_own_sources():
    names = ("laplace", "laplace wnll", "laplace poisson")
    cited = [keys(gw.methods()[name](metric="precomputed")) for name in names]
    assert cited == [
        ["zhu2003semisupervised"],
        ["zhu2003semisupervised", "shi2017weighted"],
        ["zhu2003semisupervised", "calder2020poisson"],
    ]


def test_a_fit_is_cited_for_what_it_did():
    X, truth = blobs(n=40)
    one_each = np.full(len(truth), -1)
    one_each[[0, 50, 100]] = truth[[0, 50, 100]]
    few_labels = gw.DiffuseInterfaceClassifier(random_state=0, n_jobs=1, tune=False).fit(X, one_each)
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
