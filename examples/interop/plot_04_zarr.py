"""
Microscopy in folders: Zarr
===========================

Large pictures lie in folders of Zarr, chunk by chunk. A group that holds an array ``image`` is read as it is, with its channels; labels go
back into the same folder. OME-Zarr is read with the names of its axes and their spacing.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import zarr
from scipy import ndimage

from graphwell.jobs.segment import SegmentOptions, segment

rng = np.random.default_rng(0)
y, x = np.mgrid[:140, :200]
angle = np.arctan2(y - 70, x - 100)
distance = np.hypot(y - 70, 0.75 * (x - 100)) + 6 * np.sin(3 * angle) + 4 * np.cos(5 * angle)
truth = np.digitize(-distance, [-55, -32])  # tissue, wall, lumen of a vessel
light = np.array([[0.35, 0.1], [0.4, 0.35], [0.2, 0.05]])[truth]  # of two stains
image = ndimage.gaussian_filter(light, (1.5, 1.5, 0)) + 0.1 * rng.standard_normal((140, 200, 2))

folder = Path(tempfile.mkdtemp()) / "vessel.zarr"
store = zarr.open_group(folder, mode="w")
store.create_array("image", data=image.astype(np.float32), chunks=(64, 64, 2))

# %%
# Marks: four strokes of a brush for each class, as an array where -1 is unknown.

marks = np.full(truth.shape, -1)
for kind in range(3):
    inside = np.argwhere(ndimage.binary_erosion(truth == kind, iterations=2))
    for row, column in rng.permutation(inside)[:4]:
        brush = np.hypot(y - row, x - column) <= 2
        marks[brush & (truth == kind)] = kind
np.save(folder.parent / "marks.npy", marks)

# %%
# In a shell: ``graphwell segment vessel.zarr --seeds marks.npy -o labels.npy``.

found = folder.parent / "labels.npy"
report = segment(SegmentOptions(image=folder, seeds=folder.parent / "marks.npy", output=found))
labels = np.load(found)
store.create_array("labels", data=labels)
print(store.tree())

# %%
wrong = 100 * np.mean(labels != truth)
figure, panels = plt.subplots(1, 3, figsize=(11, 2.8), layout="constrained")
colours = np.stack([image[..., 0], image[..., 1] * 0.5, image[..., 1]], axis=-1)
panels[0].imshow(np.clip(colours, 0, 1))
panels[0].set_title("two stains")
panels[1].imshow(np.ma.masked_less(marks, 0), cmap="tab10", vmax=9, interpolation="nearest")
panels[1].set_title("twelve strokes")
panels[2].imshow(labels, cmap="tab10", vmax=9)
panels[2].set_title(f"tissue, wall and lumen: {wrong:.2f} % wrong")
for panel in panels:
    panel.set_axis_off()
plt.show()
