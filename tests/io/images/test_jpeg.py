"""JPEG pictures."""

import numpy as np
from PIL import Image

from graphwell.io.images.jpeg import FORMAT


def test_the_orientation_is_followed(tmp_path):
    tall = np.zeros((40, 20, 3), dtype=np.uint8)
    tall[:20] = 255
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned by a quarter, clockwise
    Image.fromarray(tall).save(tmp_path / "turned.jpg", exif=exif, quality=95)
    turned = FORMAT.read(tmp_path / "turned.jpg", 1000)
    assert turned.shape == (20, 40, 3)
    assert turned[:, :15].mean() < 0.1
    assert turned[:, 25:].mean() > 0.9


def test_it_shows_pictures_but_keeps_no_labels(tmp_path):
    assert FORMAT.shows_pictures
    assert not FORMAT.keeps_labels
    with (tmp_path / "a.jpg").open("wb") as file:
        FORMAT.write_colors(np.full((8, 8, 3), 128, dtype=np.uint8), file)
    with Image.open(tmp_path / "a.jpg") as picture:
        assert picture.format == "JPEG"
