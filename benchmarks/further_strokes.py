"""What a further stroke costs beside the first call, and how far its labels are from those of a fresh run.

Grey pictures with and without noise, and photographs with real strokes where they are at hand: one stroke of
these is left out at first. Seconds are those of the processor, on one thread.
"""

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy import ndimage

import graphwell as gw
from benchmarks.marked import FOLDER, photographs
from benchmarks.output import Options, show_table
from graphwell.datasets.strokes import strokes

SIDE, NOISES = 512, (0.0, 0.1)
LEAST_STROKE = 5
"""Pixels of the smallest stroke that is left out."""
MOST_OF_A_FIRST_CALL = 0.08
PHOTOGRAPHS = "photographs, mean"


@dataclass(frozen=True)
class Cost:
    """A picture, CPU seconds, and pixels that are unlike those of a fresh run."""

    picture: str
    first: float
    stroke: float
    unlike: float

    @property
    def share(self) -> float:
        """What the stroke costs of a first call."""
        return self.stroke / self.first


def grey_picture(noise: float) -> tuple[Any, Any, Any]:
    """A picture, its marks with one stroke nearly left out, and all of them."""
    image, truth = gw.datasets.make_grey_image(SIDE, SIDE, noise=noise, random_state=10)
    seeds = strokes(truth, length=25)
    without = seeds.copy()
    row = np.flatnonzero((seeds == 1).any(axis=1))[0]
    without[row] = np.where(seeds[row] == 1, -1, seeds[row])
    without[SIDE - 40, SIDE // 2 : SIDE // 2 + 5] = 1  # a first, smaller stroke
    return image, without, np.where(seeds >= 0, seeds, without)


def photographs_with_a_stroke_left_out() -> Iterator[tuple[str, Any, Any, Any]]:
    """The same of photographs, by name; each class keeps a stroke."""
    for name, kind, picture, marks, _ in photographs() if FOLDER.is_dir() else ():
        found = [ndimage.label(marks == number, np.ones((3, 3))) for number in np.unique(marks[marks >= 0])]
        parts = [places == part for places, n in found if n > 1 for part in range(1, n + 1)]
        parts = [part for part in parts if part.sum() >= LEAST_STROKE]
        if kind != "dense" and parts:
            hole = parts[np.random.default_rng(0).integers(len(parts))]
            yield name, picture, np.where(hole, -1, marks), marks


def measured(name: str, image: Any, without: Any, marks: Any, repetitions: int) -> Cost:
    """Least seconds of some repetitions."""
    seconds = []
    for _ in range(repetitions):
        began = time.process_time()
        segmenter = gw.Segmenter(image, n_jobs=1)
        segmenter.segment(without)
        done = time.process_time()
        after = segmenter.segment(marks)
        seconds.append((done - began, time.process_time() - done))
    fresh = gw.Segmenter(image, n_jobs=1).segment(marks)
    first, stroke = np.min(seconds, axis=0).tolist()
    return Cost(name, first, stroke, int((after.labels != fresh.labels).sum()))


def compare_strokes(options: Options) -> tuple[list[dict[str, Any]], list[str]]:
    """Print what strokes cost; return it with the bars that were missed."""
    repetitions = 2 if options.quick else 5
    costs = [measured(f"grey, noise {noise:g}", *grey_picture(noise), repetitions) for noise in NOISES]
    real = list(photographs_with_a_stroke_left_out())[: 2 if options.quick else None]
    costs += [measured(*one, repetitions=2) for one in real]
    shown = costs[: len(NOISES)]
    if real:
        figures = np.mean([(c.first, c.stroke, c.unlike) for c in costs[len(NOISES) :]], axis=0)
        shown.append(Cost(PHOTOGRAPHS, *figures.tolist()))
    rows = [
        [c.picture, f"{c.first:.3f}", f"{c.stroke:.3f}", f"{c.share:.2f}", f"{c.unlike:.0f}"] for c in shown
    ]
    columns = ("picture", "first call, s", "stroke, s", "share", "pixels unlike a fresh run")
    show_table("A further stroke", columns, rows)
    slow = [c for c in shown if c.share > MOST_OF_A_FIRST_CALL]
    missed = [f"{c.picture}: a stroke took {c.share:.2f} of a first call" for c in slow]
    return [asdict(c) for c in costs], missed
