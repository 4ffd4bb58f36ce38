"""Pictures to paint on: segmented as often as strokes come, and written as `segment` writes them."""

import json
import threading
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from graphwell._types import IntArray
from graphwell.errors import OptionError
from graphwell.io.files import either, written_whole
from graphwell.io.images import IMAGES, MAX_PIXELS, read_image, read_placement
from graphwell.io.polygons import write_polygons
from graphwell.jobs.segment import SegmentOptions, SegmentReport, filled, segment
from graphwell.memory import check_fits
from graphwell.segmentation.drawing import as_shown
from graphwell.segmentation.pyramid import picture_bytes
from graphwell.segmentation.seeds import channels_last
from graphwell.segmentation.segmenter import MOST_PIXELS, Preview, Segmentation, Segmenter


@dataclass(frozen=True, kw_only=True)
class PaintOptions:
    """How to paint on pictures."""

    source: Path  # a picture, or a folder of pictures
    output: Path | None = None  # folder for what is written; by default `painted` beside the pictures
    max_pixels: int = MAX_PIXELS  # larger pictures are refused
    channel_axis: int | None = None  # by default the last
    n_jobs: int | None = None  # threads; all cores by default

    @property
    def folder(self) -> Path:
        """Where everything is written."""
        inside = self.source if self.source.is_dir() else self.source.parent
        return inside / "painted" if self.output is None else self.output


def pictures_of(source: Path) -> list[Path]:
    """The picture, or those in a folder, by name."""
    if not source.is_dir():
        return [source]
    found = [path for path in source.iterdir() if path.suffix.lower() in IMAGES and path.is_file()]
    if not found:
        problem = "{field} {} holds no picture; its files should end in {}."
        raise OptionError("source", problem, source, either(IMAGES))
    return sorted(found)


class PaintedPicture:
    """One picture, made ready to be segmented from strokes."""

    def __init__(self, path: Path, options: PaintOptions) -> None:
        self.path, self.options = path, options
        self._masked = read_image(path, options.max_pixels)
        if options.channel_axis is not None:
            self._masked = channels_last(self._masked, options.channel_axis)
        elif self._masked.ndim == 3 and self._masked.shape[2] > min(self._masked.shape[:2]):
            first, *rest = self._masked.shape
            problem = (
                "{field} {} has the shape {} x {} x {}: save one of the {} slices in a file of its own; or "
                "are these channels of one picture? Then say {channel_axis=0}."
            )
            raise OptionError("source", problem, path, first, *rest, first)
        self._image = filled(self._masked)
        self._lock = threading.Lock()
        self._last: tuple[IntArray, Segmentation] | None = None
        self.shape: tuple[int, int] = self._image.shape[:2]
        n = self.shape[0] * self.shape[1]
        self.is_large = n > MOST_PIXELS  # whether a small copy is worth while
        check_fits(path, picture_bytes(n, self._image.size // n))

    @property
    def journal(self) -> Path:
        """File of what was done to it."""
        return self.options.folder / f"{self.path.name}.journal"

    @cached_property
    def fingerprint(self) -> dict[str, Any]:
        """Name, size and checksum of the picture, in values of JSON."""
        pixels = np.ascontiguousarray(self._image)
        return {"picture": self.path.name, "size": [*self.shape[::-1]], "pixels": zlib.crc32(pixels.data)}

    @cached_property
    def shown(self) -> Any:
        """The picture as red, green and blue from 0 to 255."""
        return as_shown(self._image)

    @cached_property
    def _preview(self) -> Preview:
        return Preview(self._image, n_jobs=self.options.n_jobs)

    @cached_property
    def _segmenter(self) -> Segmenter:
        placement = read_placement(self.path)
        spacing = None if placement is None or len(placement.spacing or ()) != 2 else placement.spacing
        return Segmenter(self._masked, spacing=spacing, n_jobs=self.options.n_jobs)

    def prepare(self, *, coarse: bool) -> None:
        """Make ready for the first stroke what can be: the graph of the picture, or of its small copy."""
        if coarse:
            _ = self._preview
        else:
            with self._lock:
                _ = self._segmenter

    def segment(self, seeds: IntArray, *, coarse: bool) -> IntArray:
        """Classes of the picture, or of its small copy."""
        return self._preview.segment(seeds) if coarse else self._segmented(seeds).labels

    def _segmented(self, seeds: IntArray) -> Segmentation:
        """The segmentation from these seeds alone, as it is shown and saved."""
        with self._lock:
            if self._last is None or not np.array_equal(self._last[0], seeds):
                self._last = seeds.copy(), self._segmenter.segment(seeds)
                self._segmenter.forget()  # so that the way to these strokes does not matter
            return self._last[1]

    def save(self, strokes: Mapping[str, Any]) -> SegmentReport:
        """Write strokes, what `graphwell segment` makes of them, and its regions as polygons."""
        folder, stem = self.options.folder, self.path.stem
        if sum(path.stem == stem for path in pictures_of(self.options.source)) > 1:
            stem = self.path.name  # two pictures differ in their ending alone
        seeds = folder / f"{stem}_strokes.json"
        with written_whole(seeds) as file:
            file.write(json.dumps(strokes).encode())
        found: list[Segmentation] = []

        def segmented(marks: IntArray) -> Segmentation:
            found.append(self._segmented(marks))
            return found[-1]

        report = segment(
            SegmentOptions(
                image=self.path,
                seeds=seeds,
                output=folder / f"{stem}_labels.png",
                overlay=folder / f"{stem}_overlay.png",
                masks=folder / f"{stem}_masks",
                max_pixels=self.options.max_pixels,
                channel_axis=self.options.channel_axis,
                n_jobs=self.options.n_jobs,
            ),
            segmented=segmented,
        )
        names = [known["name"] for known in strokes["classes"]]
        polygons = write_polygons(found[-1].labels, names, self.path.name, folder / stem)
        return replace(report, files=(*report.files, *polygons))
