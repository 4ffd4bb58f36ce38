"""Seeds as lines of text."""

import numpy as np
import pytest

from graphwell.errors import OptionError
from graphwell.io.images.text import FORMAT, read_classes

SHAPE = (40, 60)


def test_lines_are_marked_pixels(tmp_path):
    (tmp_path / "s.txt").write_text("row,col,class\n3,4,7\n# a remark\n\n10, 20, 2\n39;59;7\n3\t4\t7\n")
    classes = np.full(SHAPE, -1)
    classes[3, 4], classes[10, 20], classes[39, 59] = 7, 2, 7
    np.testing.assert_array_equal(read_classes(tmp_path / "s.txt", SHAPE, 10**6), classes)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1,2\n", "line 1: expected three integers row,col,class, got '1,2'"),
        ("1,2,a\n", "expected three integers"),
        ("0,0,1\n40,0,1\n", "line 2: row 40, column 0 lies outside the picture of 40 rows and 60 columns"),
        ("0,0,-1\n", "the class must be 0 or more, got -1"),
        ("0,0,1\n0,0,2\n", "row 0, column 0 has the class 1 already"),
        ("0,0,99999999999\n", "line 1: the class must be"),
    ],
)
def test_bad_text_is_refused(tmp_path, text, words):
    (tmp_path / "s.txt").write_text(text)
    with pytest.raises(OptionError, match=words) as caught:
        read_classes(tmp_path / "s.txt", SHAPE, 10**6)
    assert caught.value.field == "seeds"


def test_bytes_that_are_no_text(tmp_path):
    (tmp_path / "s.csv").write_bytes(b"\xff\xfe\x00\x81")
    with pytest.raises(ValueError, match="is no text"):
        read_classes(tmp_path / "s.csv", SHAPE, 10**6)


def test_it_holds_seeds_alone():
    assert FORMAT.holds_seeds
    assert not FORMAT.holds_pictures
