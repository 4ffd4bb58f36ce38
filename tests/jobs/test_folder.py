"""A folder of photographs or texts: classified, asked about, compared and labelled like a table."""

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from sklearn.datasets import load_digits

from graphwell.errors import OptionError
from graphwell.jobs.classify import ClassifyOptions, classify
from graphwell.jobs.compare import CompareOptions, compare
from graphwell.jobs.folder import near_copies
from graphwell.jobs.labelling import LabelOptions, open_table
from graphwell.jobs.suggest import SuggestOptions, suggest
from tests.cli.blobs import run


def write_photos(root, n=120, each=3):
    """Digits 0 to 2 as photographs in folders of their classes, most of them in unknown/."""
    X, y = load_digits(n_class=3, return_X_y=True)
    truth = {}
    for i in range(n):
        folder = root / ("unknown" if i % each else f"digit {y[i]}")
        folder.mkdir(parents=True, exist_ok=True)
        Image.fromarray(np.uint8(X[i].reshape(8, 8) * 15)).resize((24, 24)).save(folder / f"{i}.png")
        truth[f"{folder.name}/{i}.png"] = f"digit {y[i]}"
    return truth


@pytest.fixture
def photos(tmp_path):
    truth = write_photos(tmp_path / "photos")
    (tmp_path / "photos" / "unknown" / "broken.jpg").write_bytes(b"\xff\xd8\xff")
    (tmp_path / "photos" / "notes.pdf").write_bytes(b"%PDF")
    (tmp_path / "photos" / ".hidden").mkdir()
    (tmp_path / "photos" / ".hidden" / "0.png").write_bytes(b"")
    return tmp_path / "photos", truth


def options(kind, folder, **more):
    return kind(table=folder, encoder="pixels", n_jobs=1, **more)


def test_photographs_are_labelled_from_folders_and_sorted(photos, tmp_path):
    folder, truth = photos
    out, into = tmp_path / "out.csv", tmp_path / "sorted"
    pages = {"report": tmp_path / "page.html"}
    asked = options(ClassifyOptions, folder, labels_from_folders=True, output=out, sort_into=into, **pages)
    report = classify(asked)
    page = pages["report"].read_text()
    assert page.count("data:image/jpeg;base64,") == 120  # under the mouse on the map
    assert '"unknown/1.png: digit' in page
    found = pd.read_csv(out)
    assert list(found)[:4] == ["path", "label", "graphwell_label", "graphwell_score"]
    assert len(found) == 120
    assert (found.graphwell_label == found.path.map(truth)).mean() > 0.95
    assert found.label.isna().sum() == 80
    notes = " ".join(map(str, report.notes))
    assert "1 file left out, as reading failed: unknown/broken.jpg." in notes
    assert "Files of other kinds are left out: 1 .pdf." in notes
    assert "The 120 files are compared by 768 numbers of the encoder pixels." in notes
    links = {path.name: path for path in into.rglob("*.png")}
    assert len(links) == 120
    row = found.iloc[50]
    link = links[row.path.split("/")[1]]
    assert link.parent.name == row.graphwell_label
    assert link.resolve() == (folder / row.path).resolve()
    with pytest.raises(OptionError, match="is there already"):
        classify(options(ClassifyOptions, folder, labels_from_folders=True, sort_into=into))


def test_labels_come_from_a_table_by_path_or_name(photos, tmp_path):
    folder, truth = photos
    paths = sorted(truth)
    names = [*paths[:20], *(path.split("/")[1] for path in paths[20:40]), str(folder / paths[40]), "gone.png"]
    labels = [*(truth[path] for path in paths[:41]), "digit 1"]
    pd.DataFrame({"path": names, "label": labels}).to_csv(tmp_path / "labels.csv", index=False)
    report = classify(options(ClassifyOptions, folder, labels=tmp_path / "labels.csv"))
    assert report.facts["labels_given"] == 41
    assert "1 rows of labels.csv name no file that is compared: gone.png." in " ".join(map(str, report.notes))
    pd.DataFrame({"file": names, "label": labels}).to_csv(tmp_path / "labels.csv", index=False)
    with pytest.raises(OptionError, match="there is no column 'path'"):
        classify(options(ClassifyOptions, folder, labels=tmp_path / "labels.csv"))


