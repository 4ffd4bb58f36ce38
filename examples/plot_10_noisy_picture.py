"""
A noisy picture
===============

The paper's picture of five grey levels, drowned in noise, with one short stroke in each region.
"""

import matplotlib.pyplot as plt
import numpy as np

import graphwell as gw
from graphwell.datasets.strokes import strokes

image, truth = gw.datasets.make_grey_image(noise=0.25, random_state=0)
seeds = strokes(truth)

# %%
# A `Segmenter` keeps the graph: each further stroke costs a fraction of the first call.

segmenter = gw.Segmenter(image)
found = segmenter.segment(seeds)
wrong = 100 * np.mean(found.labels != truth)

# %%
figure, panels = plt.subplots(1, 4, figsize=(11, 3), layout="constrained")
marked = np.ma.masked_less(seeds, 0)
panels[0].imshow(image, cmap="gray")
panels[1].imshow(image, cmap="gray", alpha=0.3)
panels[1].imshow(marked, cmap="tab10", vmax=9, interpolation="nearest")
panels[2].imshow(found.labels, cmap="tab10", vmax=9, interpolation="nearest")
panels[3].imshow(1 - found.score, cmap="magma")
titles = ("picture", "strokes", f"labels, {wrong:.2f} % wrong", "doubt")
for panel, title in zip(panels, titles, strict=True):
    panel.set_title(title)
    panel.set_axis_off()
plt.show()
