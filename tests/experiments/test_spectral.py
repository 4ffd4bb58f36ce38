"""Readings of the paper's spectral clustering, with few runs."""

import pytest

from graphwell.experiments.spectral import READINGS, spectral_readings
from tests.experiments.sections import check_section, line

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def section():
    return spectral_readings(runs=4, data_sets=1)


def test_the_section(section):
    check_section(section, "spectral")


def test_only_readings_without_the_neighbourhood_come_near_the_papers_spectral_clustering(section):
    assert len(READINGS) == len(section.lines) - 1
    assert line(section, "as-printed").mean < 15 < line(section, "all").mean
    assert "“all points joined, local scaling kept” (20.4" in section.remarks[0]
