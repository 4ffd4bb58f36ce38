"""Segmenting a picture or volume from a few seeds: the image face of the library."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import ndimage

from graphwell._checks import number_between, positive_number
from graphwell._threads import thread_count
from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.registry import find_pixels
from graphwell.errors import UnreachableWarning, warn_user, without
from graphwell.progress import Progress, silent
from graphwell.segmentation.features import MOST_CHANNELS, halved, picture_features, read_picture
from graphwell.segmentation.narrow_band import BorderDescent, refine_borders
from graphwell.segmentation.propagation import Propagation
from graphwell.segmentation.pyramid import (
    ImagePyramid,
    Reporter,
    picture_bytes,
    scores_bytes,
    working_pixels,
)
from graphwell.segmentation.seeds import (
    Seeds,
    channels_last,
    relative_spacing,
    seed_classes,
    without_mask,
    without_single_points,
)
from graphwell.solve.descent import Result, Status

LARGEST_BLUR = 100
# Side of a square, as a share of the picture's shorter side.
SIDE = 0.1
# Mean doubt below which a square is not worth a mark.
LEAST_DOUBT = 0.001
# Of the small copy; a call takes a tenth of a second.
MOST_PIXELS = 80_000


@dataclass(frozen=True)
class DoubtfulSquare:
    """A square part of a picture: its middle, its side in pixels, and its mean doubt from 0 to 1."""

    row: int
    column: int
    side: int
    doubt: float


@dataclass(frozen=True, eq=False)
class Segmentation:
    """A segmented picture or volume, and how it came about.

    Attributes
    ----------
    labels : array of shape (height, width[, depth])
        Class of each pixel; -1 where no seed reaches, and where the image is masked.
    score : array of the same shape
        How sure a pixel is, from 0 to 1: the mean of the share of its class among its neighbours, and of its
        probability by seeds and colours before the descent; low along borders.
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

    @property
    def uncertainty(self) -> FloatArray:
        """How uncertain each pixel is, from 0 to 1: 1 where no seed reaches, 0 where it is masked."""
        doubt = np.where(self.reachable, 1.0 - self.score, 1.0).astype(np.float32)
        return np.where(self.masked, np.float32(0), doubt)

    def mark_next(self, seeds: Any, n: int = 5) -> tuple[DoubtfulSquare, ...]:
        """Squares of a picture where further marks would help most: the most uncertain ones without a mark.

        Parameters
        ----------
        seeds : integer array of shape (height, width)
            Known classes, -1 where unknown.
        n : int
            Most squares to return.

        Returns
        -------
        tuple
            Each has a `row` and a `column` of its middle, a `side` in pixels, and its mean `doubt`. A volume
            has none.
        """
        if self.labels.ndim != 2:
            return ()
        side = max(1, round(SIDE * min(self.labels.shape)))
        mean = ndimage.uniform_filter(self.uncertainty, side, mode="constant")
        marks = (np.asarray(seeds) >= 0).astype(np.uint8)
        free: BoolArray = ndimage.maximum_filter(marks, side, mode="constant") == 0
        found: list[DoubtfulSquare] = []
        while len(found) < n:
            left = np.where(free, mean, -1)
            row, column = (int(at) for at in np.unravel_index(left.argmax(), left.shape))
            if left[row, column] < LEAST_DOUBT:
                break
            found.append(DoubtfulSquare(row, column, side, round(float(left[row, column]), 3)))
            top, left_end = max(0, row - 2 * side), max(0, column - 2 * side)  # squares lie apart
            free[top : row + 2 * side + 1, left_end : column + 2 * side + 1] = False
        return tuple(found)


LEFT_OUT = "segment(image, seeds): there is one way now"
"""What to write in place of parameters of an earlier version."""


