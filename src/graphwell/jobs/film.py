"""The job on a folder of pictures that follow each other: labels for every frame, from marks in the first."""

import re
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from graphwell.errors import OptionError, Sentence
from graphwell.io.files import check_distinct, check_output_folder, folder_written_whole, written_whole
from graphwell.io.images.registry import FIT_FOR, FORMATS, write_image
from graphwell.jobs.outputs import notes_from_warnings
from graphwell.jobs.reports import SegmentReport
from graphwell.jobs.segment import (
    Say,
    about_one_class,
    about_spacing,
    class_found,
    picture_of,
    read_scene,
    segmenter_options,
    spacing_of,
    what_was_read,
)
from graphwell.jobs.segment_files import Scene, labels_writer, overlay_of
from graphwell.jobs.segment_options import SegmentOptions
from graphwell.memory import limited_to
from graphwell.progress import Progress, silent

if TYPE_CHECKING:
    from graphwell.segmentation.segmenter import Segmentation

OF_ONE_PICTURE = ("sheet", "scores", "masks", "seeds_out")


def segment_film(
    options: SegmentOptions, *, progress: Progress = silent, say: Say | None = None
) -> SegmentReport:
    """Give every pixel of every frame a class; labels and overlays go into new folders, all or none.

    Parameters
    ----------
    options : SegmentOptions
        `image` is a folder of pictures, `seeds` mark the first, `output` and `overlay` are folders.
    progress, say : callable
        As in `graphwell.jobs.segment.segment`.
    """
    began = time.perf_counter()
    _check(options)
    frames = frames_in(options.image)
    with limited_to(options.max_memory), notes_from_warnings() as notes, ExitStack() as held:
        scene = read_scene(replace(options, image=frames[0]))
        if scene.marks.classes.ndim != 2:
            raise OptionError("image", "{field} {} holds volumes; frames must be pictures.", options.image)
        if say is not None:
            say(what_was_read(options, scene.marks))
        folders = {
            field: held.enter_context(folder_written_whole(path))
            for field in ("output", "overlay")
            if (path := getattr(options, field)) is not None
        }
        counts = _Counts(scene)
        for number, (name, shown, found) in enumerate(_segmented(options, frames, scene)):
            progress("frames", number / len(frames))
            _write(name, folders, shown, found)
            counts.add(name, found)
    notes += about_spacing(scene, options)
    return counts.report(options, (*scene.marks.notes, *notes), time.perf_counter() - began)


def frames_in(folder: Path) -> list[Path]:
    """Pictures of a folder in the order of their names, in which 10 comes after 9."""
    known = FORMATS.suffixes(FIT_FOR["image"])
    found = [path for path in folder.iterdir() if path.suffix.lower() in known and path.is_file()]
    if not found:
        problem = "{field} {} holds no picture; a film is a folder of frames, PNG or JPEG files say."
        raise OptionError("image", problem, folder)
    return sorted(found, key=_in_order)


def _in_order(path: Path) -> list[tuple[int, str]]:
    parts = re.split(r"(\d+)", path.name)
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]


def _check(options: SegmentOptions) -> None:
    """Refuse what a film has not, before the work is done."""
    for field in OF_ONE_PICTURE:
        if getattr(options, field) is not None:
            raise OptionError(field, "{field} is for one picture, not for the film {}.", options.image)
    check_distinct([(field, getattr(options, field)) for field in ("image", "seeds", "output", "overlay")])
    for field in ("output", "overlay"):
        path = getattr(options, field)
        if path is not None and path.suffix.lower() in FORMATS.suffixes():
            problem = "{field} {} names a file, but {} is a folder of frames; name a new folder."
            raise OptionError(field, problem, path, options.image)
        if path is not None and path.exists():
            problem = "{field} {} is there already; of a film, name a new folder."
            raise OptionError(field, problem, path)
        if path is not None:
            check_output_folder(path, field)


def _segmented(
    options: SegmentOptions, frames: list[Path], scene: Scene
) -> Iterator[tuple[str, Scene, "Segmentation"]]:
    """Each frame by name, as it was read, and what was found in it."""
    from graphwell.segmentation.frames import segment_frames

    seen: list[Scene] = []

    def pictures() -> Iterator[object]:
        for path in frames:
            picture = scene.picture if path == frames[0] else picture_of(replace(options, image=path))
            seen[:] = [replace(scene, picture=picture, placement=None)]
            yield picture

    chosen = {"spacing": spacing_of(scene, options), **segmenter_options(options)}
    for path, found in zip(frames, segment_frames(pictures(), scene.marks.classes, **chosen), strict=True):
        yield path.stem, seen[0], found


def _write(name: str, folders: dict[str, Path], scene: Scene, found: "Segmentation") -> None:
    path = folders["output"] / f"{name}.png"
    writers = {path: labels_writer(path, found.labels, scene)}
    if "overlay" in folders:
        path = folders["overlay"] / f"{name}.png"
        writers[path] = partial(write_image, overlay_of(scene, found), path)
    for path, write in writers.items():
        with written_whole(path) as file:
            write(file)


class _Counts:
    """What is told of all frames together."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.frames = self.unreached = self.sweeps = 0
        self.assigned = dict.fromkeys(scene.marks.names, 0)
        self.lost: dict[int, str] = {}

    def add(self, name: str, found: "Segmentation") -> None:
        self.frames += 1
        self.unreached += found.unreached
        self.sweeps += found.result.n_sweeps
        self.status = found.result.status.value
        for number in self.assigned:
            count = int((found.labels == number).sum())
            self.assigned[number] += count
            if not count:
                self.lost.setdefault(number, name)

    def report(self, options: SegmentOptions, notes: tuple[Sentence, ...], seconds: float) -> SegmentReport:
        marks, points = self.scene.marks, self.scene.marks.classes.size * self.frames
        text = "The class {} is in no pixel from the frame {} on; mark a later frame and begin there."
        gone = [Sentence(text, (marks.names[number], name)) for number, name in self.lost.items()]
        return SegmentReport(
            image=options.image,
            size=(*marks.classes.shape, self.frames),
            seeds=int((marks.classes >= 0).sum()),
            classes=tuple(class_found(c, marks, count, points) for c, count in self.assigned.items()),
            unreachable_pixels=self.unreached,
            mark_next=(),
            sweeps=self.sweeps,
            status=self.status,
            output=options.output,
            notes=(*notes, *about_one_class(marks, marks.names), *gone),
            files=tuple(path for path in (options.output, options.overlay) if path is not None),
            seconds={"in all": seconds},
        )
