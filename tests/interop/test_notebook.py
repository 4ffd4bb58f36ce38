"""The bar of a notebook; IPython is not in the test extra, so its display has a stand-in."""

import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

import graphwell as gw


@pytest.fixture
def shown(monkeypatch):
    """What a notebook would show, one entry for each change."""
    pieces = []
    display = ModuleType("IPython.display")
    display.HTML = str
    display.display = lambda piece, display_id: (pieces.append(piece), SimpleNamespace(update=pieces.append))[
        1
    ]
    package = ModuleType("IPython")
    package.display = display
    monkeypatch.setitem(sys.modules, "IPython", package)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    return pieces


def test_a_fit_tells_its_stages(shown):
    X = np.random.default_rng(0).normal(size=(40, 2))
    y = np.where(np.arange(40) < 4, np.arange(40) % 2, -1)
    clf = gw.DiffuseInterfaceClassifier(models=None, random_state=0, n_jobs=1)
    clf.fit(X, y, progress=gw.progress_bar())
    assert "neighbours" in shown[0]
    assert 'value="1.00"></progress> descent 100 %' in shown[-1]


def test_steps_of_a_stage_are_shown_a_few_times_a_second(shown, monkeypatch):
    now = iter([0.0, 0.01, 0.02, 0.5, 0.51, 0.52])
    clock = SimpleNamespace(monotonic=lambda: next(now))  # not time itself: other threads look at it, too
    monkeypatch.setattr("graphwell.interop.notebook.time", clock)
    bar = gw.progress_bar()
    for stage, share in [("a", None), ("a", 0.1), ("a", 0.2), ("a", 0.3), ("a", 1.0), ("b", 0.0)]:
        bar(stage, share)
    assert [piece.partition("</progress> ")[2] for piece in shown] == ["a", "a 30 %", "a 100 %", "b 0 %"]


def test_outside_of_notebooks_it_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "IPython", None)
    with pytest.raises(ImportError, match="for notebooks"):
        gw.progress_bar()
