"""The chosen method, told what it can be told."""

from pathlib import Path

import numpy as np
import pytest

from graphwell.errors import OptionError
from graphwell.estimators.registry import DEFAULT, methods
from graphwell.jobs.methods import (
    check_class_count,
    find_method,
    fit_classifier,
    has_parameter,
    make_classifier,
    status_of,
    sweeps_of,
)
from graphwell.jobs.options import ClassifyOptions

X = np.array([[0.0], [0.1], [5.0], [5.1]])
Y = np.array([0, -1, -1, 1])


def options(**changed):
    return ClassifyOptions(table=Path("t.csv"), **changed)


@pytest.mark.parametrize("name", list(methods()))
def test_every_method_can_be_made_and_fitted(name):
    told = []
    classifier = make_classifier(options(method=name, n_neighbors=1, n_jobs=1, seed=3))
    fit_classifier(classifier, X, Y, None, lambda *stage: told.append(stage))
    assert classifier.transduction_.tolist() == [0, 0, 1, 1]
    assert classifier.get_params().get("random_state", 3) == 3
    assert told
    assert sweeps_of(classifier) >= 0
    assert status_of(classifier, name).endswith(".")


def test_settings_reach_the_classifier():
    made = make_classifier(options(n_neighbors=7, start="random", fidelity=5.0, device="cuda"))
    assert (made.n_neighbors, made.start, made.fidelity, made.device) == (7, "random", 5.0, "cuda")


@pytest.mark.parametrize(
    ("field", "value"),
    [("start", "random"), ("fidelity", 3.0), ("device", "cuda"), ("checkpoint", Path("run"))],
)
def test_what_a_method_does_not_have_is_refused(field, value):
    with pytest.raises(OptionError, match=f"^{field} means nothing to the method 'laplace'") as caught:
        make_classifier(options(method="laplace", **{field: value}))
    assert caught.value.field == field


def test_an_unknown_method_is_refused_with_those_there_are():
    with pytest.raises(OptionError, match=r"^method must be one of diffuse interface, .*; got 'magic'"):
        find_method("magic")


def test_a_method_for_two_classes_takes_no_third():
    check_class_count("binary interface", 2)
    check_class_count(DEFAULT, 50)
    with pytest.raises(OptionError, match="tells at most 2 classes apart, but 3 are given") as caught:
        check_class_count("binary interface", 3)
    assert caught.value.field == "method"


def test_signatures_say_what_is_accepted():
    assert has_parameter(lambda a, *, b: None, "b")
    assert not has_parameter(lambda a, **more: None, "b")
