"""Segmenting a picture from a few seeds: the image face of the library."""

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from graphwell._checks import number_between, one_of, positive_number
from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.registry import find_backend
from graphwell.progress import Progress, silent
from graphwell.segmentation.answer import Answer
from graphwell.segmentation.features import picture_features
from graphwell.segmentation.on_graph import OnGraph
from graphwell.segmentation.on_pixels import OnPixels
from graphwell.segmentation.pixels import feature_graph
from graphwell.segmentation.seeds import seed_classes
from graphwell.solve.result import Result

GRAPHS = ("pixels", "features")
LARGEST_BLUR = 100


@dataclass(frozen=True, eq=False)
class Segmentation:
    """A segmented picture, and how it came about.

    Attributes
    ----------
    labels : array of shape (height, width)
        Class of each pixel; -1 where no seed reaches.
    score : array of shape (height, width)
        How sure a pixel is, from 0 to 1: the share of its class among its neighbours, and in what marks and
        colours said before; low along borders.
    reachable : array of shape (height, width)
        False in regions that hold no seed and are joined to none by like colours.
    classes : array of shape (n_classes,)
        The classes found among the seeds.
    result : Result
        Of the descent.
    seconds : dict
        Time of each stage.
    """

    labels: IntArray = field(repr=False)
    score: FloatArray = field(repr=False)
    reachable: BoolArray = field(repr=False)
    classes: IntArray
    result: Result
    seconds: dict[str, float]


class Segmenter:
    """A picture made ready to be segmented from seeds, again and again.

    The graph is built once. Each call after the first begins from the one before, so that a new stroke
    costs a fraction of the first.

    Parameters
    ----------
    image : array of shape (height, width) or (height, width, channels)
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
        Weight of the seeds; at 30 none is ever overruled. Pixels on the processor never overrule one.
    device : {"cpu", "cuda"}
    n_jobs : int, optional
        Threads; all cores by default. The result does not depend on it.
    progress : callable
        Told the stage (graph, start, descent) and the share of it that is done, None if unknown.

    Examples
    --------
    >>> import graphwell as gw
    >>> image, truth = gw.datasets.make_grey_image(64, 64)
    >>> segmenter = Segmenter(image)
    >>> seeds = np.where(np.arange(64) % 8 == 0, truth, -1)
    >>> found = segmenter.segment(seeds)
    >>> bool((found.labels == truth).all()), found.result.status.name
    (True, 'SETTLED')
    """

    def __init__(
        self,
        image: Any,
        *,
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
    ) -> None:
        one_of("graph", graph, GRAPHS)
        if color_scale is not None:
            positive_number("color_scale", color_scale)
        if smoothing is not None:
            number_between("smoothing", smoothing, 0, LARGEST_BLUR, ends=True, unit=" pixels")
        positive_number("position_weight", position_weight)
        positive_number("fidelity", fidelity)
        self.progress = progress
        progress("graph", 0.0)
        began = time.perf_counter()
        backend = find_backend(device, n_jobs=n_jobs)
        features = picture_features(image, patch, as_seen=graph == "pixels")
        self.shape = features.values.shape[:-1]
        self._way: OnGraph | OnPixels
        if graph == "features":
            made = feature_graph(features.values, n_neighbors, position_weight, n_jobs)
            self._way = OnGraph(made, self.shape, backend, fidelity, progress)
        elif device == "cpu":
            self._way = OnPixels(features, radius, color_scale, smoothing, n_jobs, progress)
        else:
            self._way = OnGraph.of_pixels(
                features, radius, color_scale, smoothing, backend, fidelity, progress
            )
        self._graph_seconds = time.perf_counter() - began

    def segment(self, seeds: Any) -> Segmentation:
        """Give every pixel a class.

        Parameters
        ----------
        seeds : integer array of shape (height, width)
            Known classes, -1 where unknown. All seeds, those of earlier calls too.
        """
        classes, codes = seed_classes(seeds, self.shape)
        answer = self._way.label(codes, classes)
        seconds = {"graph": self._graph_seconds, **answer.seconds} if answer.is_first else answer.seconds
        return self._segmentation(classes, answer, seconds)

    def _segmentation(self, classes: IntArray, answer: Answer, seconds: dict[str, float]) -> Segmentation:
        reachable = answer.reachable.reshape(self.shape)
        labels = classes[answer.result.labels].reshape(self.shape)
        score = answer.score.reshape(self.shape).astype(np.float32)
        return Segmentation(
            np.where(reachable, labels, -1),
            np.where(reachable, score, np.float32(0)),
            reachable,
            classes,
            answer.result,
            {stage: round(value, 3) for stage, value in seconds.items()},
        )
