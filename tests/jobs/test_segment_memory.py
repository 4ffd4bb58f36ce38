"""Pictures and the memory that they take."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from graphwell.datasets.strokes import write_example
from graphwell.errors import OptionError
from graphwell.jobs.segment import segment
from graphwell.jobs.segment_memory import in_full, planned
from graphwell.jobs.segment_options import SegmentOptions
from graphwell.memory import limited_to

FILES = {"image": Path("a.png"), "seeds": Path("b.png"), "output": Path("c.png")}


def scene(shape, channels=3):
    picture = np.zeros((*shape, channels), dtype=np.uint8)
    return SimpleNamespace(picture=picture, marks=SimpleNamespace(classes=np.full(shape, -1)))


def test_what_a_picture_takes_is_said_in_words():
    plan = planned(SegmentOptions(**FILES), scene((400, 500)))
    assert plan.factor == 1
    assert str(plan.sentence()).startswith("200,000 points take about ")


def test_with_little_memory_the_copy_is_reduced_just_so_far_that_it_fits():
    factors = []
    for allowed in (10**9, 30 * 10**6, 10 * 10**6, 3 * 10**6):
        with limited_to(allowed):
            plan = planned(SegmentOptions(**FILES), scene((400, 500)))
            factors.append(plan.factor)
            assert plan.needed <= allowed or plan.factor == 1
            assert ("coarser" in str(plan.sentence())) == (plan.factor > 1)
    assert factors[0] == 1 < factors[1] < factors[2] < factors[3]


def test_what_cannot_be_reduced_is_refused():
    with limited_to(10**6), pytest.raises(OptionError, match=r"needs about .* of memory"):
        planned(SegmentOptions(**FILES), scene((3000, 4000)))
    with limited_to(10**6), pytest.raises(OptionError, match=r"needs about .* of memory"):
        planned(SegmentOptions(**FILES), scene((40, 50, 60), 1))


def test_labels_of_a_reduced_copy_are_as_large_as_the_picture(tmp_path):
    truth = write_example(tmp_path, noise=0.0, per_class=0, random_state=0)
    files = {"image": tmp_path / "image.png", "seeds": tmp_path / "seeds.png"}
    said = []
    options = SegmentOptions(**files, output=tmp_path / "labels.npy", max_memory="20MB")
    report = segment(options, say=said.append)
    labels = np.load(tmp_path / "labels.npy")
    assert report.size == labels.shape
    assert any("coarser" in str(sentence) for sentence in said)
    assert any("coarser" in str(sentence) for sentence in report.notes)
    whole = segment(SegmentOptions(**files, output=tmp_path / "whole.npy"))
    assert (labels == np.load(tmp_path / "whole.npy")).mean() > 0.9
    assert whole.unreachable_pixels == 0
    assert truth is None or report.seeds == whole.seeds


def test_marks_keep_their_class_in_full_size():
    from graphwell import Segmenter

    seeds = np.full((6, 5), -1)
    seeds[0, 0], seeds[5, 4] = 0, 1
    small = Segmenter(np.arange(6.0).reshape(3, 2)).segment(np.array([[0, -1], [-1, -1], [-1, 1]]))
    found = in_full(small, 3, np.where(seeds == 1, 7, seeds))
    assert found.labels.shape == found.score.shape == found.reachable.shape == (6, 5)
    assert found.labels[5, 4] == 7
