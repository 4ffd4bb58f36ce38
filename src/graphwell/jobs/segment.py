"""The whole job on one picture: picture and marks read, pixels given classes, all files written or none."""

import re
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np

from graphwell._types import IntArray
from graphwell.errors import OptionError, Sentence
from graphwell.io.drawings import Marks
from graphwell.io.files import (
    check_distinct,
    check_output,
    check_output_folder,
    either,
    folder_written_whole,
    written_together,
    written_whole,
)
from graphwell.io.images import (
    MAX_PIXELS,
    OF_NUMBERS,
    read_image,
    read_placement,
    read_seeds,
    suffix_for,
    write_image,
    write_values,
    writes_numbers,
)
from graphwell.io.pictures import Placement
from graphwell.jobs.report import Grid, Report, written
from graphwell.jobs.table import notes_from_warnings
from graphwell.memory import check_fits, limited_to
from graphwell.progress import Progress, silent
from graphwell.segmentation import drawing
from graphwell.segmentation.features import MOST_CHANNELS
from graphwell.segmentation.pyramid import picture_bytes
from graphwell.segmentation.seeds import channels_last
from graphwell.segmentation.segmenter import (
    Segmentation,
    Segmenter,
    one_class_sentence,
    unreached_sentence,
)

FILES = ("image", "seeds", "output", "overlay", "scores", "seeds_out")
OF_THE_SEGMENTER = ("radius", "color_scale", "smoothing", "device", "n_jobs")


@dataclass(frozen=True, kw_only=True)
class SegmentOptions:
    """How to segment a picture; the last six are parameters of `graphwell.Segmenter`."""

    image: Path
    seeds: Path  # marks in it
    output: Path  # file for the labels
    overlay: Path | None = None  # file for the picture, tinted and outlined by its classes
    scores: Path | None = None  # file for a map of the uncertainty
    masks: Path | None = None  # folder for one mask per class
    background: str = "auto"  # unknown pixels of a seeds picture: transparent, picture, black, "#rrggbb"
    seeds_out: Path | None = None  # file for the marks as they were read, written before the work
    max_pixels: int = MAX_PIXELS  # larger pictures are refused before they are read
    max_memory: str | None = None  # larger pictures are refused; what is free by default
    spacing: tuple[float, ...] | None = None  # of points along each axis; what the file says by default
    channel_axis: int | None = None  # by default the last; a picture of three axes is then no volume
    radius: float = 3.0
    color_scale: float | None = None
    smoothing: float | None = None
    device: str = "cpu"
    n_jobs: int | None = None


@dataclass(frozen=True, eq=False)
class Scene:
    """A picture and its marks, as they were read."""

    picture: Any
    marks: Marks
    placement: Placement | None  # where its points lie
    spacing: tuple[float, ...] | None  # as asked for, or as the file tells


def filled(picture: Any) -> Any:
    """A picture without a mask, to look at: masked points take the smallest value of the others."""
    return picture.filled(picture.min()) if isinstance(picture, np.ma.MaskedArray) else picture


