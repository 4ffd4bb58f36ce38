"""`graphwell segment` and its example, as they are run from a shell."""

import json
import re

import numpy as np
import pytest
from PIL import Image

from graphwell.datasets import make_grey_image, sample_labels
from tests.cli.blobs import run


def segment(folder, *options, image="image.png", seeds="seeds.png", output="labels.png"):
    paths = ("--seeds", folder / seeds, "-o", folder / output, "--jobs", 1)
    return run("segment", folder / image, *paths, *options)


@pytest.fixture
def folder(tmp_path):
    """A small clean picture with marks."""
    image, truth = make_grey_image(64, 70)
    Image.fromarray(np.round(255 * image).astype(np.uint8)).save(tmp_path / "image.png")
    seeds = sample_labels(truth.ravel(), 15, 0).reshape(truth.shape)
    np.save(tmp_path / "seeds.npy", seeds)
    np.save(tmp_path / "truth.npy", truth)
    colors = np.array([(9, 0, 0), (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 0), (0, 0, 0)])
    pixels = np.dstack([colors[seeds], np.where(seeds >= 0, 255, 0)]).astype(np.uint8)
    Image.fromarray(pixels).save(tmp_path / "seeds.png")
    return tmp_path


def test_all_outputs(folder):
    options = ("--overlay", folder / "o.png", "--scores", folder / "s.png", "--masks", folder / "masks")
    finished = segment(folder, *options)
    assert finished.exit_code == 0, finished.output
    for words in ("64 x 70 pixels, 75 marked, 5 classes", "#ff0000", "Seconds: reading", "Written:"):
        assert words in finished.stdout
    for path in ("labels.png", "o.png", "s.png", "masks"):
        assert str(folder / path) in finished.stdout.replace("\n", "")
    truth = np.load(folder / "truth.npy")
    assert np.asarray(Image.open(folder / "o.png")).shape == (64, 70, 3)
    assert np.asarray(Image.open(folder / "s.png")).shape == (64, 70)
    masks = sorted(path.name for path in (folder / "masks").iterdir())
    assert masks == [f"mask_{c}.png" for c in ("0000ff", "00ff00", "090000", "ff0000", "ffff00")]
    for number, color in enumerate(("090000", "ff0000", "00ff00", "0000ff", "ffff00")):
        mask = np.asarray(Image.open(folder / "masks" / f"mask_{color}.png")) > 0
        np.testing.assert_array_equal(mask, truth == number)


def test_what_was_read_is_written_before_anything_is_computed(folder):
    finished = segment(folder, "--seeds-out", folder / "read.npy", "--set", "radius=0.2", seeds="seeds.npy")
    assert finished.exit_code == 2  # the radius is wrong, but that is found later
    np.testing.assert_array_equal(np.load(folder / "read.npy"), np.load(folder / "seeds.npy"))


def test_strokes_on_a_copy_of_the_picture(folder):
    copy = np.asarray(Image.open(folder / "image.png").convert("RGB")).copy()
    marks = np.asarray(Image.open(folder / "seeds.png"))
    copy[marks[..., 3] > 0] = marks[marks[..., 3] > 0][:, :3]
    Image.fromarray(copy).save(folder / "copy.png")
    finished = segment(folder, "--json", "--seeds-out", folder / "read.png", seeds="copy.png")
    assert finished.exit_code == 0, finished.output
    assert "painted on a copy of the picture" in json.loads(finished.stdout)["notes"][0]
    np.testing.assert_array_equal(np.asarray(Image.open(folder / "read.png"))[..., 3], marks[..., 3])


def test_a_region_without_marks_is_transparent_and_ends_a_strict_run_with_1(folder):
    seeds = np.load(folder / "seeds.npy")
    np.save(folder / "seeds.npy", np.where(seeds == 0, -1, seeds))
    assert segment(folder, seeds="seeds.npy").exit_code == 0
    finished = segment(folder, "--strict", seeds="seeds.npy")
    assert finished.exit_code == 1
    assert "No seed reaches" in " ".join(finished.stderr.split())
    opacity = np.asarray(Image.open(folder / "labels.png"))[..., 3]
    assert ((opacity == 0) == (np.load(folder / "truth.npy") == 0)).all()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"image": "missing.png"}, "missing.png: No such file or directory"),
        ({"image": "."}, "the name must end in .png"),
        ({"seeds": "missing.json"}, "missing.json: No such file or directory"),
        ({"output": "no/labels.png"}, "does not exist; create it first"),
        ({"output": "labels.jpg"}, "--output .*labels.jpg: the name must end in .png, .tif, .tiff, .npy"),
        ({"output": "image.png"}, "IMAGE and --output are both the file"),
        ({"output": "seeds.png"}, "--seeds and --output are both the file"),
        ({"options": ("--set", "max_pixels=100")}, "70 x 64 = 4,480 pixels, more than the 100 allowed"),
        ({"options": ("--background", "whitish")}, "--background must be one of"),
        ({"options": ("--set", "radius=0.2")}, "--set radius must lie between 1 and 16 pixels"),
        ({"options": ("--overlay", "x.gif")}, "--overlay x.gif: the name must end in"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(folder, arguments, words):
    before = sorted(folder.iterdir())
    finished = segment(folder, *arguments.pop("options", ()), **arguments)
    assert finished.exit_code == 2
    assert finished.stdout == ""
    assert finished.stderr.count("\n") == 1
    assert re.search(words, finished.stderr), finished.stderr
    assert sorted(folder.iterdir()) == before


def test_masks_never_overwrite_what_was_read(folder):
    (folder / "image.png").rename(folder / "mask_ff0000.png")
    finished = segment(folder, "--masks", folder, image="mask_ff0000.png")
    assert finished.exit_code == 2
    assert "both the file" in finished.stderr
    assert not (folder / "labels.png").exists()
    (folder / "taken").write_text("x")
    assert "is a file" in segment(folder, "--masks", folder / "taken", image="mask_ff0000.png").stderr


def test_a_volume_with_spacing(tmp_path):
    truth = np.zeros((16, 18, 6), dtype=int)
    truth[4:12, 5:13, 1:5] = 1
    np.save(tmp_path / "scan.npy", truth + 1.0)
    np.save(tmp_path / "seeds.npy", sample_labels(truth.ravel(), 10, 0).reshape(truth.shape))
    files = {"image": "scan.npy", "seeds": "seeds.npy", "output": "labels.npy"}
    result = segment(tmp_path, "--set", "spacing=1,1,2.5", **files)
    assert result.exit_code == 0, result.output
    assert "16 x 18 x 6 pixels, 20 marked" in result.output
    assert (np.load(tmp_path / "labels.npy") == truth).all()
    for wrong, words in (
        ("1;2", "--set spacing must be numbers"),
        ("1,2", "--set spacing must be 3 positive numbers"),
    ):
        result = segment(tmp_path, "--set", f"spacing={wrong}", **files)
        assert result.exit_code == 2
        assert words in result.stderr
    result = segment(tmp_path, "--masks", tmp_path / "masks", **files)
    assert result.stderr == "graphwell: --masks draws pictures, not volumes; leave it out.\n"
