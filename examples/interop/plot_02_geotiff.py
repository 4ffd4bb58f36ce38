"""
A satellite picture: GeoTIFF
============================

Four bands with a place on the Earth go in, points with coordinates are the marks, and the labels are a GeoTIFF in the
same place.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import rasterio
from rasterio.transform import from_origin
from scipy import ndimage

import graphwell as gw
from graphwell.jobs.segment import SegmentOptions, segment

rng = np.random.default_rng(3)
truth = ndimage.gaussian_filter(rng.standard_normal((3, 120, 180)), (0, 20, 20)).argmax(axis=0)
kinds = ["water", "forest", "field"]
reflectance = np.array([[900, 700, 500, 200], [300, 600, 400, 3200], [700, 900, 1100, 2400]])
bands = np.moveaxis(reflectance[truth] + rng.normal(0, 250, (*truth.shape, 4)), -1, 0)
bands = np.clip(bands, 1, None).astype(np.uint16)
bands[:, :, :12] = 0  # where the satellite did not look
place = from_origin(380_000, 5_400_000, 10, 10)  # ten metres a pixel, in zone 32 of UTM

folder = Path(tempfile.mkdtemp())
form = {"driver": "GTiff", "count": 4, "height": 120, "width": 180, "dtype": "uint16"}
with rasterio.open(folder / "scene.tif", "w", **form, crs="EPSG:32632", transform=place, nodata=0) as file:
    file.write(bands)

# %%
# Somebody was there with a receiver: twelve points of each kind, east and north in metres. rasterio says which pixels these
# are, and an array of classes, -1 where nobody was, is one of the ways to give marks.

marks = gw.datasets.sample_labels(truth[:, 12:].ravel(), per_class=12, random_state=0).reshape(120, 168)
points = [(*(place * (c + 12.5, r + 0.5)), marks[r, c]) for r, c in np.argwhere(marks >= 0)]
seeds = np.full(truth.shape, -1)
with rasterio.open(folder / "scene.tif") as scene:
    for east, north, kind in points:
        seeds[scene.index(east, north)] = kind
np.save(folder / "points.npy", seeds)

# %%
# In a shell this is ``graphwell segment scene.tif --seeds points.npy -o labels.tif``. A field without any point in it may be
# taken for what lies around it; the report names the squares where further points would help most.

files = {"image": folder / "scene.tif", "seeds": folder / "points.npy", "output": folder / "labels.tif"}
report = segment(SegmentOptions(**files))
with rasterio.open(files["output"]) as found:
    print(found.crs, found.res, found.bounds, f"{found.nodata} is where nothing is known")
    labels, none, bounds = found.read(1), found.nodata, found.bounds
seen = labels != none
wrong = 100 * np.mean(labels[seen] != truth[seen])

# %%
figure, panels = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained", sharey=True)
extent = (bounds.left, bounds.right, bounds.bottom, bounds.top)
shown = np.moveaxis(bands[[3, 1, 0]], 0, -1) / [4000, 1500, 1500]
panels[0].imshow(np.clip(shown, 0, 1), extent=extent)
east, north, kind = np.array(points).T
panels[0].scatter(east, north, c=kind, cmap="tab10", vmax=9, s=45, edgecolor="white", linewidth=0.8)
panels[0].set(title="bands 4, 2 and 1, and the points", xlabel="east, m", ylabel="north, m")
panels[1].imshow(
    np.ma.masked_equal(labels, none), cmap="tab10", vmax=9, interpolation="nearest", extent=extent
)
for number, name in enumerate(kinds):
    panels[1].scatter([], [], color=plt.cm.tab10(number), label=name)
panels[1].set(title=f"labels.tif, {wrong:.2f} % wrong", xlabel="east, m")
panels[1].legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
for panel in panels:
    panel.ticklabel_format(style="plain", useOffset=False)
    panel.locator_params(nbins=4)
plt.show()
