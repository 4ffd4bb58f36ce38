"""Pictures to paint on: segmented as often as strokes come, and written as `segment` writes them."""

import json
import math
import threading
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from scipy import ndimage

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.errors import OptionError
from graphwell.io.drawings import Marks
from graphwell.io.files import either, written_whole
from graphwell.io.images import IMAGES, MAX_PIXELS, read_image, read_placement, read_seeds
from graphwell.io.polygons import write_polygons
from graphwell.jobs.report import Report
from graphwell.jobs.segment import SegmentOptions, filled, segment
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
    slice_axis: int | None = None  # of an array of three axes that is a stack of slices
    labels: Path | None = None  # a label image to start from, or a folder with one for each picture
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


WIDEST = 200.0  # stroke, in pixels
# Disks that stand for each class of a label image at the start, and radius of the smallest. With 10 or more
# at least 99.1 % of the pixels of noisy pictures got their class back.
MOST_DISKS, SMALLEST_DISK = 40, 2.0
MOST_SLICES = 16  # of a volume, with disks


class PaintedPicture:
    """One picture or volume, made ready to be segmented from strokes.

    Seeds and labels are arrays of shape (height, width, slices), with one slice of a picture.
    """

    def __init__(self, path: Path, options: PaintOptions) -> None:
        self.path, self.options = path, options
        image = read_image(path, options.max_pixels, volumes=True)
        self._axis = 2  # that counts the slices of a volume
        if options.channel_axis is not None:
            image = channels_last(image, options.channel_axis)
        elif options.slice_axis is not None and image.ndim == 3:
            if options.slice_axis not in range(3):
                raise OptionError("slice_axis", "{field} must be 0, 1 or 2, got {!r}.", options.slice_axis)
            self._axis, image = options.slice_axis, image[..., None]
        elif image.ndim == 3 and image.shape[2] > min(image.shape[:2]):
            problem = (
                "{field} {} has the shape {} x {} x {}: are these {} slices? Then say {slice_axis=0}; or "
                "are they channels of one picture? Then say {channel_axis=0}."
            )
            raise OptionError("source", problem, path, *image.shape, image.shape[0])
        self._masked, self._image = image, filled(image)
        self._lock = threading.Lock()
        self._last: tuple[IntArray, Segmentation] | None = None
        self._points = image.shape[: max(2, image.ndim - 1)]  # as in the file
        self.shape: tuple[int, int, int] = self._turned(np.empty(self._points, dtype=bool)).shape
        n = math.prod(self.shape)
        self.is_large = self.shape[2] == 1 and n > MOST_PIXELS  # whether a small copy is worth while
        check_fits(path, picture_bytes(n, self._image.size // n))

    def _turned(self, values: Any) -> Any:
        """Values of the points in the order of the file, by height, width and slice."""
        return values[..., None] if values.ndim == 2 else np.moveaxis(values, self._axis, 2)

    @property
    def journal(self) -> Path:
        """File of what was done to it."""
        return self.options.folder / f"{self.path.name}.journal"

    @cached_property
    def fingerprint(self) -> dict[str, Any]:
        """Name, size and checksum of the picture, in values of JSON."""
        pixels = np.ascontiguousarray(self._image)
        size = [self.shape[1], self.shape[0], *self.shape[2:]] if self.shape[2] > 1 else [*self.shape[1::-1]]
        return {"picture": self.path.name, "size": size, "pixels": zlib.crc32(pixels.data)}

    @cached_property
    def _shown(self) -> Any:
        height, width, depth = self.shape
        image = self._image if len(self._points) == 2 else np.moveaxis(self._image, self._axis, 2)
        flat = image.reshape(height, width * depth, -1)  # so that all slices are made bright together
        return as_shown(flat).reshape(height, width, depth, 3)

    def shown(self, at: int) -> Any:
        """A slice as red, green and blue from 0 to 255."""
        return self._shown[:, :, at]

    @cached_property
    def _preview(self) -> Preview:
        return Preview(self._image, n_jobs=self.options.n_jobs)

    @cached_property
    def _segmenter(self) -> Segmenter:
        placement = read_placement(self.path)
        told = None if placement is None else placement.spacing
        spacing = told if told is not None and len(told) == len(self._points) else None
        return Segmenter(self._masked, spacing=spacing, n_jobs=self.options.n_jobs)

    def prepare(self, *, coarse: bool) -> None:
        """Make ready for the first stroke what can be: the graph of the picture, or of its small copy."""
        if coarse:
            _ = self._preview
        else:
            with self._lock:
                _ = self._segmenter

    def segment(self, seeds: IntArray, *, coarse: bool) -> tuple[IntArray, FloatArray | None]:
        """Classes, and how uncertain they are; of the small copy, classes alone."""
        if coarse:
            return self._preview.segment(seeds[..., 0])[..., None], None
        found = self._segmented(self._as_in_file(seeds).astype(np.int64))
        return self._turned(found.labels), self._turned(found.uncertainty)

    def _as_in_file(self, seeds: IntArray) -> IntArray:
        return seeds[..., 0] if len(self._points) == 2 else np.moveaxis(seeds, 2, self._axis)

    def _segmented(self, seeds: IntArray) -> Segmentation:
        """The segmentation from these seeds alone, as it is shown and saved."""
        with self._lock:
            if self._last is None or not np.array_equal(self._last[0], seeds):
                self._last = seeds.copy(), self._segmenter.segment(seeds)
                self._segmenter.forget()  # so that the way to these strokes does not matter
            return self._last[1]

    def start(self) -> tuple[dict[str, str], list[dict[str, Any]]]:
        """Names of classes with their colours, and strokes to start from; none without a label image."""
        path, stem = self.options.labels, stem_of(self.path)
        if path is not None and path.is_dir() and path.suffix != ".zarr":
            path = next((p for p in sorted(path.iterdir()) if stem_of(p) in (stem, f"{stem}_labels")), None)
        if path is None:
            return {}, []
        marks: Marks = read_seeds(path, self._points, picture=self._image)
        classes, depth = self._turned(marks.classes), self.shape[2]
        chosen = np.unique(np.linspace(0, depth - 1, min(depth, MOST_SLICES)).round().astype(int)).tolist()
        strokes = []
        for place, number in enumerate(marks.names):
            for at in chosen:
                more = {"class": place, "erase": False, **({"slice": at} if depth > 1 else {})}
                strokes += [{**more, **disk} for disk in disks_within(classes[..., at] == number)]
        colors = ["#{:02x}{:02x}{:02x}".format(*marks.colors[number]) for number in marks.names]
        return dict(zip(marks.names.values(), colors, strict=True)), strokes

    def save(self, document: Mapping[str, Any], seeds: IntArray) -> Report:
        """Write strokes, what `graphwell segment` makes of them, and its regions as polygons.

        A volume has its marks as numbers instead, and no polygons.
        """
        folder, stem, is_volume = self.options.folder, stem_of(self.path), len(self._points) == 3
        if sum(stem_of(path) == stem for path in pictures_of(self.options.source)) > 1:
            stem = self.path.name  # two pictures differ in their ending alone
        marks = folder / f"{stem}_{'seeds.npy' if is_volume else 'strokes.json'}"
        with written_whole(marks) as file:
            if is_volume:
                np.save(file, self._as_in_file(seeds))
            else:
                file.write(json.dumps(document).encode())
        found: list[Segmentation] = []

        def segmented(marks: IntArray) -> Segmentation:
            found.append(self._segmented(marks))
            return found[-1]

        ending = "png" if not is_volume else "nii.gz" if ".nii" in self.path.suffixes else "npy"
        report = segment(
            SegmentOptions(
                image=self.path,
                seeds=marks,
                output=folder / f"{stem}_labels.{ending}",
                overlay=folder / f"{stem}_overlay.png",
                masks=None if is_volume else folder / f"{stem}_masks",
                max_pixels=self.options.max_pixels,
                channel_axis=self.options.channel_axis,
                n_jobs=self.options.n_jobs,
            ),
            segmented=segmented,
        )
        if is_volume:
            return report
        names = [known["name"] for known in document["classes"]]
        polygons = write_polygons(found[-1].labels, names, self.path.name, folder / stem)
        return replace(report, files=(*report.files, *polygons))


def stem_of(path: Path) -> str:
    """The name of a picture without its ending, which may be .nii.gz."""
    return path.stem.removesuffix(".nii")


def disks_within(region: BoolArray) -> list[dict[str, Any]]:
    """Disks in the middle of a region, the largest first, half as wide as there is room: width and points."""
    room = ndimage.distance_transform_edt(np.pad(region, 1))[1:-1, 1:-1]
    rows, columns = np.ogrid[: region.shape[0], : region.shape[1]]
    found: list[dict[str, Any]] = []
    while len(found) < MOST_DISKS:
        row, column = (int(at) for at in np.unravel_index(room.argmax(), room.shape))
        if (radius := float(room[row, column])) < SMALLEST_DISK:
            break
        width = round(min(radius, WIDEST), 1)
        found.append({"width": width, "points": [[column + 0.5, row + 0.5]]})
        room[(rows - row) ** 2 + (columns - column) ** 2 <= (1.5 * radius) ** 2] = 0
    return found
