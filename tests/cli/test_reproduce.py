"""`graphwell reproduce`: what it prints and writes, and lines beside what is expected of them."""

import json

import numpy as np
import pytest

from graphwell.experiments import reproduce as module
from graphwell.experiments.moons import three_moons
from graphwell.experiments.paper import Line, expected
from graphwell.experiments.reproduce import Reproduction, write
from tests.cli.blobs import run


def small(runs, seed, progress):
    return three_moons(runs, seed, progress, data_sets=2)


@pytest.fixture
def only_small_moons(monkeypatch):
    monkeypatch.setattr(module, "MOONS", (small,))


@pytest.mark.slow
@pytest.mark.usefixtures("only_small_moons")
def test_the_command_prints_the_table_and_writes_everything(tmp_path):
    folder = tmp_path / "new" / "folder"
    finished = run("reproduce", "moons", "--runs", 4, "--out", folder)
    assert finished.exit_code == 0, finished.output
    header = next(line for line in finished.output.splitlines() if "difference" in line)
    assert header.index("paper") < header.index("graphwell") < header.index("difference")
    assert "annealed epsilon" in finished.output
    assert f"{folder / 'report.html'}" in finished.output.replace("\n", "")
    assert {path.name for path in folder.iterdir()} == {"report.html", "results.json"}

    (experiment,) = json.loads((folder / "results.json").read_text())["experiments"]
    assert len(experiment["runs"]) == 4 * 5
    for one in experiment["runs"]:
        assert {"line", "seed", "data_set", "label_set", "error", "seconds", "sweeps"} <= set(one)
    fixed = next(line for line in experiment["lines"] if line["key"] == "three-moons.fixed")
    errors = [100 * one["error"] for one in experiment["runs"] if one["line"] == "three-moons.fixed"]
    assert fixed["mean"] == pytest.approx(sum(errors) / 4)
    assert fixed["expected"] == {
        "paper": 5.2, "paper_spread": 1.01, "value": 2.85, "tolerance": 0.75, "runs": 20,
    }  # fmt: skip
    assert fixed["n"] == 4

    page = (folder / "report.html").read_text()
    for column in ("paper", "graphwell", "difference"):
        assert f'<th class="number">{column}</th>' in page
    assert "5.2 ± 1.01 %" in page
    assert all(line["title"] in page for line in experiment["lines"])


@pytest.mark.slow
@pytest.mark.usefixtures("only_small_moons")
def test_a_line_outside_its_tolerance_is_named_and_the_command_ends_with_1(tmp_path, monkeypatch):
    monkeypatch.setitem(expected()["lines"]["three-moons"]["fixed"], "value", 1.0)
    monkeypatch.setitem(expected()["lines"]["three-moons"]["fixed"], "tolerance", 0.1)
    finished = run("reproduce", "moons", "--runs", 2, "--out", tmp_path)
    assert finished.exit_code == 1
    (complaint,) = finished.stderr.splitlines()
    assert complaint.startswith("graphwell: three-moons.fixed is ")
    assert "outside 1.00 ± 0.32 %" in complaint
    assert "Outside its tolerance: three-moons.fixed" in (tmp_path / "report.html").read_text()
    assert json.loads((tmp_path / "results.json").read_text())["within_tolerance"] is False


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["mnist", "--data", "no-such-folder"], "The folder 'no-such-folder' holds no MNIST files"),
        (["moons", "--out", "{file}"], "is a file; give the name of a folder"),
        (["moons", "--out", "{file}/below"], "is a file; give the name of a folder"),
        (["moons", "--runs", 0], "--runs"),
        (["moons", "--seed", -1], "--seed"),
        (["everything"], "everything"),
    ],
)
def test_bad_arguments_get_one_sentence_and_2(arguments, sentence, tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    finished = run("reproduce", *(str(argument).format(file=file) for argument in arguments))
    assert finished.exit_code == 2
    assert sentence in finished.stderr
    assert "Traceback" not in finished.output


def test_a_failure_leaves_no_file(tmp_path):
    section = three_moons(1, data_sets=1, n_per_class=60, per_class=4)
    (tmp_path / "results.json").mkdir()
    with pytest.raises(ValueError, match=r"results\.json is a folder"):
        write(Reproduction([section], 0, 1.0), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]


@pytest.mark.parametrize(
    ("values", "expected", "ok"),
    [
        ([2.4] * 20, {"value": 3.0, "tolerance": 0.5}, False),
        ([2.5] * 20, {"value": 3.0, "tolerance": 0.5}, True),
        ([3.8] * 20, {"value": 3.0, "tolerance": 0.5}, False),
        ([3.8] * 5, {"value": 3.0, "tolerance": 0.5}, True),  # fewer runs are given more room
        ([0.0, 0.01], {"value": 0.0, "tolerance": 0.0}, False),
        ([0.1], {"at_most": 1.5}, True),
        ([1.6], {"at_most": 1.5}, False),
    ],
)
def test_a_result_must_lie_within_its_tolerance(values, expected, ok):
    assert Line("a.b", tuple(values), "a line", "%", {"runs": 20, **expected}).ok is ok


def test_every_line_has_what_is_expected_of_it_and_the_confusions_are_those_of_the_paper():
    for names in expected()["lines"].values():
        for name, entry in names.items():
            assert ("value" in entry and "tolerance" in entry) != ("at_most" in entry), name
    matrix = np.array(expected()["paper"]["mnist_confusion"])
    assert matrix.sum() == 70_000
    assert 1 - matrix.trace() / 70_000 == pytest.approx(0.0686, abs=1e-4)
    assert matrix.sum(axis=0).tolist() == [6903, 7877, 6990, 7141, 6824, 6313, 6876, 7293, 6825, 6958]
