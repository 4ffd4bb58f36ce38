"""Segmenting a picture in one call."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwell._warnings import UnreachableWarning, warn_user
from graphwell.bridges.xarray import as_arrays, has_names
from graphwell.progress import Progress, silent
from graphwell.segmentation.segmenter import Segmentation, Segmenter


def segment(
    image: Any,
    seeds: Any,
    *,
    channel_axis: int | str | None = -1,
    spacing: Sequence[float] | None = None,
    graph: str = "pixels",
    radius: float = 3.0,
    color_scale: float | None = None,
    smoothing: float | None = None,
    patch: int = 1,
    n_neighbors: int = 30,
    position_weight: float = 1.0,
    fidelity: float = 30.0,
    device: str = "cpu",
    n_jobs: int | None = None,
    progress: Progress = silent,
) -> Any:
    """Give every pixel of a picture or volume a class, from a few pixels whose class is known.

    Parameters
    ----------
    image : array of shape (height, width), (height, width, depth) or either with channels
        Any number of channels; more than eight are replaced by their principal components. Masked points of a
        masked array are left out, and nothing passes through them. A DataArray of xarray will do: what is NaN
        there is masked.
    seeds : integer array of shape (height, width) or (height, width, depth)
        Known classes, -1 where unknown. Masked ones are not heard. A single class is everywhere, with a
        warning.
    channel_axis : int or str, optional
        The axis of `image` that holds its channels, where it has one axis more than `seeds`. Of a DataArray
        also the name of the dimension; by default the one called like channels (``"band"``, say).
    spacing : sequence of float, optional
        Distance between points along each axis but that of the channels; `radius` and `smoothing` are in
        units of the smallest. By default all are alike.
    graph : {"pixels", "features"}
        "pixels" links each pixel to those within `radius`. "features" is the paper's graph: nearest
        neighbours in place and colour.
    radius : float
        Reach of a pixel in the graph "pixels", 1 to 16.
    color_scale : float, optional
        Colour difference that separates pixels, in L*a*b* divided by 100, or on the scale of the picture with
        its largest possible value at 1; found from the noise of the picture by default.
    smoothing : float, optional
        Width in pixels of the blur before pixels are compared; found from the noise by default.
    patch : int
        Side of the square that pixels are compared by, odd; 3 or 5 tell textures apart.
    n_neighbors : int
        Neighbours in the graph "features".
    position_weight : float
        Weight of place against colour in the graph "features".
    fidelity : float
        Weight of the seeds in the graph "features"; at 30 none is overruled. "pixels" never overrules one.
    device : {"cpu", "cuda"}
        Where everything runs.
    n_jobs : int, optional
        Threads; all cores by default. The result does not depend on it.
    progress : callable
        Told the stage (graph, start, descent) and the share of it that is done, None if unknown.

    Returns
    -------
    array of the shape of `seeds`, or DataArray with the coordinates of `image`
        Class of each pixel; -1, with a warning, in regions that no seed reaches; -1 where it is masked.

    Examples
    --------
    >>> import graphwell as gw
    >>> image, truth = gw.datasets.make_grey_image(noise=0.1, random_state=0)
    >>> seeds = gw.datasets.sample_labels(truth.ravel(), per_class=20, random_state=0)
    >>> labels = gw.segment(image, seeds.reshape(truth.shape))
    >>> bool((labels == truth).mean() > 0.99)
    True
    """
    put_back, axis = None, channel_axis
    if has_names(image) or isinstance(axis, str):
        image, seeds, axis, put_back = as_arrays(image, seeds, axis)
    segmenter = Segmenter(
        image,
        channel_axis=None if np.ndim(image) == np.ndim(seeds) else axis,
        spacing=spacing,
        graph=graph,
        radius=radius,
        color_scale=color_scale,
        smoothing=smoothing,
        patch=patch,
        n_neighbors=n_neighbors,
        position_weight=position_weight,
        fidelity=fidelity,
        device=device,
        n_jobs=n_jobs,
        progress=progress,
    )
    found = segmenter.segment(seeds)
    if len(found.classes) == 1:
        warn_user(one_class_sentence(str(found.classes[0])))
    if found.unreached:
        warn_user(unreached_sentence(found), UnreachableWarning)
    return found.labels if put_back is None else put_back(found.labels)


def unreached_sentence(found: Segmentation) -> str:
    """Say how many pixels no seed reaches, and what to do."""
    return (
        f"No seed reaches {found.unreached:,} of {found.labels.size:,} pixels: their regions are cut off by "
        "strong contrast and hold no seed, so they get no class; mark some of their pixels, or raise the "
        "colour scale."
    )


def one_class_sentence(name: str) -> str:
    """Say that a single class is no segmentation, and what to do."""
    return f"Only the class {name} is marked, so every pixel has it; mark some pixels of another class too."
