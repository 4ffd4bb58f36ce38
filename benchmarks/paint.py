"""How long a stroke takes until the page of `graphwell paint` can show it: coarse, fine, and saved."""

import json
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.output import Options, show_table, write_json
from graphwell import datasets
from graphwell._types import IntArray
from graphwell.io.images.base import write_image
from graphwell.jobs.painting import PaintOptions
from graphwell.serve.painting import PaintPage

BARS = {"coarse": 0.3, "fine": 1.5}
"""Seconds at one megapixel."""


class Window:
    """Listens as a browser does; knows when each answer came."""

    def __init__(self) -> None:
        self.came: dict[tuple[int, bool], float] = {}
        self.changed = threading.Condition()

    def __call__(self, event: Any) -> None:
        """Take an event; only segmentations count."""
        if isinstance(event, bytes) and b'"event":"segmentation"' in event[:200]:
            about = json.loads(event[4 : 4 + int.from_bytes(event[:4], "little")])
            with self.changed:
                self.came[about["number"], about["coarse"]] = time.perf_counter()
                self.changed.notify_all()

    def wait(self, number: int, *, coarse: bool) -> float:
        """When an answer came."""
        with self.changed:
            self.changed.wait_for(lambda: (number, coarse) in self.came, 600)
            return self.came[number, coarse]


def write_picture(side: int, folder: Path) -> tuple[Path, IntArray]:
    """A noisy picture in colours, and its regions."""
    grey, truth = datasets.make_grey_image(side, side, noise=0.1, random_state=0)
    pixels = np.dstack([grey, 0.8 * grey, 1 - grey])
    with (folder / "picture.png").open("wb") as file:
        write_image(np.round(255 * np.clip(pixels, 0, 1)).astype(np.uint8), folder / "picture.png", file)
    return folder / "picture.png", truth


def strokes(truth: IntArray, count: int) -> list[dict[str, Any]]:
    """Short strokes, each inside one region."""
    rng = np.random.default_rng(0)
    made: list[dict[str, Any]] = []
    while len(made) < count:
        row, column = (int(rng.integers(30, side - 30)) for side in truth.shape)
        points = [[column - 20.0, float(row)], [column + 20.0, float(row)]]
        if len(set(truth[row, column - 24 : column + 24].tolist())) == 1:
            made.append({"class": int(truth[row, column]), "width": 6, "erase": False, "points": points})
    return made


def measured(side: int, count: int) -> dict[str, list[float]]:
    """Seconds from each stroke to its answers; those of the first strokes, which build the graphs, apart."""
    with tempfile.TemporaryDirectory() as name:
        path, truth = write_picture(side, Path(name))
        page, window = PaintPage(PaintOptions(source=path), tuple("abcde")), Window()
        page.begin(window)
        found: dict[str, list[float]] = {"coarse": [], "fine": []}
        try:
            for stroke in strokes(truth, count):
                began = time.perf_counter()
                number = page.commands["stroke"]({"do": "stroke", **stroke})
                found["coarse"].append(window.wait(number, coarse=True) - began)
                found["fine"].append(window.wait(number, coarse=False) - began)
        finally:
            page.end()
        return found


def main(options: Options) -> None:
    sides, rows, figures = (500,) if options.quick else (500, 1000), [], {}
    for side in sides:
        figures[side] = found = measured(side, 6 if options.quick else 12)
        for kind, seconds in found.items():
            later = seconds[4:]
            bar = f"{BARS[kind]:g}" if side == 1000 else ""
            figure = [f"{np.median(later):.2f}", f"{max(later):.2f}", f"{max(seconds[:4]):.2f}", bar]
            rows.append([f"{side} x {side}, {kind}", *figure])
    show_table(
        "From a stroke to its answer, seconds", ["", "median", "largest", "first strokes", "bar"], rows
    )
    write_json(options.out / "paint.json", {str(side): found for side, found in figures.items()})
