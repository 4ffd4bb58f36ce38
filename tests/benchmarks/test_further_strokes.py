"""What a further stroke costs."""

import numpy as np

from benchmarks import further_strokes
from benchmarks.further_strokes import Cost, compare_strokes, grey_picture, photographs_with_a_stroke_left_out
from benchmarks.output import Options


def test_one_stroke_is_left_out_and_every_class_keeps_one(monkeypatch, tmp_path):
    marks = np.full((20, 30), -1)
    marks[2, 2:12], marks[8, 2:12], marks[15, 2:12], marks[15, 20] = 0, 0, 1, 1
    picture = np.zeros((20, 30, 3), dtype=np.uint8)
    kinds = [("a", "sparse", picture, marks, None), ("b", "dense", picture, marks, None)]
    monkeypatch.setattr(further_strokes, "FOLDER", tmp_path)
    monkeypatch.setattr(further_strokes, "photographs", lambda: iter(kinds))
    ((name, _, without, after),) = photographs_with_a_stroke_left_out()
    assert name == "a"
    assert (after == marks).all()
    assert (marks >= 0).sum() - (without >= 0).sum() == 10
    assert set(np.unique(without)) == {-1, 0, 1}


def test_a_stroke_of_a_grey_picture_is_new():
    _, without, marks = grey_picture(0.0)
    assert ((without >= 0) <= (marks >= 0)).all()
    assert (without != marks).any()


def test_what_costs_too_much_is_told(monkeypatch, capsys, tmp_path):
    costs = iter([Cost("calm", 1.0, 0.05, 0), Cost("noisy", 1.0, 0.2, 3)])
    monkeypatch.setattr(further_strokes, "measured", lambda *args, **options: next(costs))
    monkeypatch.setattr(further_strokes, "photographs_with_a_stroke_left_out", lambda: iter(()))
    found, missed = compare_strokes(Options(quick=True, out=tmp_path))
    assert [one["picture"] for one in found] == ["calm", "noisy"]
    assert missed == ["noisy: a stroke took 0.20 of a first call"]
    assert "0.05" in capsys.readouterr().out