def segment(
    options: SegmentOptions,
    *,
    progress: Progress = silent,
    segmented: Callable[[IntArray], Segmentation] | None = None,
) -> Report:
    """Give every pixel of a picture a class, and write what the options ask for: all files or none.

    `segmented` may return the segmentation of marks that was computed before.
    """
    began = time.perf_counter()
    named = [(field, getattr(options, field)) for field in FILES]
    for field, path in named[2:]:  # before the work is done
        if path is not None:
            suffix_for(path, field)
            check_output(path, field)
    check_distinct(named)
    if options.masks is not None:
        check_output_folder(options.masks, "masks")
    with limited_to(options.max_memory), notes_from_warnings() as notes:
        progress("reading", None)
        scene = _read(options)
        marks, seeds = scene.marks, scene.marks.classes
        masks = _mask_files(options, marks)
        if options.seeds_out is not None:  # before the work: they show whether the marks were understood
            with written_whole(options.seeds_out) as file:
                _write_classes(seeds, scene, options.seeds_out, file)
        read = time.perf_counter() - began
        if segmented is None:
            n_channels = min(scene.picture.size // seeds.size, MOST_CHANNELS)
            check_fits(options.image, picture_bytes(seeds.size, n_channels))
            segmenter = Segmenter(
                scene.picture,
                channel_axis=None if scene.picture.ndim == seeds.ndim else -1,
                spacing=scene.spacing,
                progress=progress,
                **{name: getattr(options, name) for name in OF_THE_SEGMENTER},
            )
            segmented = segmenter.segment
        found = segmented(seeds)
        progress("writing", None)
        _write(options, masks, scene, found)
    size, mark_next = found.labels.shape, [asdict(square) for square in found.mark_next(seeds)]
    classes: list[dict[str, Any]] = [
        {
            "name": marks.names[int(c)],
            "given": int((seeds == c).sum()),
            "assigned": int((found.labels == c).sum()),
            "number": int(c),
            "share": float((found.labels == c).mean()),
            "color": "#{:02x}{:02x}{:02x}".format(*marks.colors[int(c)]),
        }
        for c in found.classes
    ]
    facts: dict[str, Any] = {
        "image": str(options.image),
        "size": size,
        "seeds": int((seeds >= 0).sum()),
        "classes": classes,
        "unreachable_pixels": found.unreached,
        "mark_next": mark_next,  # parts of the picture where further marks would help most
        "sweeps": found.result.n_sweeps,
        "status": found.result.status.value,
        "output": str(options.output),
    }
    sides = " x ".join(f"{side:,}" for side in size)
    counts = f"{sides} pixels, {facts['seeds']:,} marked, {len(classes):,} classes."
    lead = [f"{counts} {facts['sweeps']:,} sweeps. {facts['status']}"]
    if mark_next:
        places = "; ".join("row {row:,}, column {column:,}".format(**square) for square in mark_next)
        side = mark_next[0]["side"]
        lead.append(f"Further marks would help most in the squares of {side} pixels around {places}.")
    lines = [
        (each["name"], f"{each['given']:,}", f"{each['assigned']:,}", f"{100 * each['share']:.2f}")
        for each in classes
    ]
    outputs = (getattr(options, name) for name in ("seeds_out", *FILES[2:-1], "masks"))
    files = [path for path in outputs if path is not None]
    return Report(
        facts=facts,
        lead=[*lead, *written(files)],
        notes=(*marks.notes, *notes(), *_notes(options, scene, found)),
        grids=[Grid("Classes", ("class", ">given", ">assigned", ">% of all"), lines)],
        seconds={"reading": read, **found.seconds, "in all": time.perf_counter() - began},
        files=files,
    )


def _read(options: SegmentOptions) -> Scene:
    """The picture with its channels last, its marks, and where its points lie."""
    picture = read_image(options.image, options.max_pixels, volumes=True)
    if options.channel_axis is not None and picture.ndim == 2:
        problem = "{field} says that an axis holds channels, but {} has height and width alone."
        raise OptionError("channel_axis", problem, options.image)
    if options.channel_axis is not None:
        picture = channels_last(picture, options.channel_axis)
    marks = read_seeds(
        options.seeds, picture.shape[: max(2, picture.ndim - 1)], options.background,
        picture=filled(picture), max_pixels=options.max_pixels,
    )  # fmt: skip
    n_axes = marks.classes.ndim
    if options.channel_axis is not None and n_axes == picture.ndim:
        problem = "{field} says that an axis holds channels, but {} marks points along all {} axes."
        raise OptionError("channel_axis", problem, options.seeds, n_axes)
    if n_axes == 3 and options.masks is not None:
        raise OptionError("masks", "{field} draws pictures, not volumes; leave it out.")
    for field in ("output", "scores", "seeds_out") if n_axes == 3 else ():
        path = getattr(options, field)
        if path is not None and not writes_numbers(path):
            raise OptionError(field, "{field} {} of a volume must end in {}.", path, either(OF_NUMBERS))
    placement = read_placement(options.image)
    told = None if placement is None else placement.spacing
    fits = options.spacing is None and told is not None and len(told) == n_axes
    return Scene(picture, marks, placement, told if fits else options.spacing)


def _notes(options: SegmentOptions, scene: Scene, found: Segmentation) -> list[Sentence]:
    """Sentences about a single class, regions that no seed reaches, spacing, and numbers of colours."""
    marks, output = scene.marks, options.output
    notes = []
    if len(found.classes) == 1:
        notes.append(Sentence("{}", (one_class_sentence(marks.names[int(found.classes[0])]),)))
    if found.unreached:
        notes.append(Sentence("{}", (unreached_sentence(found),)))
    if scene.spacing is not None and options.spacing is None and len(set(scene.spacing)) > 1:
        sides = " x ".join(f"{side:g}" for side in scene.spacing)
        text = "Points lie {} apart, as {} says; {spacing} sets it."
        notes.append(Sentence(text, (sides, options.image.name)))
    named = [f"{number} is {name}" for number, name in marks.names.items() if name.startswith("#")]
    if named and writes_numbers(output, scene.placement):
        notes.append(Sentence("In {}, {}.", (output.name, ", ".join(named))))
    return notes


def _mask_files(options: SegmentOptions, marks: Marks) -> dict[int, Path]:
    """The file of each class, none of which has another role."""
    if options.masks is None:
        return {}
    plain = {c: re.sub(r"[^\w.-]+", "_", name.removeprefix("#"))[:80] for c, name in marks.names.items()}
    twice = len(set(plain.values())) < len(plain)
    files = {c: options.masks / (f"mask_{c}_{n}.png" if twice else f"mask_{n}.png") for c, n in plain.items()}
    named = [(field, getattr(options, field)) for field in FILES]
    check_distinct([*named, *(("masks", path) for path in files.values())])
    return files


def _write(options: SegmentOptions, masks: dict[int, Path], scene: Scene, found: Segmentation) -> None:
    """Write all files or none; a new folder for masks appears with all of them in it."""
    colors, folder = scene.marks.colors, options.masks
    with written_together() as held:

        def opened(path: Path) -> IO[bytes]:
            return held.enter_context(written_whole(path))

        _write_classes(found.labels, scene, options.output, opened(options.output))
        if options.overlay is not None:
            tinted = drawing.overlay(filled(scene.picture), found.labels, colors)
            write_image(tinted, options.overlay, opened(options.overlay))
        if options.scores is not None:
            path, file = options.scores, opened(options.scores)
            write_values(found.uncertainty, drawing.as_grey, colors, scene.placement, path, file)
        if folder is None:
            return
        if not folder.exists():
            folder = held.enter_context(folder_written_whole(folder))
        for number, path in masks.items():
            white_on_black = np.where(found.labels == number, 255, 0).astype(np.uint8)
            write_image(white_on_black, path, opened(folder / path.name))


def _write_classes(classes: IntArray, scene: Scene, path: Path, file: IO[bytes]) -> None:
    colors = scene.marks.colors
    write_values(classes, partial(drawing.painted, colors=colors), colors, scene.placement, path, file)
