"""Pictures and seeds for tests."""

import numpy as np

import graphwell as gw

ONE = {"n_jobs": 1}  # small pictures gain nothing from threads


def grey(noise=0.0, side=96):
    return gw.datasets.make_grey_image(side, side + 3, noise=noise, random_state=7)


def some(truth, per_class, seed=7):
    return gw.datasets.sample_labels(truth.ravel(), per_class, seed).reshape(truth.shape)


def balls(shape, spacing=(1, 1, 1), noise=0.1):
    """A volume with a dark and a bright ball in it."""
    places = np.moveaxis(np.indices(shape), 0, -1) * spacing
    size = np.multiply(shape, spacing)
    truth = np.zeros(shape, dtype=int)
    for number, (centre, radius) in enumerate(((0.3, 0.2), (0.68, 0.25)), start=1):
        truth[((places - centre * size) ** 2).sum(axis=-1) < (radius * size.min()) ** 2] = number
    values = np.array([0.5, 0.2, 0.8])[truth]
    return values + noise * np.random.default_rng(0).standard_normal(shape), truth
