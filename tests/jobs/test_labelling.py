import pytest

from graphwell.errors import OptionError
from tests.jobs.pets import opened, path

__all__ = ["path"]


def test_labels_so_far_are_read_as_everywhere(path):
    table = opened(path)
    assert table.read.given.names == ("cat", "dog")
    assert table.given.tolist() == [0, -1, -2, 1]


def test_pictures_of_a_folder_by_order_or_by_name(path):
    folder = path.parent / "pictures"
    folder.mkdir()
    for name in ("r4.png", "r1.JPG", "r3.png", "r2.png", "notes.txt"):
        (folder / name).write_bytes(b"")
    by_name = opened(path, images=folder, row_id="id")
    assert [by_name.picture(row) for row in range(4)] == ["r1.JPG", "r2.png", "r3.png", "r4.png"]
    assert opened(path, images=folder).picture(0) == "r1.JPG"
    (folder / "r2.png").unlink()
    with pytest.raises(OptionError, match="no picture named like row 2, 'r2'"):
        opened(path, images=folder, row_id="id")
    with pytest.raises(OptionError, match="holds 3 pictures for 4 rows"):
        opened(path, images=folder)


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"image_column": "nothing"}, "image_column"),
        ({"text_column": "nothing"}, "text_column"),
        ({"pixels": (3, 3)}, "pixels"),
        ({"xy": ("x", "note")}, "xy"),
        ({"xy": ("x", "nothing")}, "xy"),
    ],
)
def test_wrong_options_are_named(path, options, field):
    with pytest.raises(OptionError) as wrong:
        opened(path, **options)
    assert wrong.value.field == field
