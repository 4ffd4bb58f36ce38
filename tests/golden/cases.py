"""Fits whose labels and offsets must not change unless somebody means them to.

Features are whole numbers, or drawn from a seeded generator: no matrix library has a say in their bits.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

import graphwell as gw

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
SHORT = gw.Annealed(2.0, 0.5, ratio=0.7, sweeps=20)
States = tuple[Any, Any]
"""Labels and offsets of all rows."""


def three_moons(**parameters: Any) -> States:
    X, truth = gw.datasets.make_three_moons(random_state=0)
    return _fitted(X, gw.datasets.sample_labels(truth, per_class=25, random_state=0), **parameters)


def digits(**parameters: Any) -> States:
    X, truth = load_digits(return_X_y=True)
    return _fitted(X, gw.datasets.sample_labels(truth, per_class=5, random_state=0), **parameters)


def mnist(**parameters: Any) -> States:
    """All of MNIST as sums of 4 x 4 pixels: enough rows for the approximate search."""
    images, truth = gw.datasets.load_mnist(SHARED / "mnist")
    pooled = images.reshape(-1, 7, 4, 7, 4).sum(axis=(2, 4), dtype=np.int64).reshape(len(images), 49)
    y = gw.datasets.sample_labels(truth, per_class=5, random_state=0)
    return _fitted(pooled.astype(np.float32), y, **parameters)


def precomputed(**parameters: Any) -> States:
    X, truth = load_digits(return_X_y=True)
    W = gw.Graph.from_features(X, n_neighbors=7).W
    y = gw.datasets.sample_labels(truth, per_class=10, random_state=1)
    return _fitted(W, y, metric="precomputed", **parameters)


def picture(**parameters: Any) -> States:
    image, truth = gw.datasets.make_grey_image(noise=0.1, random_state=0)
    seeds = gw.datasets.sample_labels(truth.ravel(), per_class=20, random_state=0).reshape(truth.shape)
    result = gw.Segmenter(image, **parameters).segment(seeds).result
    return result.labels, result.offsets


def on_dask(**parameters: Any) -> States:
    """Digits as a Dask array in three blocks."""
    import dask.array as da

    X, truth = load_digits(return_X_y=True)
    y = gw.datasets.sample_labels(truth, per_class=5, random_state=0)
    return _fitted(da.from_array(X, chunks=((600, 600, 597), 64)), y, **parameters)


def _fitted(X: Any, y: Any, **parameters: Any) -> States:
    result = gw.DiffuseInterfaceClassifier(random_state=0, **parameters).fit(X, y).result_
    return result.labels, result.offsets


CPU: dict[str, Callable[[], States]] = {
    "three moons": three_moons,
    "three moons, the paper's descent": lambda: three_moons(start="random", schedule=SHORT),
    "digits": digits,
    "digits, class sizes": lambda: digits(class_prior=[0.1] * 10),
    "digits, nearest start": lambda: digits(start="nearest", schedule=SHORT),
    "digits, tuned": lambda: digits(tune=True),
    "precomputed": precomputed,
    "picture": picture,
}
ON_DASK: dict[str, Callable[[], States]] = {
    "dask": on_dask,
    "dask, class sizes": lambda: on_dask(class_prior=[0.1] * 10),
    "dask, nearest start": lambda: on_dask(start="nearest", schedule=SHORT),
}
ON_MNIST: dict[str, Callable[[], States]] = {"mnist": mnist}
ON_GPU: dict[str, Callable[[], States]] = {
    "gpu, three moons": lambda: three_moons(device="cuda"),
    "gpu, digits": lambda: digits(device="cuda"),
    "gpu, class sizes": lambda: digits(class_prior=[0.1] * 10, device="cuda"),
    "gpu, nearest start": lambda: digits(start="nearest", schedule=SHORT, device="cuda"),
    "gpu, tuned": lambda: digits(tune=True, device="cuda"),
    "gpu, precomputed": lambda: precomputed(device="cuda"),
    "gpu, picture": lambda: picture(device="cuda"),
}
