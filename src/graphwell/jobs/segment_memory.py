"""How much memory a picture takes, said before it is taken; with too little, a smaller copy does."""

from dataclasses import dataclass, replace

import numpy as np

from graphwell._types import IntArray
from graphwell.errors import Sentence
from graphwell.jobs.segment_files import Scene
from graphwell.jobs.segment_options import SegmentOptions
from graphwell.memory import allowed, check_fits, in_words
from graphwell.segmentation.features import MOST_CHANNELS
from graphwell.segmentation.pyramid import picture_bytes, reduced, reduced_seeds, working_pixels
from graphwell.segmentation.segmenter import Segmentation

MOST_REDUCED = 8
"""Beside a copy reduced by more than this, a refusal is the better answer."""


@dataclass(frozen=True)
class MemoryPlan:
    """What a picture takes, in bytes, and by which factor its sides are reduced so that it fits."""

    n_points: int
    needed: int
    factor: int = 1

    def sentence(self) -> Sentence:
        """What is said of it."""
        if self.factor == 1:
            return Sentence("{:,} points take about {} of memory.", (self.n_points, in_words(self.needed)))
        text = (
            "Memory of {} does for a copy of 1 / {} of the picture's height and width only: borders are so "
            "much coarser; {max_memory} allows more."
        )
        return Sentence(text, (in_words(allowed()), self.factor))


def planned(options: SegmentOptions, scene: Scene) -> MemoryPlan:
    """Say what a picture will take; refuse it if no copy of a sensible size fits."""
    classes, picture = scene.marks.classes, scene.picture
    n, n_channels = classes.size, min(picture.size // classes.size, MOST_CHANNELS)
    can_shrink = classes.ndim == 2 and not isinstance(picture, np.ma.MaskedArray)
    for factor in range(1, MOST_REDUCED + 1 if can_shrink else 2):
        rest = n // factor**2
        if picture_bytes(rest, n_channels) <= allowed():
            return MemoryPlan(n, picture_bytes(rest, n_channels, working_pixels(rest, n_channels)), factor)
    check_fits(options.image, picture_bytes(rest, n_channels))
    raise AssertionError("a picture that fits was not found to fit")


def reduced_scene(scene: Scene, factor: int) -> Scene:
    """The picture and its marks in small."""
    marks = replace(scene.marks, classes=reduced_seeds(scene.marks.classes, factor))
    return replace(scene, picture=reduced(scene.picture, factor), marks=marks)


def in_full(found: Segmentation, factor: int, seeds: IntArray) -> Segmentation:
    """What was found on a reduced copy, as large as the picture; marks keep their class."""

    def large(plane: IntArray) -> IntArray:
        wide = np.repeat(np.repeat(plane, factor, axis=0), factor, axis=1)
        return wide[: seeds.shape[0], : seeds.shape[1]]

    labels = np.where(seeds >= 0, seeds, large(found.labels))
    score, reachable, masked = (large(plane) for plane in (found.score, found.reachable, found.masked))
    return replace(found, labels=labels, score=score, reachable=reachable, masked=masked)
