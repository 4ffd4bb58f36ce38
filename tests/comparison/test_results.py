"""What is made of trials."""

import numpy as np
import pytest

from graphwell.comparison.results import MethodComparison, Trial, standing


def comparison(labels):
    labels = np.array(labels)
    trials = [Trial("a", 0, 3, 4, 0.5, 2_000_000), Trial("b", 0, 2, 4, 1.0)]
    ranked = tuple(standing([trial], "", 4) for trial in trials)
    return MethodComparison(
        ranked, (), tuple(trials), labels.shape[2], 2, 2, labels.shape[1], "truth", 4, 0.1, labels, ("x", "y")
    )


def test_the_error_is_that_of_the_splits_or_of_the_rows_whichever_is_larger():
    wide = standing([Trial("a", 0, 0, 100, 1.0), Trial("a", 1, 100, 100, 1.0)], "", n_judged=200)
    assert wide.standard_error == pytest.approx(0.5)
    equal = standing([Trial("a", 0, 9, 10, 1.0), Trial("a", 1, 9, 10, 3.0)], "", n_judged=20)
    assert equal.standard_error == pytest.approx(np.sqrt(0.9 * 0.1 / 20))
    assert equal.seconds == 2.0


def test_memory_is_the_largest_and_none_where_it_was_not_measured():
    trials = [Trial("a", 0, 1, 1, 1.0, 5), Trial("a", 1, 1, 1, 1.0, 9)]
    assert standing(trials, "", 2).peak_bytes == 9
    assert standing(trials, "", 2).cells[-1] == "< 1 MB"
    unmeasured = standing([Trial("a", 0, 1, 1, 1.0)], "", 2)
    assert (unmeasured.peak_bytes, unmeasured.cells[-1]) == (None, "")


def test_agreement_and_dissent_by_hand():
    found = comparison([[[0, 0, 1, 1]], [[0, 1, 1, -1]]])
    assert found.agreement.tolist() == [[1.0, 0.5], [0.5, 1.0]]
    assert found.dissent.tolist() == [0.0, 0.5, 0.0, 0.5]


def test_text_and_json():
    found = comparison([[[0, 0, 1, 1]], [[0, 1, 1, -1]]])
    first, best, second = str(found).splitlines()
    assert first.split() == ["method", "right", "+-", "seconds", "memory"]
    assert best.split() == ["a", "75.00", "%", "21.65", "0.50", "2.0", "MB"]
    assert len(first) == len(second)
    told = found.to_json()
    assert (told["judged_on"], told["methods"][0]["method"], told["classes"]) == ("truth", "a", ["x", "y"])
