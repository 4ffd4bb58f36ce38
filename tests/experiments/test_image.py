"""The picture in a smaller form."""

import pytest

from graphwell.experiments.image import image
from tests.experiments.sections import check_section, line

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def section():
    return image(runs=2, height=96, width=98, n_labels=376)


def test_the_section(section):
    check_section(section, "image", ["image.noise", "image.random"])


def test_the_picture_is_perfect_from_a_good_start_only(section):
    assert line(section, "nearest").values == (0.0, 0.0)
    assert line(section, "diffusion").values == (0.0, 0.0)
    noisy = [line(section, f"noise-{noise}-nearest").mean for noise in ("05", "10", "15")]
    assert 0 < noisy[0] < noisy[1] < noisy[2]
    assert [picture.name for picture in section.pictures] == ["image_classes.png", "image_mistakes.png"]
