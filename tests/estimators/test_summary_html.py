"""What a notebook shows of a fit."""

import numpy as np
import pytest
from sklearn import config_context

import graphwell as gw


def fitted(n=60, names=("a", "b"), models=None):
    rng = np.random.default_rng(0)
    truth = np.repeat(names, n // len(names))
    X = rng.normal(size=(len(truth), 3)) + 9.0 * np.arange(len(names)).repeat(n // len(names))[:, None]
    y = [name if i % (n // len(names)) < 2 else None for i, name in enumerate(truth)]
    return gw.DiffuseInterfaceClassifier(random_state=0, n_jobs=1, models=models).fit(X, y)


def test_a_notebook_gets_status_and_classes_before_the_diagram_and_only_after_a_fit():
    clf = fitted()
    shown = clf._repr_mimebundle_()["text/html"]
    summary, _, diagram = shown.partition("<style>")
    assert "sk-top-container" in diagram
    assert "60 rows, 4 labels given." in summary
    assert clf.result_.status.value in summary
    cells = [cell.partition("</td>")[0] for cell in summary.split("<td>")[1:]]
    assert cells == ["a", "2", "30", "b", "2", "30"]
    assert clf._repr_html_().startswith(summary[:200])
    assert "labels given" not in gw.DiffuseInterfaceClassifier()._repr_mimebundle_()["text/html"]
    with config_context(display="text"):
        assert "text/html" not in clf._repr_mimebundle_()


def test_the_estimated_accuracy_stands_first():
    clf = fitted(models=[])
    low, high = clf.accuracy_interval_
    said = f"About {clf.accuracy_:.0%} of the labels are correct (90 % interval: {low:.0%} to {high:.0%}). 60"
    assert said in clf._repr_html_()


@pytest.mark.filterwarnings("ignore:All known labels are")
def test_names_are_escaped_many_are_counted_and_rows_out_of_reach_are_told():
    names = [f"<b>{i:02}</b>" for i in range(15)]
    summary = fitted(n=10 * len(names), names=names)._repr_html_().partition("<style>")[0]
    assert "<b>" not in summary
    assert "&lt;b&gt;00" in summary
    assert "15 rows" in summary
    W = np.array([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]])
    with pytest.warns(gw.UnreachableWarning):
        clf = gw.DiffuseInterfaceClassifier(metric="precomputed").fit(W, [5, -1, -1, -1])
    assert "2 rows have no label" in clf._repr_html_()
