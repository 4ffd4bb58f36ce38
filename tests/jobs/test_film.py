"""A folder of frames."""

import numpy as np
import pytest
from PIL import Image

from graphwell.errors import OptionError
from graphwell.jobs.film import frames_in
from graphwell.jobs.segment import segment
from graphwell.jobs.segment_options import SegmentOptions

ROWS, COLUMNS = np.indices((40, 60))


def disk(number):
    return (ROWS - 20) ** 2 + (COLUMNS - 15 - 3 * number) ** 2 < 9**2


@pytest.fixture
def folder(tmp_path):
    """Eleven frames of a disk that moves, and marks in the first."""
    (tmp_path / "frames").mkdir()
    for number in range(11):
        pixels = np.where(disk(number)[..., None], (200, 80, 50), (70, 120, 100)).astype(np.uint8)
        Image.fromarray(pixels).save(tmp_path / "frames" / f"frame{number}.png")
    marks = np.zeros((40, 60, 4), dtype=np.uint8)
    marks[20, 12:18], marks[3, 5:55] = (255, 0, 0, 255), (0, 0, 255, 255)
    Image.fromarray(marks).save(tmp_path / "seeds.png")
    return tmp_path


def run(folder, **options):
    files = {"image": folder / "frames", "seeds": folder / "seeds.png", "output": folder / "labels"}
    return segment(SegmentOptions(**files, n_jobs=1, **options))


def test_every_frame_gets_labels(folder):
    report = run(folder, overlay=folder / "over")
    assert report.size == (40, 60, 11)
    assert report.unreachable_pixels == 0
    assert {found.name for found in report.classes} == {"#ff0000", "#0000ff"}
    assert sum(found.assigned for found in report.classes) == 40 * 60 * 11
    for number in range(11):
        labels = np.asarray(Image.open(folder / "labels" / f"frame{number}.png"))
        assert ((labels[..., 0] == 255) == disk(number)).mean() > 0.98
    assert len(list((folder / "over").iterdir())) == 11


def test_a_class_that_leaves_is_told(folder):
    for number in range(6, 11):
        Image.fromarray(np.full((40, 60, 3), (70, 120, 100), np.uint8)).save(
            folder / "frames" / f"frame{number}.png"
        )
    report = run(folder)
    assert "The class #ff0000 is in no pixel from the frame frame6 on" in str(report.notes[-1])
    labels = np.asarray(Image.open(folder / "labels" / "frame10.png"))
    assert (labels == (0, 0, 255, 255)).all()


def test_how_far_apart_points_lie_matters(folder):
    rng = np.random.default_rng(0)
    for number in range(11):
        pixels = np.where(disk(number)[..., None], 140, 110) + rng.normal(0, 25, (40, 60, 3))
        Image.fromarray(pixels.clip(0, 255).astype(np.uint8)).save(folder / "frames" / f"frame{number}.png")
    with pytest.raises(OptionError, match="spacing must be 2 positive numbers"):
        run(folder, spacing=(1.0, 1.0, 2.0))
    counts = []
    for spacing in (None, (1.0, 8.0)):
        counts.append([found.assigned for found in run(folder, spacing=spacing).classes])
        (folder / "labels").rename(folder / str(spacing))
    assert counts[0] != counts[1]


def test_frames_are_sorted_as_people_count(folder):
    (folder / "frames" / "notes.docx").write_bytes(b"")
    names = [path.stem for path in frames_in(folder / "frames")]
    assert names == [f"frame{number}" for number in range(11)]


def test_what_a_film_has_not_is_refused(folder):
    with pytest.raises(OptionError, match="sheet is for one picture"):
        run(folder, sheet=folder / "sheet.png")
    (folder / "labels").mkdir()
    with pytest.raises(OptionError, match="is there already; of a film, name a new folder"):
        run(folder)
    (folder / "empty").mkdir()
    with pytest.raises(OptionError, match="holds no picture"):
        frames_in(folder / "empty")
