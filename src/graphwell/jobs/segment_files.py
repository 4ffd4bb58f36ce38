"""Options and files of a segmented picture: what is refused before the work, and what is written."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np

from graphwell.errors import OptionError
from graphwell.io.files import (
    check_distinct,
    check_output,
    check_output_folder,
    folder_written_whole,
    written_together,
    written_whole,
)
from graphwell.io.formats import either
from graphwell.io.images.base import MAX_PIXELS, Marks, Placement
from graphwell.io.images.registry import (
    FORMATS,
    format_for,
    keeps_placement,
    write_image,
    write_numbers,
    write_placed,
    writes_numbers,
)
from graphwell.io.images.seeds import Painting
from graphwell.segmentation.drawing import (
    as_grey,
    contact_sheet,
    overlay,
    overlay_of_slices,
    painted,
    sheet_of_slices,
    white_on_black,
)
from graphwell.segmentation.segmenter import Segmentation

Write = Callable[[IO[bytes]], None]
FILES = ("image", "seeds", "output", "overlay", "sheet", "scores", "seeds_out")


@dataclass(frozen=True, kw_only=True)
class SegmentOptions:
    """How to segment a picture.

    Attributes
    ----------
    image, seeds : Path
        The picture, and the marks in it.
    output : Path
        File for the labels.
    overlay, sheet, scores : Path, optional
        Files for the picture tinted and outlined by its classes, for a contact sheet (picture, marks, labels
        and doubt in one), and for a map of the uncertainty.
    masks : Path, optional
        Folder for one mask per class.
    background : str
        Which pixels of a seeds picture are unknown: "auto", "transparent", "black", "white", or "#rrggbb".
    strokes_on_picture : bool
        The seeds were painted over a copy of the picture; "auto" finds out where it is clear.
    snap : bool
        Give colours of the seeds that are no clear mixture to the nearest plain colour.
    seeds_out : Path, optional
        File for the marks as they were read, written before anything is computed.
    max_pixels : int
        Larger pictures are refused before they are read.
    max_memory : str, optional
        Pictures that need more are refused before they are read, "4GB" say; what is free by default.
    spacing : tuple of float, optional
        Distance between points along each axis, as in `graphwell.Segmenter`; what the file tells by default.
    channel_axis : int, optional
        The axis that holds channels, the last by default; a picture of three axes is then no volume.
    radius, color_scale, smoothing, patch, device, n_jobs
        As in `graphwell.Segmenter`.
    """

    image: Path
    seeds: Path
    output: Path
    overlay: Path | None = None
    sheet: Path | None = None
    scores: Path | None = None
    masks: Path | None = None
    background: str = "auto"
    strokes_on_picture: bool = False
    snap: bool = False
    seeds_out: Path | None = None
    max_pixels: int = MAX_PIXELS
    max_memory: str | None = None
    spacing: tuple[float, ...] | None = None
    channel_axis: int | None = None
    radius: float = 3.0
    color_scale: float | None = None
    smoothing: float | None = None
    patch: int = 1
    device: str = "cpu"
    n_jobs: int | None = None

    @property
    def painting(self) -> Painting:
        """How the colours of the seeds are to be understood."""
        return Painting(background=self.background, on_picture=self.strokes_on_picture, snap=self.snap)


@dataclass(frozen=True, eq=False)
class Scene:
    """A picture and its marks, as they were read."""

    picture: Any
    marks: Marks
    placement: Placement | None = None  # where its points lie

    @property
    def shown(self) -> Any:
        """The picture to look at: masked points as dark as the darkest."""
        return filled(self.picture)


def filled(picture: Any) -> Any:
    """A picture without a mask: masked points take the smallest value of the others."""
    return picture.filled(picture.min()) if isinstance(picture, np.ma.MaskedArray) else picture


def _named_files(options: SegmentOptions) -> list[tuple[str, Path | None]]:
    return [(field, getattr(options, field)) for field in FILES]


def check_files(options: SegmentOptions) -> None:
    """Refuse names that could not be written, before the work is done."""
    for field, path in _named_files(options)[2:]:
        if path is not None:
            format_for(path, field)
            check_output(path, field)
    check_distinct(_named_files(options))
    if options.masks is not None:
        check_output_folder(options.masks, "masks")


def check_volume_files(options: SegmentOptions) -> None:
    """Refuse files of a volume that would be flat pictures."""
    if options.masks is not None:
        raise OptionError("masks", "{field} draws pictures, not volumes; leave it out.")
    for field in ("output", "scores", "seeds_out"):
        path = getattr(options, field)
        if path is not None and not writes_numbers(path):
            known = either(FORMATS.suffixes(lambda declared: declared.write_numbers is not None))
            raise OptionError(field, "{field} {} of a volume must end in {}.", path, known)


def mask_files(options: SegmentOptions, marks: Marks) -> dict[int, Path]:
    """The file of each class, none of which has another role."""
    if options.masks is None:
        return {}
    plain = {c: re.sub(r"[^\w.-]+", "_", name.removeprefix("#"))[:80] for c, name in marks.names.items()}
    twice = len(set(plain.values())) < len(plain)
    files = {c: options.masks / (f"mask_{c}_{n}.png" if twice else f"mask_{n}.png") for c, n in plain.items()}
    check_distinct([*_named_files(options), *(("masks", path) for path in files.values())])
    return files


def writers(
    options: SegmentOptions, masks: dict[int, Path], scene: Scene, found: Segmentation
) -> dict[Path, Write]:
    """The writer of each file."""
    files = {options.output: labels_writer(options.output, found.labels, scene)}
    if options.overlay is not None:
        files[options.overlay] = partial(write_image, overlay_of(scene, found), options.overlay)
    if options.sheet is not None:
        files[options.sheet] = partial(write_image, _sheet_of(scene, found), options.sheet)
    if options.scores is not None:
        files[options.scores] = _either(options.scores, found.uncertainty, as_grey, scene)
    for number, path in masks.items():
        files[path] = partial(write_image, white_on_black(found.labels == number), path)
    return files


def overlay_of(scene: Scene, found: Segmentation) -> Any:
    """The picture, or slices of a volume, tinted and outlined."""
    draw = overlay_of_slices if found.labels.ndim == 3 else overlay
    return draw(scene.shown, found.labels, scene.marks.colors)


def _sheet_of(scene: Scene, found: Segmentation) -> Any:
    shown, seeds, colors = scene.shown, scene.marks.classes, scene.marks.colors
    if found.labels.ndim == 3:
        return sheet_of_slices(shown, seeds, found.labels, found.uncertainty, colors)
    return contact_sheet(shown, seeds, found.labels, found.uncertainty, colors, found.mark_next(seeds))


def labels_writer(path: Path, classes: Any, scene: Scene) -> Write:
    """Write classes in the way that the name of the file asks for."""
    colors = scene.marks.colors
    return _either(path, classes, lambda values: painted(values, colors), scene)


def _either(path: Path, values: Any, draw: Callable[[Any], Any], scene: Scene) -> Write:
    """Write numbers, where they lie if that can be said, or a picture of them."""
    placement = scene.placement
    if placement is not None and keeps_placement(path, placement):
        return lambda file: write_placed(values, scene.marks.colors, placement, path, file)
    if writes_numbers(path):
        return lambda file: write_numbers(values, path, file)
    return lambda file: write_image(draw(values), path, file)


def write_all(files: dict[Path, Write], masks: Path | None) -> None:
    """Write all files or none; a new folder for masks appears with all of them in it."""
    with written_together() as held:
        unnamed = None
        if masks is not None and not masks.exists():
            unnamed = held.enter_context(folder_written_whole(masks))
        for path, write in files.items():
            inside = unnamed is not None and path.parent == masks
            name = unnamed / path.name if unnamed is not None and inside else path
            write(held.enter_context(written_whole(name)))
