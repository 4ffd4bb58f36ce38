"""Marks as people make them give the labels that clean ones give."""

import numpy as np
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


def test_hard_edges_come_back_as_they_were_and_soft_ones_give_the_same_labels(tmp_path):
    picture = Image.fromarray(load_sample_image("china.jpg"))
    pixels = np.asarray(picture)
    clean = np.asarray(painted(Image.new("RGBA", picture.size)))
    seeds = np.full(clean.shape[:2], -1)
    for number, color in enumerate(sorted(color for color, _ in STROKES)):
        seeds[(clean == (*color, 255)).all(axis=2)] = number
    wanted = gw.segment(pixels, seeds, n_jobs=1)
    for ground, name in (("picture", "marks.png"), ("white", "marks.tif"), ("black", "marks.png")):
        below = picture if ground == "picture" else Image.new("RGB", picture.size, ground)
        painted(below).convert("RGB").save(tmp_path / name)
        read = read_seeds(tmp_path / name, seeds.shape, picture=pixels).classes
        np.testing.assert_array_equal(read, seeds)
        if ground != "black":
            painted(below, antialiased=True).convert("RGB").save(tmp_path / name)
            soft = read_seeds(tmp_path / name, seeds.shape, picture=pixels).classes
            assert (gw.segment(pixels, soft, n_jobs=1) != wanted).mean() < 0.005
