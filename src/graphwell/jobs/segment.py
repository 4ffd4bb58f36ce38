"""The whole job on one picture: picture and marks read, every pixel given a class, labels written."""

import re
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from graphwell.errors import OptionError, Sentence
from graphwell.io.files import (
    check_distinct,
    check_output,
    check_output_folder,
    folder_written_whole,
    written_together,
    written_whole,
)
from graphwell.io.images.base import Marks
from graphwell.io.images.registry import format_for, read_image, write_image, write_numbers, writes_numbers
from graphwell.io.images.seeds import read_seeds
from graphwell.jobs.options import SegmentOptions
from graphwell.jobs.outputs import notes_from_warnings
from graphwell.jobs.reports import SegmentClass, SegmentReport
from graphwell.memory import check_fits, limited_to, read_size
from graphwell.progress import Progress, silent

if TYPE_CHECKING:
    from graphwell.segmentation.segmenter import Segmentation, Segmenter

Write = Callable[[IO[bytes]], None]
Say = Callable[[Sentence], object]
FILES = ("image", "seeds", "output", "overlay", "sheet", "scores", "seeds_out")
BYTES_PER_PIXEL, BYTES_PER_NEIGHBOR = 500, 55
"""Of a graph that is stored, about."""
NAMES_SAID = 12


