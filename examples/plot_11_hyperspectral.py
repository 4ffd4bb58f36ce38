"""
A hyperspectral cube
====================

Sixty channels per pixel, four materials, noise in every channel. No single channel tells them apart; five marked
pixels of each do. More than eight channels are replaced by their leading principal components.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy import ndimage

import graphwell as gw

rng = np.random.default_rng(0)
field = ndimage.gaussian_filter(rng.standard_normal((4, 90, 120)), (0, 12, 12))
truth = field.argmax(axis=0)
wavelength = np.linspace(0, 1, 60)
spectra = np.array(
    [
        np.sin(3 * wavelength + phase) + 0.3 * np.cos(9 * wavelength * (1 + phase))
        for phase in (0, 0.25, 0.5, 0.75)
    ]
)
cube = spectra[truth] + 0.5 * rng.standard_normal((*truth.shape, 60))

# %%
seeds = gw.datasets.sample_labels(truth.ravel(), per_class=5, random_state=0).reshape(truth.shape)
labels = gw.segment(cube, seeds)
print(f"{100 * np.mean(labels != truth):.2f} % of {truth.size:,} pixels wrong")

# %%
figure, panels = plt.subplots(1, 4, figsize=(12, 2.8), layout="constrained")
panels[0].plot(wavelength, spectra.T)
panels[0].set(title="the four spectra", xlabel="wavelength", yticks=[])
panels[1].imshow(cube[..., 30], cmap="gray")
panels[1].set_title("one channel")
panels[2].imshow(np.ma.masked_less(seeds, 0), cmap="tab10", vmax=9, interpolation="nearest")
panels[2].set_title("marks")
panels[3].imshow(labels, cmap="tab10", vmax=9)
panels[3].set_title("labels")
for panel in panels[1:]:
    panel.set_axis_off()
plt.show()
