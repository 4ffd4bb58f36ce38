"""Seeds and labels of many kinds, in a reduced form."""

import numpy as np
import pytest

from graphwell import datasets
from graphwell.experiments.robustness import covering, robustness
from tests.experiments.sections import check_section


@pytest.mark.slow
def test_the_section():
    check_section(robustness(runs=2, shares=(1, 4, 10)), "robustness")


def test_labels_can_be_kept_from_a_part_of_a_class():
    X, truth = datasets.make_three_moons(random_state=0)
    given = covering(X, truth, coverage=25, per_class=25, label_set=0)
    assert np.bincount(given[given >= 0]).tolist() == [25, 25, 25]
    assert (given[given >= 0] == truth[given >= 0]).all()
    lower = X[truth == 2, 0]
    assert X[given == 2, 0].max() <= np.quantile(lower, 0.26)
