"""Marks as people make them give the labels that clean ones give."""

import numpy as np
import pytest
from PIL import Image, ImageDraw
from sklearn.datasets import load_sample_image

import graphwell as gw
from graphwell.io.images import read_seeds

FINE = 4
"""Times that antialiased strokes are drawn larger and shrunk."""
STROKES = [  # temple, sky, lake, trees
    ((255, 0, 0), [(200, 70), (210, 180), (200, 330)]),
    ((0, 0, 255), [(60, 40), (400, 60), (600, 100)]),
    ((255, 255, 0), [(380, 300), (470, 265)]),
    ((0, 255, 0), [(60, 400), (160, 400), (420, 380)]),
]
WIDTH = 9


def painted(ground, *, antialiased=False):
    """The strokes over a picture."""
    scale = FINE if antialiased else 1
    marks = Image.new("RGBA", (ground.width * scale, ground.height * scale))
    draw = ImageDraw.Draw(marks)
    for color, points in STROKES:
        at = [(scale * (x + 0.5), scale * (y + 0.5)) for x, y in points] if antialiased else points
        draw.line(at, fill=(*color, 255), width=scale * WIDTH, joint="curve")
    if antialiased:
        marks = marks.convert("RGBa").resize(ground.size, Image.Resampling.BOX).convert("RGBA")
    return Image.alpha_composite(ground.convert("RGBA"), marks)


@pytest.fixture(scope="module")
def photograph():
    """The picture, clean marks, and the labels that they give."""
    picture = Image.fromarray(load_sample_image("china.jpg"))
    clean = np.asarray(painted(Image.new("RGBA", picture.size)))
    seeds = np.full(clean.shape[:2], -1)
    for number, color in enumerate(sorted(color for color, _ in STROKES)):
        seeds[(clean == (*color, 255)).all(axis=2)] = number
    return picture, seeds, gw.segment(np.asarray(picture), seeds, n_jobs=1)


def read(tmp_path, picture, ground, name, *, antialiased):
    below = picture if ground == "picture" else Image.new("RGB", picture.size, ground)
    painted(below, antialiased=antialiased).convert("RGB").save(tmp_path / name)
    return read_seeds(tmp_path / name, (picture.height, picture.width), picture=np.asarray(picture)).classes


@pytest.mark.parametrize("name", ["marks.png", "marks.tif"])
@pytest.mark.parametrize("ground", ["picture", "white", "black"])
def test_hard_edges_come_back_as_they_were(tmp_path, photograph, name, ground):
    picture, seeds, _ = photograph
    np.testing.assert_array_equal(read(tmp_path, picture, ground, name, antialiased=False), seeds)


@pytest.mark.parametrize("ground", ["picture", "white"])
def test_soft_marks_give_the_labels_of_clean_ones(tmp_path, photograph, ground):
    picture, _, wanted = photograph
    seeds = read(tmp_path, picture, ground, "marks.png", antialiased=True)
    labels = gw.segment(np.asarray(picture), seeds, n_jobs=1)
    assert (labels != wanted).mean() < 0.005
