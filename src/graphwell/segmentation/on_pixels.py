"""Segmenting pixels, where neighbours are fixed steps and no graph is stored; on any device."""

import math
import time

from graphwell._types import IntArray
from graphwell.backends.pixels import PixelEngine
from graphwell.progress import Progress
from graphwell.segmentation.answer import Answer
from graphwell.segmentation.canvas import Canvas, Told, scores_bytes, working_pixels
from graphwell.segmentation.features import PictureFeatures
from graphwell.segmentation.refinement import Descent, refine_borders
from graphwell.segmentation.seeds import Seeds
from graphwell.segmentation.start import Start


class OnPixels:
    """A picture made ready, and what the call before found.

    Parameters
    ----------
    features : PictureFeatures
    radius : float
    color_scale, smoothing : float, optional
    engine : PixelEngine
        Where the features lie.
    progress : callable
    """

    def __init__(
        self,
        features: PictureFeatures,
        radius: float,
        color_scale: float | None,
        smoothing: float | None,
        engine: PixelEngine,
        progress: Progress,
    ) -> None:
        self.progress = progress
        told = self._telling("graph")
        *shape, n_channels = features.values.shape
        working = working_pixels(math.prod(shape), n_channels)
        self.canvas = Canvas(features, radius, color_scale, smoothing, engine, told, working)
        self._before: tuple[Start, Descent] | None = None

    def label(self, seeds: Seeds, classes: IntArray) -> Answer:
        """Give every pixel a class, going on from the call before where there was one."""
        n_points = math.prod(self.canvas.shape)
        with self.canvas.engine.memory_for(n_points, scores_bytes(self.canvas, len(classes))):
            return self._labelled(seeds, classes)

    def forget(self) -> None:
        """Let the next call begin anew."""
        self._before = None

    def _labelled(self, seeds: Seeds, classes: IntArray) -> Answer:
        began = time.perf_counter()
        self.progress("start", 0.0)
        by_size = self.canvas.seeds_by_size(seeds)
        strength = self.canvas.strength(by_size)
        start_before, before = self._memory(classes, strength)
        start = self.canvas.start(by_size, classes, strength, start_before, self._telling("start"))
        started = time.perf_counter()
        self.progress("descent", 0.0)
        found = refine_borders(self.canvas, by_size, start, before, self._telling("descent"))
        self._before = start, found
        engine = self.canvas.engine
        result, score = found.result(engine), engine.to_host(found.states[0].score)
        reachable = engine.to_host(self.canvas.reachable(by_size))
        seconds = {"start": started - began, "descent": time.perf_counter() - started}
        return Answer(result, score, reachable, before is None, seconds)

    def _memory(self, classes: IntArray, strength: float) -> tuple[Start | None, Descent | None]:
        """What the call before found, in terms of these classes.

        Nothing if one of its classes is gone, or if colours are trusted more or less than before.
        """
        start = None if self._before is None else self._before[0].among(classes)
        if start is None or self._before is None or not start.serves(strength):
            return None, None
        return start, self._before[1].among(classes, self.canvas.engine)

    def _telling(self, stage: str) -> Told:
        return lambda share: self.progress(stage, share)
