"""Whatever bytes a picture or its seeds hold, the program ends with 0, 1 or 2 and never with a traceback."""

import io
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image
from typer.testing import CliRunner

from graphwell.cli.app import app

FEW = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
SHAPE = (12, 14)


def encoded(array, suffix):
    file = io.BytesIO()
    if suffix == ".npy":
        np.save(file, array)
    elif suffix == ".npz":
        np.savez(file, array)
    else:
        Image.fromarray(array).save(file, format={".jpg": "JPEG", ".tif": "TIFF"}.get(suffix, "PNG"))
    return file.getvalue()


def sound_files():
    grey = (np.indices(SHAPE).sum(axis=0) * 9).astype(np.uint8)
    marks = np.zeros((*SHAPE, 4), dtype=np.uint8)
    marks[2, 2:6], marks[9, 5:9] = (255, 0, 0, 255), (0, 0, 255, 255)
    numbers = np.where(marks[..., 3] > 0, marks[..., 0] // 255, np.int64(-1))
    images = {suffix: encoded(grey, suffix) for suffix in (".png", ".tif", ".jpg", ".npy", ".npz")}
    seeds = {
        ".png": encoded(marks, ".png"),
        ".tif": encoded(marks, ".tif"),
        ".npy": encoded(numbers, ".npy"),
        ".npz": encoded(numbers, ".npz"),
        ".txt": b"row,col,class\n1,2,0\n8,9,1\n",
    }
    return images, seeds


IMAGES, SEEDS = sound_files()


def assert_ends_well(image, image_suffix, seeds, seeds_suffix, *options):
    """Run the command on files of these bytes; a refused one leaves no output."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [
            Path(folder) / f"{name}{s}" for name, s in (("image", image_suffix), ("seeds", seeds_suffix))
        ]
        for path, content in zip(paths, (image, seeds), strict=True):
            path.write_bytes(content)
        out = Path(folder) / "out.png"
        arguments = ["segment", str(paths[0]), "--seeds", str(paths[1]), "-o", str(out), "--jobs", "1"]
        finished = CliRunner().invoke(app, [*arguments, "--set", "max_pixels=10000", *options])
        assert finished.exit_code in (0, 1, 2), finished.output
        assert "Traceback" not in finished.output
        assert out.exists() == (finished.exit_code < 2)
        assert set(Path(folder).iterdir()) <= {*paths, out}
        return finished.exit_code


def test_the_sound_files_are_sound():
    for suffix, content in IMAGES.items():
        assert assert_ends_well(content, suffix, SEEDS[".png"], ".png") < 2
    for suffix, content in SEEDS.items():
        assert assert_ends_well(IMAGES[".png"], ".png", content, suffix) < 2


@pytest.mark.slow
@FEW
@given(st.binary(max_size=300), st.sampled_from(sorted(IMAGES)))
def test_any_bytes_for_a_picture(content, suffix):
    assert_ends_well(content, suffix, SEEDS[".txt"], ".txt")


@pytest.mark.slow
@FEW
@given(st.binary(max_size=300), st.sampled_from(sorted(SEEDS)))
def test_any_bytes_for_seeds(content, suffix):
    assert_ends_well(IMAGES[".npy"], ".npy", content, suffix)


@pytest.mark.slow
@FEW
@given(st.data())
def test_sound_files_with_some_bytes_changed(data):
    kinds = data.draw(st.sampled_from(sorted(IMAGES))), data.draw(st.sampled_from(sorted(SEEDS)))
    files = [bytearray(IMAGES[kinds[0]]), bytearray(SEEDS[kinds[1]])]
    which = data.draw(st.sampled_from([0, 1]))
    for _ in range(data.draw(st.integers(1, 6))):
        files[which][data.draw(st.integers(0, len(files[which]) - 1))] = data.draw(st.integers(0, 255))
    length = data.draw(st.integers(len(files[which]) // 2, len(files[which])))
    files[which] = files[which][:length]
    assert_ends_well(bytes(files[0]), kinds[0], bytes(files[1]), kinds[1], "--set", "snap=true")


@pytest.mark.slow
@FEW
@given(st.text(alphabet="0123456789,-;#ab \n\t", max_size=120))
def test_any_text_for_seeds(text):
    assert_ends_well(IMAGES[".npy"], ".npy", text.encode(), ".txt")
