"""
Segment a photograph from a few strokes
=======================================

Five short strokes on a photograph that scikit-learn ships: sky, tower, water, and trees twice.
"""

import matplotlib.pyplot as plt
import numpy as np
from PIL import Image, ImageDraw
from sklearn.datasets import load_sample_image

import graphwell as gw

photograph = load_sample_image("china.jpg")[::2, ::2]
height, width = photograph.shape[:2]

# %%
# Strokes are lines from one point to the next, three pixels wide.

NAMES = ("sky", "tower", "water", "trees")
STROKES = [
    (0, [(20, 20), (60, 60), (190, 40), (300, 30)]),
    (1, [(103, 25), (105, 60), (75, 105), (150, 130), (75, 150), (120, 185)]),
    (2, [(200, 140), (250, 135)]),
    (3, [(170, 200), (240, 175), (300, 190), (300, 90)]),
    (3, [(8, 115), (10, 180), (60, 200)]),
]
canvas = Image.new("I", (width, height), -1)
pen = ImageDraw.Draw(canvas)
for number, line in STROKES:
    pen.line(line, fill=number, width=3)
seeds = np.array(canvas)
print(f"{np.mean(seeds >= 0):.1%} of the pixels are marked")

# %%
found = gw.Segmenter(photograph).segment(seeds)
for number, name in enumerate(NAMES):
    print(f"{name}: {np.mean(found.labels == number):.0%} of the picture")

# %%
figure, panels = plt.subplots(1, 3, figsize=(11, 2.8), layout="constrained")
for panel, over, title in (
    (panels[0], seeds, "strokes"),
    (panels[1], found.labels, "labels"),
):
    panel.imshow(photograph)
    panel.imshow(np.ma.masked_less(over, 0), cmap="tab10", vmax=9, alpha=0.7, interpolation="nearest")
    panel.set_title(title)
panels[2].imshow(1 - found.score, cmap="magma")
panels[2].set_title("doubt: where to mark next")
for panel in panels:
    panel.set_axis_off()
plt.show()
