"""The whole job on one picture: picture and marks read, every pixel given a class, labels written."""

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from graphwell._types import IntArray
from graphwell.errors import OptionError, Sentence
from graphwell.io.images.base import Marks
from graphwell.io.images.registry import keeps_placement, read_image, read_placement, writes_numbers
from graphwell.io.images.seeds import read_seeds
from graphwell.jobs.outputs import notes_from_warnings
from graphwell.jobs.reports import SegmentClass, SegmentReport
from graphwell.jobs.segment_files import (
    Scene,
    SegmentOptions,
    check_files,
    check_volume_files,
    filled,
    labels_writer,
    mask_files,
    write_all,
    writers,
)
from graphwell.memory import allowed, check_fits, in_words, limited_to
from graphwell.progress import Progress, silent
from graphwell.segmentation.features import MOST_CHANNELS
from graphwell.segmentation.pyramid import picture_bytes, reduced, reduced_seeds, working_pixels
from graphwell.segmentation.seeds import channels_last
from graphwell.segmentation.segmenter import Segmentation, Segmenter, one_class_sentence, unreached_sentence

Say = Callable[[Sentence], object]
NAMES_SAID = 12
OF_THE_SEGMENTER = ("radius", "color_scale", "smoothing", "patch", "device", "n_jobs")
MOST_REDUCED = 8
"""Beside a copy reduced by more than this, a refusal is the better answer."""


