import numpy as np

from tests.jobs.pets import opened, path

__all__ = ["path"]


def test_what_is_shown_of_a_row(path):
    table = opened(path, row_id="id", image_column="photo", text_column="note", xy=("x", "y"))
    assert table.name(1) == "r2"
    assert table.picture(1) == "deep/two.png"
    assert table.text(0) == "A <b>note</b>"
    assert [name for name, _ in table.cells(0)] == ["id", "a", "b", "photo", "x", "y"]
    assert table.places.tolist() == [[0, 1], [2, 3], [4, 5], [6, 7]]
    assert not {"photo", "x", "y"} & set(table.read.features.names)
    assert opened(path).name(1) == "2"


def test_pictures_by_absolute_names_inside_the_folder(path):
    inside = path.parent.resolve() / "one.png"
    path.write_text(path.read_text().replace("one.png", str(inside)))
    assert opened(path, image_column="photo").picture(0) == "one.png"


def test_numbers_are_a_picture(tmp_path):
    np.save(tmp_path / "x.npy", np.array([[0, 1, 2, 4], [3, 3, 3, 3], [1, 0, 0, 1]]))
    table = opened(tmp_path / "x.npy", pixels=(2, 2))
    assert table.pixels(0) == {"width": 2, "height": 2, "grey": [0, 64, 128, 255]}
    assert table.pixels(1)["grey"] == [0, 0, 0, 0]
    assert table.cells(0) == []


def test_search_is_by_id_number_and_text(path):
    table = opened(path, row_id="id", text_column="note")
    assert table.search("R3") == [2]
    assert table.search("<B>") == [0]
    assert table.search("thi") == [2]
    assert table.search("") == table.search("nothing of this") == []
    assert opened(path).search("4") == [3]


def test_the_nearest_of_some_rows(path):
    table = opened(path, features=("a", "b"))
    assert table.nearest(1, np.array([0, 1, 3]), 2) == [0, 3]
    assert table.nearest(1, np.array([], dtype=int), 2) == []


def test_the_fingerprint_tells_tables_and_readings_apart(path):
    first = opened(path).fingerprint
    assert first == opened(path, scale="standard").fingerprint
    assert first != opened(path, unknown=("dog",)).fingerprint
    path.write_text(path.read_text().replace("9.1", "9.2"))
    assert first != opened(path).fingerprint
