"""Class sizes and classes without labels, by name in the options and by number in the classifier."""

import numpy as np
import pytest

from graphwell import DiffuseInterfaceClassifier
from graphwell.errors import OptionError
from graphwell.jobs.class_sizes import by_number, told_of_classes
from graphwell.jobs.label_column import LabelColumn
from graphwell.jobs.options import ClassifyOptions

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
