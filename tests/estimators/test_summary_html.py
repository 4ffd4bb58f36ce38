"""What a notebook shows of a fit."""

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from sklearn import config_context

import graphwell as gw


def fitted(n=60, names=("a", "b"), **options):
    rng = np.random.default_rng(0)
    truth = np.repeat(names, n // len(names))
    X = rng.normal(size=(len(truth), 3)) + 9.0 * np.arange(len(names)).repeat(n // len(names))[:, None]
    y = [name if i % (n // len(names)) < 2 else None for i, name in enumerate(truth)]
    return gw.DiffuseInterfaceClassifier(random_state=0, n_jobs=1, models=None, **options).fit(X, y)


def summary_html(clf):
    """The summary, without the diagram of scikit-learn after it."""
    summary, diagram, _ = clf._repr_html_().partition("<style>")
    assert diagram
    return summary


def test_classes_status_and_map_are_there():
    clf = fitted()
    shown = summary_html(clf)
    assert "60 rows, 4 labels given." in shown
    assert clf.result_.status.value in shown
    assert re.findall(r"right'>(\d+)</td><td style='text-align:right'>(\d+)</td>", shown) == [
        ("2", "30"),
        ("2", "30"),
    ]
    tree = ElementTree.fromstring(re.search(r"<svg.*</svg>", shown).group(0))
    dots = [path.attrib["d"].count("M") for path in tree]
    assert dots == [30, 30]
    assert tree.attrib["aria-label"]


def test_the_estimated_accuracy_stands_first():
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=80)
    X = rng.normal(size=(80, 3)) + truth[:, None]
    clf = gw.DiffuseInterfaceClassifier(models=[]).fit(X, np.where(np.arange(80) < 20, truth, -1))
    low, high = clf.accuracy_interval_
    said = f"About {clf.accuracy_:.0%} of the labels are correct (90 % interval: {low:.0%} to {high:.0%}). 80"
    assert said in summary_html(clf)


def test_a_notebook_gets_it_before_the_diagram_and_only_after_a_fit():
    clf = fitted()
    bundle = clf._repr_mimebundle_()
    assert bundle["text/html"].startswith("<div")
    assert "sk-top-container" in bundle["text/html"]
    assert clf._repr_html_().startswith(summary_html(clf)[:200])
    before = gw.DiffuseInterfaceClassifier()._repr_mimebundle_()["text/html"]
    assert "labels given" not in before
    with config_context(display="text"):
        assert "text/html" not in clf._repr_mimebundle_()


def test_names_are_escaped_and_many_are_counted():
    names = [f"<b>{i:02}</b>" for i in range(15)]
    shown = summary_html(fitted(n=10 * len(names), names=names))
    assert "<b>" not in shown
    assert "&lt;b&gt;00" in shown
    assert "and 3 more" in shown


def test_rows_out_of_reach_are_grey_and_told():
    W = np.array([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]])
    with pytest.warns(gw.UnreachableWarning):
        clf = gw.DiffuseInterfaceClassifier(metric="precomputed").fit(W, [5, -1, -1, -1])
    shown = summary_html(clf)
    assert "2 rows have no label" in shown
    assert 'stroke="#999"' in shown


def test_a_large_graph_without_features_has_no_map(monkeypatch):
    monkeypatch.setattr("graphwell.estimators.summary_html.ROWS_OF_A_GRAPH_MAP", 2)
    clf = gw.DiffuseInterfaceClassifier(metric="precomputed").fit(np.ones((3, 3)), [0, 1, -1])
    assert "<svg" not in summary_html(clf)
    assert "<table" in summary_html(clf)
