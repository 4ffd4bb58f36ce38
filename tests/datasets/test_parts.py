"""What data sets are made of and from: streams, strokes, files of the example, addresses and checksums."""

import hashlib

import numpy as np
from PIL import Image
from scipy import ndimage

from graphwell import datasets
from graphwell._random import stream
from graphwell.datasets.fetched import SOURCES
from graphwell.datasets.strokes import STROKE, strokes, write_example


def test_data_labels_and_start_are_independent_under_one_seed():
    draws = [stream(0, purpose).random(1000) for purpose in ("three moons", "two moons", "start", "k-means")]
    draws.append(np.random.default_rng(0).random(1000))
    correlation = np.corrcoef(draws) - np.eye(len(draws))
    assert np.abs(correlation).max() < 0.15


def test_one_stroke_in_each_region_and_inside_it():
    _, truth = datasets.make_grey_image()
    seeds = strokes(truth)
    marked = seeds >= 0
    np.testing.assert_array_equal(seeds[marked], truth[marked])
    regions = sum(ndimage.label(truth == c)[1] for c in range(5))
    assert ndimage.label(marked)[1] == regions
    assert marked.sum() == regions * STROKE


def test_the_example_is_three_files(tmp_path):
    marked = write_example(tmp_path / "example", noise=0.1, per_class=20, random_state=0)
    assert marked == 100
    names = {path.name for path in (tmp_path / "example").iterdir()}
    assert names == {"image.png", "seeds.png", "truth.npy"}
    opacity = np.asarray(Image.open(tmp_path / "example" / "seeds.png"))[..., 3]
    assert (opacity == 255).sum() == marked
    image = np.asarray(Image.open(tmp_path / "example" / "image.png"))
    assert image.shape == np.load(tmp_path / "example" / "truth.npy").shape == (191, 196)


def test_every_file_has_a_safe_address_and_a_whole_checksum():
    for address, files in SOURCES.values():
        assert address.startswith("https://")
        assert address.endswith("/")
        for checksum in files.values():
            kind, digest = checksum.split(":")
            assert len(bytes.fromhex(digest)) == hashlib.new(kind).digest_size
