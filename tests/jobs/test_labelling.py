"""A table that is labelled by hand: what is shown of its rows, and what is written."""

import numpy as np
import pytest

from graphwell.errors import OptionError
from graphwell.io.tables import open_table
from graphwell.jobs.labelling import FoundLabels, LabelOptions, write_answers, write_labels
from graphwell.jobs.labelling import open_table as open_rows
from graphwell.jobs.suggest import SuggestOptions, merge_answers

LINES = [
    "id,a,b,photo,note,x,y,label",
    "r1,1.0,2.0,one.png,A <b>note</b>,0,1,cat",
    "r2,1.1,2.1,deep/two.png,Another,2,3,",
    "r3,9.0,8.0,three.png,The third,4,5,?",
    "r4,9.1,8.2,four.png,,6,7,dog",
]


@pytest.fixture
def path(tmp_path):
    """A small table of pets, with pictures, notes and places."""
    (tmp_path / "pets.csv").write_text("\n".join(LINES) + "\n")
    return tmp_path / "pets.csv"


def opened(path, **options):
    return open_rows(LabelOptions(table=path, n_neighbors=1, n_jobs=1, **options))


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


def test_numbers_are_a_picture(tmp_path):
    np.savez(tmp_path / "x.npz", X=np.array([[0, 1, 2, 4], [3, 3, 3, 3], [1, 0, 0, 1]]))
    table = opened(tmp_path / "x.npz", pixels=(2, 2))
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


def test_the_fingerprint_tells_tables_and_readings_apart(path):
    first = opened(path).fingerprint
    assert first == opened(path, scale="standard").fingerprint
    assert first != opened(path, unknown=("dog",)).fingerprint
    path.write_text(path.read_text().replace("9.1", "9.2"))
    assert first != opened(path).fingerprint


def found(labels, n_classes=2):
    labels = np.array(labels)
    scores = np.full((len(labels), n_classes), 0.1)
    scores[np.arange(len(labels)), np.maximum(labels, 0)] = 0.9
    return FoundLabels(labels, scores, np.arange(n_classes), labels >= 0, np.zeros(len(labels), dtype=bool))


def written_labels(path):
    if path.suffix == ".npz":
        with np.load(path) as arrays:
            return arrays["graphwell_label"].tolist()
    return open_table(path).column("graphwell_label").tolist()


@pytest.mark.parametrize("suffix", [".npz", ".parquet", ".jsonl"])
def test_new_classes_make_a_column_of_numbers_text(path, suffix):
    """Labels that are numbers stay numbers, until a class has another name."""
    path.write_text(path.read_text().replace("cat", "1").replace("dog", "2").replace("?", ""))
    for names, kind in ((("1", "2"), int), (("1", "new"), str)):
        output = path.with_name(f"out{suffix}")
        table = opened(path, output=output, drop=("note", "photo"))
        write_labels(table, names, np.array([0, -1, -1, 1]), found([0, 0, 0, 1]))
        assert written_labels(output)[3] == kind(names[1])


def test_a_table_without_labels_can_be_written(path):
    text = "\n".join(line.rsplit(",", 1)[0] for line in path.read_text().splitlines()) + "\n"
    path.write_text(text)
    for suffix in (".csv", ".npz", ".parquet", ".jsonl"):
        output = path.with_name(f"out{suffix}")
        write_labels(
            opened(path, output=output), ("cat", "dog"), np.array([0, -1, -1, 1]), found([0, 0, 1, 1])
        )
        assert written_labels(output) == ["cat", "cat", "dog", "dog"]


def test_answers_can_be_brought_back_into_the_table(path):
    write_answers(opened(path), ("cat", "=dog"), np.array([0, -1, 1, -2]))
    answers, merged = path.with_name("pets.answers.csv"), path.with_name("merged.csv")
    assert answers.read_text() == "graphwell_row,label\n1,cat\n3,=dog\n4,?\n"
    report = merge_answers(SuggestOptions(table=path, output=merged), answers)
    assert (report.facts["answered"], report.facts["cannot_tell"]) == (2, 1)
    assert open_table(merged).column("label").tolist() == ["cat", "", "=dog", "?"]
    write_answers(
        opened(path, output=path.with_name("out.npz"), safe_csv=True), ("=cat",), np.zeros(4, dtype=int)
    )
    assert "'=cat" in path.with_name("out.answers.csv").read_text()
