"""
Segment a volume with flat voxels
=================================

Three tissues in a noisy scan whose slices lie two and a half times as far apart as the points inside a slice. Marks are
painted on three of its twenty slices; a masked array leaves out what lies outside of the scanner.
"""

import matplotlib.pyplot as plt
import numpy as np

import graphwell as gw

spacing = (1.0, 1.0, 2.5)
shape = (64, 64, 20)
y, x, z = (np.indices(shape).T * spacing).T
truth = np.zeros(shape, dtype=int)
truth[(y - 36) ** 2 + (x - 34) ** 2 + (z - 25) ** 2 < 20**2] = 1
truth[(y - 30) ** 2 + (x - 30) ** 2 + (z - 25) ** 2 < 9**2] = 2
rng = np.random.default_rng(0)
scan = np.array([0.5, 0.25, 0.75])[truth] + 0.12 * rng.standard_normal(shape)
outside = (y - 32) ** 2 + (x - 32) ** 2 > 32**2
scan = np.ma.masked_where(outside, scan)

# %%
# Short strokes on slices 4, 10 and 16. Seeds with three axes say that the image is a volume, not a picture with
# twenty channels.

seeds = np.full(shape, -1)
seeds[6, 24:40, [4, 10, 16]] = 0
seeds[46, 28:40, [4, 10, 16]] = 1
seeds[29:32, 27:33, 10] = 2
labels = gw.segment(scan, seeds, spacing=spacing)
wrong = 100 * np.mean(labels[~outside] != truth[~outside])

# %%
figure, panels = plt.subplots(2, 4, figsize=(11, 5.5), layout="constrained")
for column, slice_number in enumerate((3, 7, 10, 14)):
    panels[0, column].imshow(scan[:, :, slice_number], cmap="gray", vmin=0, vmax=1)
    marked = np.ma.masked_less(seeds[:, :, slice_number], 0)
    panels[0, column].imshow(marked, cmap="tab10", vmin=0, vmax=9, interpolation="nearest")
    panels[0, column].set_title(f"slice {slice_number}")
    found = np.ma.masked_less(labels[:, :, slice_number], 0)
    panels[1, column].imshow(found, cmap="tab10", vmin=0, vmax=9, interpolation="nearest")
for panel in panels.flat:
    panel.set_axis_off()
figure.suptitle(f"A scan with marks, and its labels: {wrong:.2f} % of the points wrong")
plt.show()
