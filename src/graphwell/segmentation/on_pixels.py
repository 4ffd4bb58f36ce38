"""Segmenting pixels on the processor, where neighbours are fixed steps and no graph is stored."""

import math
import time

from graphwell._thread_pool import ThreadPool
from graphwell._threads import thread_count
from graphwell._types import IntArray
from graphwell.progress import Progress
from graphwell.segmentation.answer import Answer
from graphwell.segmentation.canvas import Canvas, Start, Told, working_pixels
from graphwell.segmentation.features import PictureFeatures
from graphwell.segmentation.refinement import Descent, refine_borders


class OnPixels:
    """A picture made ready, and what the call before found.

    Parameters
    ----------
    features : PictureFeatures
    radius : float
    color_scale, smoothing : float, optional
    n_jobs : int, optional
    progress : callable
    """

    def __init__(
        self,
        features: PictureFeatures,
        radius: float,
        color_scale: float | None,
        smoothing: float | None,
        n_jobs: int | None,
        progress: Progress,
    ) -> None:
        self.progress = progress
        pool = ThreadPool(thread_count(n_jobs))
        told = self._telling("graph")
        *shape, n_channels = features.values.shape
        working = working_pixels(math.prod(shape), n_channels)
        self.canvas = Canvas(features, radius, color_scale, smoothing, pool, told, working)
        self._before: tuple[Start, Descent] | None = None

    def label(self, codes: IntArray, classes: IntArray) -> Answer:
        """Give every pixel a class, going on from the call before where there was one."""
        began = time.perf_counter()
        self.progress("start", 0.0)
        seeds = self.canvas.seeds_by_size(codes, len(classes))
        start_before, before = self._memory(classes)
        start = self.canvas.start(seeds, classes, start_before, self._telling("start"))
        started = time.perf_counter()
        self.progress("descent", 0.0)
        found = refine_borders(self.canvas, seeds, start, before, self._telling("descent"))
        self._before = start, found
        seconds = {"start": started - began, "descent": time.perf_counter() - started}
        reachable = self.canvas.reachable(seeds)
        return Answer(found.result(), found.states[0].score, reachable, before is None, seconds)

    def _memory(self, classes: IntArray) -> tuple[Start | None, Descent | None]:
        """What the call before found, in terms of these classes; nothing if one of its classes is gone."""
        start = None if self._before is None else self._before[0].among(classes)
        if start is None or self._before is None:
            return None, None
        return start, self._before[1].among(classes)

    def _telling(self, stage: str) -> Told:
        return lambda share: self.progress(stage, share)
