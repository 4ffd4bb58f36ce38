"""What a format declares, and the limits."""

from pathlib import Path

import pytest

from graphwell.io.images.base import ImageFormat, RefusedError, check_not_empty, check_pixels


def test_what_is_not_declared_cannot_be_done():
    nothing = ImageFormat(name="toy", suffixes=(".toy",))
    able = (nothing.holds_pictures, nothing.holds_seeds, nothing.keeps_labels, nothing.shows_pictures)
    assert able == (False, False, False, False)


def test_the_limit_counts_pixels():
    check_pixels(Path("a.png"), (4, 3), 12)
    with pytest.raises(RefusedError, match="4 x 3 = 12 pixels, more than the 11 allowed") as caught:
        check_pixels(Path("a.png"), (4, 3), 11)
    assert caught.value.field == "max_pixels"


def test_a_file_without_a_byte_is_refused(tmp_path):
    (tmp_path / "a.png").touch()
    with pytest.raises(ValueError, match=r"a\.png is empty"):
        check_not_empty(tmp_path / "a.png")
    check_not_empty(tmp_path / "missing.png")  # reading it will say so