def segment(options: SegmentOptions, *, progress: Progress = silent, say: Say | None = None) -> SegmentReport:
    """Give every pixel of a picture a class, and write what the options ask for: all files or none.

    Parameters
    ----------
    options : SegmentOptions
    progress : callable
        Told the stage and the share of it that is done.
    say : callable, optional
        Told what marks were read, before anything is computed from them.

    Examples
    --------
    >>> import tempfile
    >>> from graphwell.datasets.strokes import write_example
    >>> with tempfile.TemporaryDirectory() as name:
    ...     folder = Path(name)
    ...     _ = write_example(folder, noise=0.0, per_class=0, random_state=0)
    ...     files = {"image": folder / "image.png", "seeds": folder / "seeds.png"}
    ...     report = segment(SegmentOptions(**files, output=folder / "labels.png"))
    >>> report.size, len(report.classes), report.unreachable_pixels
    ((191, 196), 5, 0)
    """
    began = time.perf_counter()
    _check_files(options)
    allowed = None if options.max_memory is None else read_size(options.max_memory)
    with limited_to(allowed), notes_from_warnings() as notes:
        progress("reading", None)
        picture = read_image(options.image, options.max_pixels, volumes=True)
        marks = read_seeds(
            options.seeds, picture.shape[: max(2, picture.ndim - 1)], options.painting,
            picture=picture, name=options.image.name, max_pixels=options.max_pixels,
        )  # fmt: skip
        if marks.classes.ndim == 3:
            _check_no_drawings(options)
        masks = _mask_files(options, marks)
        if say is not None:
            say(_what_was_read(options, marks))
        if options.seeds_out is not None:
            _write({options.seeds_out: _labels(options.seeds_out, marks.classes, marks)}, None)
        _check_fits(options, marks.classes.size, picture.size // marks.classes.size)
        read = time.perf_counter() - began
        channel_axis = None if picture.ndim == marks.classes.ndim else -1
        found = _segmenter(picture, channel_axis, options, progress).segment(marks.classes)
        progress("writing", None)
        _write(_writers(options, masks, picture, marks, found), options.masks)
    report = _summarise(options, marks, found)
    seconds = {"reading": read, **found.seconds, "in all": time.perf_counter() - began}
    said = (*marks.notes, *notes, *report.notes)
    return replace(report, notes=said, seconds=seconds)


def _named_files(options: SegmentOptions) -> list[tuple[str, Path | None]]:
    return [(field, getattr(options, field)) for field in FILES]


def _check_files(options: SegmentOptions) -> None:
    """Refuse names that could not be written, before the work is done."""
    for field, path in _named_files(options)[2:]:
        if path is not None:
            format_for(path, field)
            check_output(path, field)
    check_distinct(_named_files(options))
    if options.masks is not None:
        check_output_folder(options.masks, "masks")


def _check_no_drawings(options: SegmentOptions) -> None:
    """Refuse files of a volume that would be pictures."""
    for field in ("overlay", "sheet", "masks"):
        if getattr(options, field) is not None:
            raise OptionError(field, "{field} draws pictures, not volumes; leave it out.")
    for field in ("output", "scores", "seeds_out"):
        path = getattr(options, field)
        if path is not None and not writes_numbers(path):
            raise OptionError(field, "{field} {} of a volume must be a .npy file.", path)


def _check_fits(options: SegmentOptions, n_pixels: int, n_channels: int) -> None:
    """Refuse a picture whose graph would not fit into memory."""
    from graphwell.segmentation.canvas import picture_bytes
    from graphwell.segmentation.features import MOST_CHANNELS

    if options.graph == "pixels":
        check_fits(options.image, picture_bytes(n_pixels, min(n_channels, MOST_CHANNELS)))
        return
    check_fits(options.image, n_pixels * (BYTES_PER_PIXEL + BYTES_PER_NEIGHBOR * 2 * options.n_neighbors))


def _mask_files(options: SegmentOptions, marks: Marks) -> dict[int, Path]:
    """The file of each class, none of which has another role."""
    if options.masks is None:
        return {}
    plain = {c: re.sub(r"[^\w.-]+", "_", name.removeprefix("#"))[:80] for c, name in marks.names.items()}
    twice = len(set(plain.values())) < len(plain)
    files = {c: options.masks / (f"mask_{c}_{n}.png" if twice else f"mask_{n}.png") for c, n in plain.items()}
    check_distinct([*_named_files(options), *(("masks", path) for path in files.values())])
    return files


def _segmenter(
    picture: Any, channel_axis: int | None, options: SegmentOptions, progress: Progress
) -> "Segmenter":
    from graphwell.segmentation.segmenter import Segmenter

    return Segmenter(
        picture,
        channel_axis=channel_axis,
        spacing=options.spacing,
        graph=options.graph,
        radius=options.radius,
        color_scale=options.color_scale,
        smoothing=options.smoothing,
        patch=options.patch,
        n_neighbors=options.n_neighbors,
        position_weight=options.position_weight,
        fidelity=options.fidelity,
        device=options.device,
        n_jobs=options.n_jobs,
        progress=progress,
    )


def _writers(
    options: SegmentOptions, masks: dict[int, Path], picture: Any, marks: Marks, found: "Segmentation"
) -> dict[Path, Write]:
    """What goes into each file."""
    from graphwell.segmentation import drawing
    from graphwell.segmentation.next_marks import squares_to_mark

    doubt = drawing.uncertainty(found.score, found.reachable)
    files = {options.output: _labels(options.output, found.labels, marks)}
    if options.overlay is not None:
        drawn = drawing.overlay(picture, found.labels, marks.colors)
        files[options.overlay] = partial(write_image, drawn, options.overlay)
    if options.sheet is not None:
        squares = squares_to_mark(doubt, marks.classes)
        drawn = drawing.contact_sheet(picture, marks.classes, found.labels, doubt, marks.colors, squares)
        files[options.sheet] = partial(write_image, drawn, options.sheet)
    if options.scores is not None:
        files[options.scores] = _either(options.scores, doubt, drawing.as_grey)
    for number, path in masks.items():
        files[path] = partial(write_image, drawing.white_on_black(found.labels == number), path)
    return files


def _labels(path: Path, classes: Any, marks: Marks) -> Write:
    from graphwell.segmentation import drawing

    return _either(path, classes, drawing.painted, marks.colors)


def _what_was_read(options: SegmentOptions, marks: Marks) -> Sentence:
    """How many pixels of which classes are marked."""
    counts = [f"{name} {int((marks.classes == number).sum()):,}" for number, name in marks.names.items()]
    more = ", ..." if len(counts) > NAMES_SAID else ""
    text = "{} marks {:,} pixels of {:,} classes: {}."
    said = ", ".join(counts[:NAMES_SAID]) + more
    marked = int((marks.classes >= 0).sum())
    return Sentence(text, (options.seeds.name, marked, len(marks.names), said))


def _either(path: Path, values: Any, draw: Callable[..., Any], *further: Any) -> Write:
    """Write numbers as they are, or a picture of them, as the name of the file asks."""
    if writes_numbers(path):
        return lambda file: write_numbers(values, path, file)
    return lambda file: write_image(draw(values, *further), path, file)


def _write(files: dict[Path, Write], masks: Path | None) -> None:
    """Write all files or none; a new folder for masks appears with all of them in it."""
    with written_together() as held:
        unnamed = None
        if masks is not None and not masks.exists():
            unnamed = held.enter_context(folder_written_whole(masks))
        for path, write in files.items():
            inside = unnamed is not None and path.parent == masks
            name = unnamed / path.name if unnamed is not None and inside else path
            write(held.enter_context(written_whole(name)))


def _summarise(options: SegmentOptions, marks: Marks, found: "Segmentation") -> SegmentReport:
    from graphwell.segmentation.drawing import uncertainty
    from graphwell.segmentation.next_marks import squares_to_mark
    from graphwell.segmentation.segment import unreached_sentence

    is_volume = marks.classes.ndim == 3
    doubt = uncertainty(found.score, found.reachable)
    lost = [] if found.reachable.all() else [Sentence("{}", (unreached_sentence(found),))]
    written = (
        options.seeds_out,
        options.output,
        options.overlay,
        options.sheet,
        options.scores,
        options.masks,
    )
    return SegmentReport(
        image=options.image,
        size=found.labels.shape,
        seeds=int((marks.classes >= 0).sum()),
        classes=tuple(_class(int(c), marks, found) for c in found.classes),
        unreachable_pixels=int((~found.reachable).sum()),
        mark_next=() if is_volume else squares_to_mark(doubt, marks.classes),
        sweeps=found.result.n_sweeps,
        status=found.result.status.value,
        output=options.output,
        notes=(*lost, *_numbering(options.output, marks)),
        files=tuple(path for path in written if path is not None),
        seconds={},
    )


def _class(number: int, marks: Marks, found: "Segmentation") -> SegmentClass:
    return SegmentClass(
        name=marks.names[number],
        given=int((marks.classes == number).sum()),
        assigned=int((found.labels == number).sum()),
        number=number,
        share=float((found.labels == number).mean()),
        color="#{:02x}{:02x}{:02x}".format(*marks.colors[number]),
    )


def _numbering(output: Path, marks: Marks) -> list[Sentence]:
    """Which number stands for which colour, where numbers are written for colours."""
    named = [f"{number} is {name}" for number, name in marks.names.items() if name.startswith("#")]
    if not named or not writes_numbers(output):
        return []
    return [Sentence("In {}, {}.", (output.name, ", ".join(named)))]
