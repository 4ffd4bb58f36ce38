"""The benchmark of all methods, on a small set."""

import json

import pytest

from benchmarks import company
from benchmarks.output import Options
from graphwell import methods


def test_methods_and_clusterers_are_measured_once_and_drawn(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(company, "RATES", (0, 5))
    monkeypatch.setattr(company, "clusterers", lambda: [company.OURS])
    monkeypatch.setattr(company, "methods", lambda: {n: methods()[n] for n in ("nearest", "volume mbo")})
    monkeypatch.setattr(company, "taking_part", lambda data, names: names)
    options = Options(False, tmp_path, ["two_moons"], [1])
    company.main(options)
    records = [json.loads(line) for line in (tmp_path / "company.jsonl").read_text().splitlines()]
    assert [(r["rate"], r["method"]) for r in records] == [
        (0, company.OURS), (5, "nearest"), (5, "volume mbo"),
    ]  # fmt: skip
    assert all(0 <= r["error"] < 60 for r in records)
    assert (tmp_path / "company.png").read_bytes().startswith(b"\x89PNG")
    shown = capsys.readouterr().out
    assert "no label" in shown
    company.main(options)
    assert len((tmp_path / "company.jsonl").read_text().splitlines()) == 3


def test_a_refusal_is_kept_in_words(monkeypatch):
    def refuse(job, data):
        raise ValueError("too many rows.")

    monkeypatch.setattr(company, "fitted_error", refuse)
    record = company.measured(company.Job("two_moons", 1, 1, "gtam"))
    assert record["refused"] == "too many rows."
    names, rows = company.table_of([record])
    assert (names, rows) == (["two_moons"], [["gtam", "-"]])


def test_all_methods_take_part_and_two_classes_alone_have_the_binary_one():
    everyone = list(methods())
    two, ten = (set(company.taking_part(name, everyone)) for name in ("two_moons", "mnist"))
    assert two - ten == {"balanced interface", "binary interface"}
    assert "ratio cheeger cut" in company.clusterers()
    with pytest.raises(ValueError, match="No data set"):
        company.data_of(company.Job("nothing", 1, 1, "nearest"))
