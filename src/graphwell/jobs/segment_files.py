"""The files of a segmented picture: names refused before the work is done, and what goes into each."""

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
from graphwell.io.images.base import Marks, Placement
from graphwell.io.images.registry import (
    FORMATS,
    format_for,
    keeps_placement,
    write_image,
    write_numbers,
    write_placed,
    writes_numbers,
)
from graphwell.jobs.segment_options import SegmentOptions
from graphwell.segmentation import drawing
from graphwell.segmentation.drawing import contact_sheet, overlay, overlay_of_slices, painted, sheet_of_slices
from graphwell.segmentation.segmenter import Segmentation

Write = Callable[[IO[bytes]], None]
FILES = ("image", "seeds", "output", "overlay", "sheet", "scores", "seeds_out")


@dataclass(frozen=True, eq=False)
class Scene:
    """What was read.

    Attributes
    ----------
    picture : array or masked array
    marks : Marks
    placement : Placement, optional
        Where its points lie.
    """

    picture: Any
    marks: Marks
    placement: Placement | None = None

    @property
    def shown(self) -> Any:
        """The picture to look at: masked points as dark as the darkest."""
        return filled(self.picture)


def filled(picture: Any) -> Any:
    """A picture without a mask: masked points take the smallest value of the others.

    Examples
    --------
    >>> filled(np.ma.masked_invalid([[1.0, np.nan]])).tolist()
    [[1.0, 1.0]]
    """
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
    """What goes into each file."""
    files = {options.output: labels_writer(options.output, found.labels, scene)}
    if options.overlay is not None:
        files[options.overlay] = partial(write_image, overlay_of(scene, found), options.overlay)
    if options.sheet is not None:
        files[options.sheet] = partial(write_image, _sheet_of(scene, found), options.sheet)
    if options.scores is not None:
        files[options.scores] = _either(options.scores, found.uncertainty, drawing.as_grey, scene)
    for number, path in masks.items():
        files[path] = partial(write_image, drawing.white_on_black(found.labels == number), path)
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