def test_suggest_and_compare_take_a_folder(photos, tmp_path):
    folder, _ = photos
    questions = tmp_path / "questions.csv"
    found = suggest(options(SuggestOptions, folder, n=3, output=questions))
    assert len(found.facts["to_label"]) == 3
    asked = pd.read_csv(questions)
    assert {"path", "label", "graphwell_reason"} <= set(asked)
    asked["label"] = [path.split("/")[0] for path in asked.path]
    asked.to_csv(questions, index=False)  # filled in, the questions are a table of labels
    more = suggest(options(SuggestOptions, folder, labels=questions, n=2))
    assert more.facts["labels_given"] >= 1
    report = compare(
        options(CompareOptions, folder, labels_from_folders=True, methods=("nearest",), splits=2)
    )
    assert report.facts["methods"][0]["accuracy"] > 0.9


def test_the_page_shows_the_files(photos, tmp_path):
    folder, _ = photos
    table = open_table(options(LabelOptions, folder, labels_from_folders=True))
    assert table.picture(0) == table.name(0) == sorted(photos[1])[0]
    assert table.options.labelled == tmp_path / "photos.labelled.csv"
    again = open_table(options(LabelOptions, folder, labels_from_folders=True))
    assert again.fingerprint == table.fingerprint


def test_a_folder_of_texts(tmp_path):
    rng = np.random.default_rng(0)
    for number in range(40):
        kind = "animals" if number % 2 else "money"
        words = ["cat", "dog", "hen", "cow"] if number % 2 else ["rate", "bond", "loan", "bank"]
        folder = tmp_path / "texts" / (kind if number < 12 else "")
        folder.mkdir(parents=True, exist_ok=True)
        text = " ".join(["it", "was", *rng.choice(words, 5), *rng.choice(["here", "there", "now"], 2)])
        (folder / f"{number}.{'md' if number % 3 else 'txt'}").write_text(text)
    finished = run("classify", tmp_path / "texts", "--labels-from-folders", "--encoder", "tfidf", "--jobs", 1)
    assert finished.exit_code == 0, finished.output
    found = pd.read_csv(tmp_path / "texts.labelled.csv")
    names = found.path.str.rpartition("/")[2].str.partition(".")[0].astype(int)
    assert (found.graphwell_label == np.where(names % 2, "animals", "money")).mean() > 0.9
    table = open_table(LabelOptions(table=tmp_path / "texts", encoder="tfidf", n_jobs=1))
    assert table.text(0).startswith("it was ")


def test_near_copies_are_told_and_held_out_together(photos):
    folder, truth = photos
    first = sorted(truth)[0]
    Image.open(folder / first).resize((30, 30)).save(folder / first.replace(".png", "-large.png"))
    report = classify(options(ClassifyOptions, folder, labels_from_folders=True))
    notes = " ".join(map(str, report.notes))
    assert f"1 file is a near copy of another ({first.replace('.png', '-large.png')} and {first})" in notes
    groups, pairs = near_copies(np.array([[0, 0], [10, 0], [0, 10], [10, 10], [10, 10.1]], np.float32))
    assert pairs == [(3, 4)]
    assert len(np.unique(groups)) == 4


def test_what_cannot_be_a_folder_is_said(tmp_path, photos):
    (tmp_path / "empty").mkdir()
    with pytest.raises(OptionError, match="holds no photographs and no texts"):
        classify(ClassifyOptions(table=tmp_path / "empty"))
    (tmp_path / "one").mkdir()
    Image.new("RGB", (3, 3)).save(tmp_path / "one" / "a.png")
    with pytest.raises(OptionError, match="at least two files"):
        classify(options(ClassifyOptions, tmp_path / "one"))
    with pytest.raises(OptionError, match="takes texts, and these are images"):
        classify(ClassifyOptions(table=photos[0], encoder="tfidf"))
    pd.DataFrame({"x": [1, 2], "label": ["a", "b"]}).to_csv(tmp_path / "t.csv", index=False)
    for more in (
        {"labels_from_folders": True},
        {"sort_into": tmp_path / "s"},
        {"labels": tmp_path / "t.csv"},
    ):
        with pytest.raises(OptionError, match="is for a folder of files"):
            classify(ClassifyOptions(table=tmp_path / "t.csv", **more))