class Segmenter:
    """A picture or volume made ready to be segmented from seeds, again and again.

    The graph is built once. Each call after the first begins from the one before, so that a new stroke
    costs a fraction of the first; the first stroke of a new class begins anew.

    Parameters
    ----------
    image : array of shape (height, width), (height, width, depth) or either with channels
        Masked points of a masked array are left out, and nothing passes through them.
    channel_axis : int, optional
        The axis that holds the channels of an image of three or four axes; None if none does, so that three
        axes are a volume.

    The other parameters are those of `segment`.

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
        radius: float = 3.0,
        color_scale: float | None = None,
        smoothing: float | None = None,
        device: str = "cpu",
        n_jobs: int | None = None,
        progress: Progress = silent,
    ) -> None:
        if color_scale is not None:
            positive_number("color_scale", color_scale)
        if smoothing is not None:
            number_between("smoothing", smoothing, 0, LARGEST_BLUR, ends=True, unit=" pixels")
        self.progress = progress
        progress("graph", 0.0)
        began = time.perf_counter()
        thread_count(n_jobs)
        engine = find_pixels(device, n_jobs)
        image = channels_last(image, channel_axis)
        self.shape: tuple[int, ...] = image.shape[:-1]
        n_points, n_channels = math.prod(self.shape), min(image.shape[-1], MOST_CHANNELS)
        with engine.memory_for(n_points, picture_bytes(n_points, n_channels)):
            apart = relative_spacing(spacing, self.shape)
            image = image.reshape(*without_single_points(self.shape), image.shape[-1])
            values, self._masked = without_mask(image)
            features = picture_features(values, spacing=apart, masked=self._masked, engine=engine)
            working = working_pixels(n_points, features.values.shape[-1])
            report = self._reporter("graph")
            self._pyramid = ImagePyramid(features, radius, color_scale, smoothing, engine, report, working)
        self._before: tuple[Propagation, BorderDescent] | None = None
        self._graph_seconds = time.perf_counter() - began

    def segment(self, seeds: Any) -> Segmentation:
        """Give every pixel a class.

        Parameters
        ----------
        seeds : integer array of the shape of the image without its channels
            Known classes, -1 where unknown. All seeds, those of earlier calls too. Masked seeds do not count.
            A single class is everywhere.
        """
        masked = None if self._masked is None else self._masked.reshape(self.shape)
        classes, known = seed_classes(seeds, self.shape, masked)
        if len(classes) == 1:
            n = math.prod(self.shape)
            shown = np.ones(self.shape, bool) if masked is None else ~masked
            result = Result(np.zeros(n, dtype=np.int64), np.zeros(n), Status.ONE_CLASS)
            return self._segmentation(classes, result, shown.astype(np.float32), shown, {})
        known = replace(known, shape=without_single_points(self.shape))
        engine = self._pyramid.engine
        with engine.memory_for(math.prod(self.shape), scores_bytes(self._pyramid, len(classes))):
            began = time.perf_counter()
            self.progress("start", 0.0)
            by_level = self._pyramid.seeds_by_level(known)
            weight = self._pyramid.color_weight(by_level)
            start_before, before = self._before or (None, None)
            if start_before is None or not start_before.serves(classes, weight):
                start_before = before = None
            start = self._pyramid.propagate(by_level, classes, weight, start_before, self._reporter("start"))
            started = time.perf_counter()
            self.progress("descent", 0.0)
            found = refine_borders(self._pyramid, by_level, start, before, self._reporter("descent"))
            self._before = start, found
            result, score = found.result(engine), engine.to_host(found.states[0].score)
            reachable = engine.to_host(self._pyramid.reachable(by_level))
            seconds = {"start": started - began, "descent": time.perf_counter() - started}
        if before is None:
            seconds = {"graph": self._graph_seconds, **seconds}
        return self._segmentation(classes, result, score, reachable, seconds)

    def forget(self) -> None:
        """Let the next call begin anew: it finds what a new Segmenter would, and takes as long."""
        self._before = None

    def _reporter(self, stage: str) -> Reporter:
        return lambda share: self.progress(stage, share)

    def _segmentation(
        self,
        classes: IntArray,
        result: Result,
        score: FloatArray,
        reachable: BoolArray,
        seconds: dict[str, float],
    ) -> Segmentation:
        reachable = reachable.reshape(self.shape)
        labels = classes[result.labels].reshape(self.shape)
        score = score.reshape(self.shape).astype(np.float32)
        return Segmentation(
            np.where(reachable, labels, -1),
            np.where(reachable, score, np.float32(0)),
            reachable,
            np.zeros(self.shape, bool) if self._masked is None else self._masked.reshape(self.shape),
            classes,
            result,
            {stage: round(value, 3) for stage, value in seconds.items()},
        )


@without(patch=LEFT_OUT, graph=LEFT_OUT, position_weight=LEFT_OUT, fidelity=LEFT_OUT)
def segment(
    image: Any,
    seeds: Any,
    *,
    channel_axis: int | None = -1,
    spacing: Sequence[float] | None = None,
    radius: float = 3.0,
    color_scale: float | None = None,
    smoothing: float | None = None,
    device: str = "cpu",
    n_jobs: int | None = None,
    progress: Progress = silent,
) -> Any:
    """Give every pixel of a picture or volume a class, from a few pixels whose class is known.

    Parameters
    ----------
    image : array of shape (height, width), (height, width, depth) or either with channels
        Any number of channels; more than eight are replaced by their principal components. Masked points of a
        masked array are left out, and nothing passes through them.
    seeds : integer array of shape (height, width) or (height, width, depth)
        Known classes, -1 where unknown. Masked seeds do not count. A single class is everywhere, with a
        warning.
    channel_axis : int, optional
        The axis of `image` that holds its channels, where it has one axis more than `seeds`.
    spacing : sequence of float, optional
        Distance between points along each axis but that of the channels; `radius` and `smoothing` are in
        units of the smallest. By default all are alike.
    radius : float
        Reach of the links of a pixel, 1 to 16.
    color_scale : float, optional
        Colour difference that separates pixels, in L*a*b* divided by 100, or on the scale of the picture with
        its largest possible value at 1; found from the noise of the picture by default.
    smoothing : float, optional
        Width in pixels of the blur before pixels are compared; found from the noise by default.
    device : {"cpu", "cuda"}
        Where everything runs.
    n_jobs : int, optional
        Threads; all cores by default. The result does not depend on it.
    progress : callable
        Told the stage (graph, start, descent) and the share of it that is done, None if unknown.

    Returns
    -------
    array of the shape of `seeds`
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
    segmenter = Segmenter(
        image,
        channel_axis=None if np.ndim(image) == np.ndim(seeds) else channel_axis,
        spacing=spacing,
        radius=radius,
        color_scale=color_scale,
        smoothing=smoothing,
        device=device,
        n_jobs=n_jobs,
        progress=progress,
    )
    found = segmenter.segment(seeds)
    if len(found.classes) == 1:
        warn_user(one_class_sentence(str(found.classes[0])))
    if found.unreached:
        warn_user(unreached_sentence(found), UnreachableWarning)
    return found.labels


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


class Preview:
    """A small copy of a picture, to be segmented from the seeds of the whole."""

    def __init__(self, image: Any, most_pixels: int = MOST_PIXELS, **options: Any) -> None:
        values, self._halvings = read_picture(image), 0
        while values[..., 0].size > most_pixels:
            values, self._halvings = halved(values), self._halvings + 1
        self._segmenter = Segmenter(values, **options)

    def segment(self, seeds: IntArray) -> IntArray:
        """Classes of the small copy, -1 where none reaches."""
        small = Seeds.of(seeds)
        for _ in range(self._halvings):
            small = small.halved()
        return self._segmenter.segment(small.plane()).labels
