"""The chosen method, told what it can be told."""

from pathlib import Path

import numpy as np
import pytest

from graphwell import DiffuseInterfaceClassifier
from graphwell.errors import OptionError
from graphwell.estimators.registry import DEFAULT, methods
from graphwell.jobs.methods import (
    by_number,
    check_class_count,
    find_method,
    fit_classifier,
    has_parameter,
    make_classifier,
    status_of,
    sweeps_of,
    told_of_classes,
)
from graphwell.jobs.options import ClassifyOptions
from graphwell.jobs.table import LabelColumn

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


GIVEN = LabelColumn(("1", "2"), np.array([0, 1, 1, -1]))


@pytest.mark.parametrize(
    ("prior", "found"),
    [
        ("auto", "auto"),
        ("labels", "labels"),
        ({"2": 0.25, "1.0": 0.75}, {1: 0.25, 0: 0.75}),
        ({"2": (0.05, 0.2)}, {1: (0.05, 0.2)}),
    ],
)
def test_sizes_by_number(prior, found):
    assert by_number(prior, GIVEN) == found


@pytest.mark.parametrize(
    ("prior", "sentence"),
    [
        ("even", "class_prior must be auto, labels or sizes by class, got 'even'"),
        ({"1": 0.5, "3": 0.5}, "class_prior names the class '3', which no label has; .* name it in classes"),
        ({"1": 1.0}, r"class_prior must name exactly the classes; it lacks \['2'\]"),
        ({"1": 0.5, "2": 0.2}, "class_prior must sum to 1, got a sum of 0.7"),
        ({"1": (0.5, 0.2)}, "class_prior has the bounds .* for '1'"),
        ({"1": (0.0, 0.1), "2": (0.0, 0.2)}, "class_prior has bounds within which no shares sum to 1"),
    ],
)
def test_mistakes_are_told_with_names_and_the_option(prior, sentence):
    with pytest.raises(OptionError, match=sentence) as caught:
        by_number(prior, GIVEN)
    assert caught.value.field == "class_prior"


def test_a_classifier_is_told_what_the_options_have(tmp_path):
    assert told_of_classes(ClassifyOptions(table=tmp_path), GIVEN) == {}
    options = ClassifyOptions(table=tmp_path, classes=("3",), class_prior="auto")
    told = told_of_classes(options, LabelColumn(("1", "2", "3"), GIVEN.codes))
    classifier = DiffuseInterfaceClassifier().set_params(**told)
    assert (classifier.classes, classifier.class_prior) == ([0, 1, 2], "auto")
