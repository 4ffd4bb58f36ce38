"""Experiments run by name, and what is written of them."""

import json
import re
from dataclasses import replace

import pytest

from graphwell.experiments import reproduce as module
from graphwell.experiments.moons import three_moons
from graphwell.experiments.reproduce import Reproduction, reproduce, write


def small(runs, seed, progress):
    return three_moons(runs, seed, progress, data_sets=2)


@pytest.fixture
def only_small_moons(monkeypatch):
    monkeypatch.setattr(module, "MOONS", (small,))


@pytest.fixture(scope="module")
def found():
    return Reproduction([small(4, 0, lambda stage, share: None)], seed=0, seconds=1.0)


def test_everything_is_written(found, tmp_path):
    write(found, tmp_path / "new" / "folder")
    folder = tmp_path / "new" / "folder"
    assert {path.name for path in folder.iterdir()} == {"report.html", "results.json", "three_moons.png"}
    assert (folder / "three_moons.png").read_bytes().startswith(b"\x89PNG")


def test_results_hold_every_run(found, tmp_path):
    write(found, tmp_path)
    results = json.loads((tmp_path / "results.json").read_text())
    (experiment,) = results["experiments"]
    assert len(experiment["runs"]) == 4 * 5
    for one in experiment["runs"]:
        assert {"line", "seed", "data_set", "label_set", "error", "seconds", "sweeps"} <= set(one)
    fixed = next(line for line in experiment["lines"] if line["key"] == "three-moons.fixed")
    errors = [100 * one["error"] for one in experiment["runs"] if one["line"] == "three-moons.fixed"]
    assert fixed["mean"] == pytest.approx(sum(errors) / 4)
    assert fixed["expected"]["paper"] == 5.2
    assert fixed["n"] == 4


def test_the_report_is_one_file_with_everything_in_it(found, tmp_path):
    write(found, tmp_path)
    page = (tmp_path / "report.html").read_text()
    sources = re.findall(r'(?:src|href)="([^"]*)"', page)
    assert sources
    assert all(source.startswith("data:image/png;base64,") for source in sources)
    for column in ("paper", "graphwell", "difference"):
        assert f'<th class="number">{column}</th>' in page
    assert "5.2 ± 1.01 %" in page
    for line in found.sections[0].lines:
        assert line.title in page


def test_a_failure_leaves_no_file(found, tmp_path):
    broken = replace(found.sections[0], pictures=[replace(found.sections[0].pictures[0], drawing=None)])
    with pytest.raises(AttributeError):
        write(Reproduction([broken], 0, 1.0), tmp_path / "out")
    assert not (tmp_path / "out").exists()

    folder = tmp_path / "other"
    folder.mkdir()
    (folder / "results.json").mkdir()
    with pytest.raises(ValueError, match=r"results\.json is a folder"):
        write(found, folder)
    assert [path.name for path in folder.iterdir()] == ["results.json"]


@pytest.mark.usefixtures("only_small_moons")
def test_progress_names_the_experiment_and_reaches_its_end():
    heard = []
    reproduce(["moons"], runs=2, progress=lambda stage, share: heard.append((stage, share)))
    assert heard == [("three moons", None), ("three moons", 0.5), ("three moons", 1.0)]


def test_bad_numbers_are_refused():
    with pytest.raises(ValueError, match="runs must be positive"):
        reproduce(["moons"], runs=0)
    with pytest.raises(ValueError, match="seed must not be negative"):
        reproduce(["moons"], seed=-1)
