"""The file of a comparison."""

import numpy as np
import pytest

from graphwell.comparison.results import Trial
from graphwell.comparison.saved import VERSION, Saved
from graphwell.errors import OptionError
from graphwell.io.npy import write_sealed


def test_what_was_saved_is_there_again(tmp_path):
    path = tmp_path / "run"
    first = Saved(path, "mark", 3, 2)
    first.add(Trial("a", 0, 1, 2, 0.5, 100), np.array([0, 1, -1]))
    first.add(Trial("b", 0, 2, 2, 0.5), np.array([1, 1, 0]))
    again = Saved(path, "mark", 3, 2)
    assert again.trials == first.trials
    assert again.labels["a", 0].tolist() == [0, 1, -1]


def test_a_file_of_other_rows_is_refused(tmp_path):
    Saved(tmp_path / "run", "mark", 3, 2).add(Trial("a", 0, 1, 2, 0.5), np.array([0, 1, -1]))
    with pytest.raises(OptionError, match="belongs to another comparison"):
        Saved(tmp_path / "run", "other", 3, 2)


@pytest.mark.parametrize("labels", [[[0, 1]], [[0, 1, 2]], [[0, 1, -2]], [[0.0, 1.0, 0.0]], [0, 1, 0]])
def test_labels_that_cannot_be_are_refused(tmp_path, labels):
    trials = '[{"method": "a", "split": 0, "right": 1, "of": 2, "seconds": 0.5}]'
    arrays = {"fingerprint": np.array("mark"), "trials": np.array(trials), "labels": np.array(labels)}
    write_sealed(tmp_path / "run", arrays, VERSION)
    with pytest.raises(OptionError, match="damaged or no checkpoint"):
        Saved(tmp_path / "run", "mark", 3, 2)