def segment(
    options: SegmentOptions,
    *,
    progress: Progress = silent,
    say: Say | None = None,
    segmented: Callable[[IntArray], Segmentation] | None = None,
) -> SegmentReport:
    """Give every pixel of a picture a class, and write what the options ask for: all files or none.

    Parameters
    ----------
    options : SegmentOptions
    progress : callable
        Told the stage and the share of it that is done.
    say : callable, optional
        Told what marks were read, before anything is computed from them.
    segmented : callable, optional
        Given the marked classes, returns the segmentation to write; by default it is computed here.

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
    check_files(options)
    with limited_to(options.max_memory), notes_from_warnings() as notes:
        progress("reading", None)
        scene = read_scene(options)
        marks = scene.marks
        if marks.classes.ndim == 3:
            check_volume_files(options)
        masks = mask_files(options, marks)
        if say is not None:
            say(what_was_read(options, marks))
        if options.seeds_out is not None:
            write_all({options.seeds_out: labels_writer(options.seeds_out, marks.classes, scene)}, None)
        reduced: tuple[Sentence, ...] = ()
        if segmented is None:
            plan = planned(options, scene)
            if say is not None:
                say(plan.sentence())
            reduced = (plan.sentence(),) if plan.factor > 1 else ()
        read = time.perf_counter() - began
        found = segmented(marks.classes) if segmented else _segmented(scene, options, plan.factor, progress)
        progress("writing", None)
        write_all(writers(options, masks, scene, found), options.masks)
    report = _summarise(options, scene, found)
    seconds = {"reading": read, **found.seconds, "in all": time.perf_counter() - began}
    said = (*marks.notes, *notes, *reduced, *report.notes)
    return replace(report, notes=said, seconds=seconds)


def read_scene(options: SegmentOptions) -> Scene:
    """The picture with its channels last, its marks, and where its points lie."""
    picture = picture_of(options)
    marks = read_seeds(
        options.seeds, picture.shape[: max(2, picture.ndim - 1)], options.painting,
        picture=filled(picture), name=options.image.name, max_pixels=options.max_pixels,
    )  # fmt: skip
    if options.channel_axis is not None and marks.classes.ndim == picture.ndim:
        problem = "{field} says that an axis holds channels, but {} marks points along all {} axes."
        raise OptionError("channel_axis", problem, options.seeds, picture.ndim)
    return Scene(picture, marks, read_placement(options.image))


def picture_of(options: SegmentOptions) -> Any:
    """Read the picture, its channels last where an axis is said to hold them."""
    picture, axis = read_image(options.image, options.max_pixels, volumes=True), options.channel_axis
    if axis is None:
        return picture
    if picture.ndim == 2:
        problem = "{field} says that an axis holds channels, but {} has height and width alone."
        raise OptionError("channel_axis", problem, options.image)
    return channels_last(picture, axis)


def spacing_of(scene: Scene, options: SegmentOptions) -> tuple[float, ...] | None:
    """Distances between points: as asked for, or as the file tells."""
    spacing = None if scene.placement is None else scene.placement.spacing
    if options.spacing is not None or spacing is None or len(spacing) != scene.marks.classes.ndim:
        return options.spacing
    return spacing


def _segmented(scene: Scene, options: SegmentOptions, factor: int, progress: Progress) -> Segmentation:
    """Segment the picture, or a copy whose sides are reduced by a factor."""
    if factor == 1:
        return _segmenter(scene, options, progress).segment(scene.marks.classes)
    small = reduced_scene(scene, factor)
    found = _segmenter(small, options, progress).segment(small.marks.classes)
    return in_full(found, factor, scene.marks.classes)


def _segmenter(scene: Scene, options: SegmentOptions, progress: Progress) -> Segmenter:
    return Segmenter(
        scene.picture,
        channel_axis=None if scene.picture.ndim == scene.marks.classes.ndim else -1,
        spacing=spacing_of(scene, options),
        progress=progress,
        **segmenter_options(options),
    )


def segmenter_options(options: SegmentOptions) -> dict[str, Any]:
    """Those options that are the same for every picture, as `graphwell.Segmenter` takes them."""
    return {name: getattr(options, name) for name in OF_THE_SEGMENTER}


def what_was_read(options: SegmentOptions, marks: Marks) -> Sentence:
    """How many pixels of which classes are marked."""
    counts = [f"{name} {int((marks.classes == number).sum()):,}" for number, name in marks.names.items()]
    more = ", ..." if len(counts) > NAMES_SAID else ""
    text = "{} marks {:,} pixels of {:,} classes: {}."
    said = ", ".join(counts[:NAMES_SAID]) + more
    marked = int((marks.classes >= 0).sum())
    return Sentence(text, (options.seeds.name, marked, len(marks.names), said))


def _summarise(options: SegmentOptions, scene: Scene, found: Segmentation) -> SegmentReport:
    marks = scene.marks
    lost = [Sentence("{}", (unreached_sentence(found),))] if found.unreached else []
    notes = (*about_one_class(marks, found.classes.tolist()), *lost, *about_spacing(scene, options))
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
        classes=tuple(
            class_found(int(c), marks, int((found.labels == c).sum()), found.labels.size)
            for c in found.classes
        ),
        unreachable_pixels=found.unreached,
        mark_next=found.mark_next(marks.classes),
        sweeps=found.result.n_sweeps,
        status=found.result.status.value,
        output=options.output,
        notes=(*notes, *_numbering(options.output, scene)),
        files=tuple(path for path in written if path is not None),
        seconds={},
    )


def class_found(number: int, marks: Marks, assigned: int, n_points: int) -> SegmentClass:
    """The report of one class."""
    return SegmentClass(
        name=marks.names[number],
        given=int((marks.classes == number).sum()),
        assigned=assigned,
        number=number,
        share=assigned / n_points,
        color="#{:02x}{:02x}{:02x}".format(*marks.colors[number]),
    )


def about_one_class(marks: Marks, found: Collection[int]) -> list[Sentence]:
    """Say that a single class is no segmentation; marks under a mask do not count."""
    return [Sentence("{}", (one_class_sentence(marks.names[c]),)) for c in found if len(found) == 1]


def about_spacing(scene: Scene, options: SegmentOptions) -> list[Sentence]:
    """Say that points lie farther apart along one axis than along another, where the file says so."""
    spacing = spacing_of(scene, options)
    if spacing is None or spacing == options.spacing or len(set(spacing)) == 1:
        return []
    sides = " x ".join(f"{side:g}" for side in spacing)
    return [Sentence("Points lie {} apart, as {} says; {spacing} sets it.", (sides, options.image.name))]


def _numbering(output: Path, scene: Scene) -> list[Sentence]:
    """Which number stands for which colour, where numbers are written for colours."""
    named = [f"{number} is {name}" for number, name in scene.marks.names.items() if name.startswith("#")]
    if not named or not (writes_numbers(output) or keeps_placement(output, scene.placement)):
        return []
    return [Sentence("In {}, {}.", (output.name, ", ".join(named)))]


@dataclass(frozen=True)
class MemoryPlan:
    """Bytes that a picture needs, and the factor by which its sides are reduced so that it fits."""

    n_points: int
    needed: int
    factor: int = 1

    def sentence(self) -> Sentence:
        """The plan in words."""
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
    """The segmentation of a reduced copy, as large as the picture; marks keep their class."""

    def large(plane: IntArray) -> IntArray:
        wide = np.repeat(np.repeat(plane, factor, axis=0), factor, axis=1)
        return wide[: seeds.shape[0], : seeds.shape[1]]

    labels = np.where(seeds >= 0, seeds, large(found.labels))
    score, reachable, masked = (large(plane) for plane in (found.score, found.reachable, found.masked))
    return replace(found, labels=labels, score=score, reachable=reachable, masked=masked)
