"""
Fields over a year: xarray
==========================

Greenness of a landscape, month by month. `gw.segment` takes the DataArray, with the months as channels, and returns one
that keeps the coordinates.
"""

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from scipy import ndimage

import graphwell as gw

rng = np.random.default_rng(0)
truth = ndimage.gaussian_filter(rng.standard_normal((4, 80, 120)), (0, 12, 12)).argmax(axis=0)
month = np.arange(1, 13)
years = np.array(
    [
        0.5 + 0.15 * np.sin(month / 12 * 2 * np.pi - 1.5),  # meadow
        0.15 + 0.7 * np.exp(-(((month - 8) / 1.6) ** 2)),  # maize
        0.15 + 0.7 * np.exp(-(((month - 5.5) / 1.6) ** 2)),  # wheat
        np.full(12, 0.05),  # water
    ]
)
crops = ["meadow", "maize", "wheat", "water"]
values = np.moveaxis(years[truth], -1, 0) + 0.2 * rng.standard_normal((12, 80, 120))
values[:, 8:20, 85:112] = np.nan  # clouds, all year
green = xr.DataArray(
    values,
    dims=("month", "y", "x"),
    coords={"month": month, "y": 5_400_000 - 10 * np.arange(80), "x": 380_000 + 10 * np.arange(120)},
    name="greenness",
)

# %%
# Twelve points of each crop were visited. Where there is no data there is no label: -1.

visited = gw.datasets.sample_labels(truth.ravel(), per_class=12, random_state=0).reshape(truth.shape)
labels = gw.segment(green, visited, channel_axis="month")
print(labels.sel(x=381_000, y=5_399_890, method="nearest").item(), "is what no data gets")

# %%
# Labels with coordinates go on in xarray: the mean year of each class, as it was found.

seen = labels.values >= 0
wrong = 100 * np.mean(labels.values[seen] != truth[seen])
figure, panels = plt.subplots(1, 3, figsize=(12, 3.2), layout="constrained")
green.sel(month=7).plot(ax=panels[0], cmap="Greens", add_colorbar=False)
panels[0].set_title("greenness in July, and what was visited")
rows, columns = np.nonzero(visited >= 0)
panels[0].scatter(green.x[columns], green.y[rows], s=16, c=visited[rows, columns], cmap="tab10", vmax=9)
labels.where(labels >= 0).plot(ax=panels[1], cmap="tab10", vmin=0, vmax=9, add_colorbar=False)
panels[1].set_title(f"labels, {wrong:.2f} % wrong")
for number, crop in enumerate(crops):
    green.where(labels == number).mean(("y", "x")).plot(ax=panels[2], label=crop)
panels[2].set(title="the year of each class", ylabel="greenness")
panels[2].legend(frameon=False, loc="upper left", fontsize=8)
panels[2].set_ylim(0, 1.1)
for panel in panels[:2]:
    panel.set(xlabel="east, m", ylabel="north, m", aspect="equal")
    panel.ticklabel_format(style="plain", useOffset=False)
    panel.locator_params(nbins=3)
plt.show()
