"""The numbers of the classes, on less data."""

import numpy as np
import pytest

from graphwell.experiments.label_order import label_order
from tests.experiments.sections import check_section, line

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def section():
    return label_order(runs=2, n_per_class=500, side=40)


def test_the_section(section):
    check_section(section, "label-order", ["label-order.standard-figure"])


def test_the_numbers_of_the_classes_matter_to_the_standard_model_only(section):
    assert line(section, "multiclass-moons").values == (0.0, 0.0)
    assert line(section, "multiclass-figure").values == (0.0,)
    by_draw = np.reshape(line(section, "multiclass").values, (2, 6))
    assert (by_draw == by_draw[:, :1]).all()
    assert min(line(section, "standard-moons").values) > 300
    assert line(section, "standard-figure").mean > 0
    assert [row[1:] for row in section.tables[0].rows] == [["1", "1"], ["1", "1"], ["4", "1"]]
