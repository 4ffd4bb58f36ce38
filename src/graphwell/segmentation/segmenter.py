"""Segmenting a picture from a few seeds: the image face of the library."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from graphwell._checks import number_between, one_of, positive_number
from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.pixels import PixelEngine
from graphwell.backends.registry import find_backend, find_pixels
from graphwell.errors import OptionError
from graphwell.progress import Progress, silent
from graphwell.segmentation.answer import Answer
from graphwell.segmentation.axes import channels_last, relative_spacing, without_single_points
from graphwell.segmentation.canvas import picture_bytes
from graphwell.segmentation.feature_graph import feature_graph
from graphwell.segmentation.features import MOST_CHANNELS, PictureFeatures, picture_features
from graphwell.segmentation.masks import without_mask
from graphwell.segmentation.on_graph import OnGraph
from graphwell.segmentation.on_pixels import OnPixels
from graphwell.segmentation.seeds import seed_classes
from graphwell.solve.result import Result, Status

GRAPHS = ("pixels", "features")
LARGEST_BLUR = 100


@dataclass(frozen=True, eq=False)
class Segmentation:
    """A segmented picture or volume, and how it came about.

    Attributes
    ----------
    labels : array of shape (height, width[, depth])
        Class of each pixel; -1 where no seed reaches, and where the image is masked.
    score : array of the same shape
        How sure a pixel is, from 0 to 1: the share of its class among its neighbours, and in what marks and
        colours said before; low along borders.
    reachable : array of the same shape
        False in regions that hold no seed and are joined to none by like colours; and where it is masked.
    masked : array of the same shape
        True where the image is masked.
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
    masked: BoolArray = field(repr=False)
    classes: IntArray
    result: Result
    seconds: dict[str, float]

    @property
    def unreached(self) -> int:
        """How many pixels no seed reaches, masked ones not counted."""
        return int((~self.reachable & ~self.masked).sum())


class Segmenter:
    """A picture or volume made ready to be segmented from seeds, again and again.

    The graph is built once. Each call after the first begins from the one before, so that a new stroke
    costs a fraction of the first.

    Parameters
    ----------
    image : array of shape (height, width), (height, width, depth) or either with channels
        Masked points of a masked array are left out, and nothing passes through them.
    channel_axis : int, optional
        The axis that holds the channels of an image of three or four axes; None if none does, so that three
        axes are a volume.
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
    >>> volume = np.zeros((8, 9, 10))
    >>> volume[:, :, 5:] = 1
    >>> seeds = np.full(volume.shape, -1)
    >>> seeds[4, 4, 2], seeds[4, 4, 8] = 0, 1
    >>> found = Segmenter(volume, channel_axis=None, spacing=(1, 1, 2)).segment(seeds)
    >>> bool((found.labels == volume).all())
    True
    """

    def __init__(
        self,
        image: Any,
        *,
        channel_axis: int | None = -1,
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
        engine = find_pixels(device if graph == "pixels" else "cpu", n_jobs)
        image = channels_last(image, channel_axis)
        n_points, n_channels = math.prod(image.shape[:-1]), min(image.shape[-1], MOST_CHANNELS)
        self._way: OnGraph | OnPixels
        with engine.memory_for(n_points, picture_bytes(n_points, n_channels)):
            features = self._features(image, spacing, graph, patch, engine)
            if graph == "features":
                _check_plain(features)
                made = feature_graph(features.values, n_neighbors, position_weight, n_jobs)
                self._way = OnGraph(made, features.values.shape[:-1], backend, fidelity, progress)
            else:
                self._way = OnPixels(features, radius, color_scale, smoothing, engine, progress)
        self._graph_seconds = time.perf_counter() - began

    def _features(
        self, image: Any, spacing: Sequence[float] | None, graph: str, patch: int, engine: PixelEngine
    ) -> PictureFeatures:
        """Note shape and mask of an image with channels last, and turn what is left into features."""
        self.shape: tuple[int, ...] = image.shape[:-1]
        apart = relative_spacing(spacing, self.shape)
        image = image.reshape(*without_single_points(self.shape), image.shape[-1])
        values, self._masked = without_mask(image)
        return picture_features(
            values, patch, as_seen=graph == "pixels", spacing=apart, masked=self._masked, engine=engine
        )

    def segment(self, seeds: Any) -> Segmentation:
        """Give every pixel a class.

        Parameters
        ----------
        seeds : integer array of the shape of the image without its channels
            Known classes, -1 where unknown. All seeds, those of earlier calls too. Masked ones are not heard.
            A single class is everywhere.
        """
        masked = None if self._masked is None else self._masked.reshape(self.shape)
        classes, known = seed_classes(seeds, self.shape, masked)
        if len(classes) == 1:
            return self._everywhere(classes)
        answer = self._way.label(replace(known, shape=without_single_points(self.shape)), classes)
        seconds = {"graph": self._graph_seconds, **answer.seconds} if answer.is_first else answer.seconds
        return self._segmentation(classes, answer, seconds)

    def forget(self) -> None:
        """Let the next call begin anew: it finds what a new Segmenter would, and takes as long."""
        self._way.forget()

    def _everywhere(self, classes: IntArray) -> Segmentation:
        """What a single class comes to: every pixel that is not masked has it."""
        n = math.prod(self.shape)
        shown = np.ones(n, bool) if self._masked is None else ~self._masked.ravel()
        result = Result(np.zeros(n, dtype=np.int64), np.zeros(n), Status.ONE_CLASS)
        return self._segmentation(classes, Answer(result, shown.astype(np.float32), shown, True, {}), {})

    def _segmentation(self, classes: IntArray, answer: Answer, seconds: dict[str, float]) -> Segmentation:
        reachable = answer.reachable.reshape(self.shape)
        labels = classes[answer.result.labels].reshape(self.shape)
        score = answer.score.reshape(self.shape).astype(np.float32)
        return Segmentation(
            np.where(reachable, labels, -1),
            np.where(reachable, score, np.float32(0)),
            reachable,
            np.zeros(self.shape, bool) if self._masked is None else self._masked.reshape(self.shape),
            classes,
            answer.result,
            {stage: round(value, 3) for stage, value in seconds.items()},
        )


def _check_plain(features: PictureFeatures) -> None:
    """Refuse what the graph of the paper does not take."""
    if features.values.ndim == 3 and features.masked is None and max(features.spacing) == 1:
        return
    problem = '{field} {!r} takes pictures only, without mask and spacing; else use {graph="pixels"}.'
    raise OptionError("graph", problem, "features")
