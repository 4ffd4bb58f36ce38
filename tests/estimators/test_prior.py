"""Class sizes that the user knows."""

import numpy as np
import pytest

from graphwell import DiffuseInterfaceClassifier, datasets
from graphwell.estimators.prior import read_class_prior

CLASSES = np.array(["a", "b"])
LABELS = np.array([0, 0, 0, 1, -1])


@pytest.mark.parametrize(
    ("prior", "shares"),
    [
        (None, None),
        ("labels", [0.75, 0.25]),
        ([0.2, 0.8], [0.2, 0.8]),
        ({"b": 0.9, "a": 0.1}, [0.1, 0.9]),
        ([0.2002, 0.8], [0.2002 / 1.0002, 0.8 / 1.0002]),
    ],
)
def test_a_prior_may_come_in_several_forms(prior, shares):
    found = read_class_prior(prior, CLASSES, LABELS)
    assert found is None if shares is None else np.allclose(found, shares)


@pytest.mark.parametrize(
    ("prior", "sentence"),
    [
        ("even", 'class_prior must be None, "labels", "auto", an array or a dict'),
        ([0.5, 0.6], "class_prior must sum to 1, got a sum of 1.1"),
        ([0.2, 0.3, 0.5], "one share for each of the 2 classes"),
        ([0.0, 1.0], "positive for every class that has labels; look at"),
        ([np.nan, 1.0], "positive for every class"),
        ({"a": 1.0}, "it lacks \\['b'\\]"),
        ({"a": 0.5, "b": 0.3, "c": 0.2}, "names \\['c'\\], which no label has"),
    ],
)
def test_a_bad_prior_gets_one_clear_sentence(prior, sentence):
    with pytest.raises(ValueError, match=sentence):
        read_class_prior(prior, CLASSES, LABELS)


def test_known_sizes_help_where_the_classes_are_uneven():
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1], [540, 60])
    X = rng.normal(size=(600, 10)) + 3.2 * np.eye(10)[truth]
    errors = {}
    for prior in (None, [0.9, 0.1]):
        wrong = []
        for seed in range(6):
            y = datasets.sample_labels(truth, 2, random_state=seed)
            clf = DiffuseInterfaceClassifier(class_prior=prior, random_state=0).fit(X, y)
            wrong.append((clf.transduction_ != truth).mean())
        errors[prior is None] = np.mean(wrong)
    assert errors[False] < errors[True]
