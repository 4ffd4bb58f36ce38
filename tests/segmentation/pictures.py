"""Pictures and seeds for tests."""

import graphwell as gw

ONE = {"n_jobs": 1}  # small pictures gain nothing from threads


def grey(noise=0.0, side=96):
    return gw.datasets.make_grey_image(side, side + 3, noise=noise, random_state=7)


def some(truth, per_class, seed=7):
    return gw.datasets.sample_labels(truth.ravel(), per_class, seed).reshape(truth.shape)
