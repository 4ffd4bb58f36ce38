"""`graphwell segment`: give every pixel of a picture a class, from a few pixels that are marked."""

import json
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from graphwell.cli._progress import bars
from graphwell.cli._run import Exit, ends_cleanly, notes_from_warnings
from graphwell.cli._summary import print_segments
from graphwell.io.files import check_distinct, check_output, written_whole

if TYPE_CHECKING:
    from graphwell.io.images.seeds import Seeds
    from graphwell.segmentation.segmenter import Segmentation

Write = Callable[[IO[bytes]], None]


@ends_cleanly
def segment(
    image: Annotated[
        Path, typer.Argument(help="PNG, JPEG, TIFF, .npy or .npz file (any channels).", show_default=False)
    ],
    seeds: Annotated[
        Path,
        typer.Option(
            help="Marked pixels: a picture of the same size whose colours are the classes, an integer .npy "
            "(-1 unknown), or a text file of row,col,class lines.",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="File for the labels (.png, .tif, .npy).", show_default=False),
    ],
    background: Annotated[
        str, typer.Option(help="Unknown pixels of a seeds picture: transparent, black, or auto.")
    ] = "auto",
    snap: Annotated[
        bool, typer.Option("--snap", help="Give mixed colours of the seeds to the nearest plain colour.")
    ] = False,
    overlay: Annotated[
        Path | None, typer.Option(help="File for the picture with the borders drawn on it.")
    ] = None,
    scores: Annotated[Path | None, typer.Option(help="File for a map of the uncertainty.")] = None,
    masks: Annotated[Path | None, typer.Option(help="Folder for one mask per class.")] = None,
    graph: Annotated[
        str, typer.Option(help="pixels: all within a radius; features: the paper's nearest neighbours.")
    ] = "pixels",
    radius: Annotated[float, typer.Option(help="Reach of a pixel in the graph of pixels.")] = 3.0,
    color_scale: Annotated[
        float | None, typer.Option(help="Colour difference that separates, of 0 to 1; found by default.")
    ] = None,
    smoothing: Annotated[
        float | None, typer.Option(help="Blur before pixels are compared; found from the noise by default.")
    ] = None,
    patch: Annotated[int, typer.Option(help="Side of the square that pixels are compared by, odd.")] = 1,
    neighbors: Annotated[int, typer.Option(help="Neighbours in the graph of features.", min=1)] = 30,
    position_weight: Annotated[
        float, typer.Option(help="Weight of place against colour in the graph of features.")
    ] = 1.0,
    fidelity: Annotated[float, typer.Option(help="Weight of the seeds.")] = 30.0,
    max_pixels: Annotated[
        int, typer.Option(help="Larger pictures are refused before they are read.", min=1)
    ] = 100_000_000,
    jobs: Annotated[int | None, typer.Option(help="Threads; all cores by default.")] = None,
    device: Annotated[str, typer.Option(help="cpu or cuda.")] = "cpu",
    json_: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
) -> Exit:
    """Give every pixel of a picture a class, from a few pixels that are marked.

    Writes a picture in the colours of the seeds. Pixels that no seed reaches are transparent there, and -1 in
    a .npy file. Exit codes: 0 done; 1 done, but no seed reaches some pixels; 2 bad input; 130 interrupted.
    """
    from graphwell.io.images.read import read_image
    from graphwell.io.images.seeds import read_seeds_file
    from graphwell.segmentation.segmenter import Segmenter

    named = {"IMAGE": image, "--seeds": seeds, "--output": output, "--overlay": overlay, "--scores": scores}
    _check_outputs(named, masks)
    began = time.perf_counter()
    with notes_from_warnings() as notes, bars(quiet=quiet) as progress:
        progress("reading", None)
        picture = read_image(image, max_pixels)
        marks = read_seeds_file(seeds, picture.shape[:2], background, snap=snap, max_pixels=max_pixels)
        mask_files = _mask_files(masks, marks, named)
        read = time.perf_counter() - began
        found = Segmenter(
            picture, graph=graph, radius=radius, color_scale=color_scale, smoothing=smoothing, patch=patch,
            n_neighbors=neighbors, position_weight=position_weight, fidelity=fidelity, device=device,
            n_jobs=jobs, progress=progress,
        ).segment(marks.classes)  # fmt: skip
        progress("writing", None)
        _write_all(_writers(picture, found, marks, output, overlay, scores, mask_files), masks)
    summary = _summary(image, found, marks, notes, output)
    summary["files"] = [str(path) for path in (output, overlay, scores, masks) if path is not None]
    summary["seconds"] = {"reading": round(read, 3), **found.seconds}
    summary["seconds"]["in all"] = round(time.perf_counter() - began, 3)
    if not quiet:
        print_segments(summary, on_stderr=json_)
    if json_:
        typer.echo(json.dumps(summary, indent=2, ensure_ascii=False))
    return Exit.DONE if found.reachable.all() else Exit.NEEDS_ATTENTION


def _check_outputs(named: dict[str, Path | None], masks: Path | None) -> None:
    """Refuse names that could not be written, before the work is done."""
    from graphwell.io.images.write import LABEL_KINDS, OVERLAY_KINDS, check_kind

    for option, kinds, more in (
        ("--output", LABEL_KINDS, (".npy",)),
        ("--overlay", OVERLAY_KINDS, ()),
        ("--scores", LABEL_KINDS, (".npy",)),
    ):
        path = named[option]
        if path is not None:
            check_kind(path, option, kinds, more)
            check_output(path, option)
    check_distinct(named)
    if masks is not None:
        if masks.exists() and not masks.is_dir():
            raise ValueError(f"--masks {masks} is a file; give the name of a folder.")
        check_output(masks / "mask.png" if masks.exists() else masks, "--masks")


def _mask_files(masks: Path | None, marks: "Seeds", named: dict[str, Path | None]) -> dict[int, Path]:
    """The file of each class, none of which has another role."""
    if masks is None:
        return {}
    files = {c: masks / f"mask_{name.removeprefix('#')}.png" for c, name in marks.names.items()}
    check_distinct({**named, **{f"--masks {path.name}": path for path in files.values()}})
    return files


def _writers(
    picture: Any,
    found: "Segmentation",
    marks: "Seeds",
    output: Path,
    overlay: Path | None,
    scores: Path | None,
    masks: dict[int, Path],
) -> dict[Path, Write]:
    """What goes into each file."""
    from graphwell.io.images import write

    files: dict[Path, Write] = {output: partial(write.write_labels, found.labels, marks.colors, output)}
    if overlay is not None:
        files[overlay] = partial(write.write_overlay, picture, found.labels, marks.colors, overlay)
    if scores is not None:
        files[scores] = partial(write.write_uncertainty, found.score, found.reachable, scores)
    for number, path in masks.items():
        files[path] = partial(write.write_mask, found.labels == number, path)
    return files


def _write_all(files: dict[Path, Write], masks: Path | None) -> None:
    """Write all files, or none of them."""
    if masks is not None:
        masks.mkdir(exist_ok=True)
    with ExitStack() as held:
        for path, write in files.items():
            write(held.enter_context(written_whole(path)))


def _summary(
    image: Path, found: "Segmentation", marks: "Seeds", notes: list[str], output: Path
) -> dict[str, Any]:
    """What there is to say, as values that JSON can hold."""
    from graphwell.segmentation.segmenter import unreached_sentence

    lost = [] if found.reachable.all() else [unreached_sentence(found)]
    return {
        "image": str(image),
        "size": list(found.labels.shape),
        "seeds": int((marks.classes >= 0).sum()),
        "classes": [
            {
                "class": int(c),
                "name": marks.names[int(c)],
                "color": "#{:02x}{:02x}{:02x}".format(*marks.colors[int(c)]),
                "given": int((marks.classes == c).sum()),
                "assigned": int((found.labels == c).sum()),
            }
            for c in found.classes
        ],
        "unreachable_pixels": int((~found.reachable).sum()),
        "sweeps": found.result.n_sweeps,
        "status": found.result.status.value,
        "output": str(output),
        "notes": [*marks.notes, *notes, *lost, *_numbering(output, marks)],
    }


def _numbering(output: Path, marks: "Seeds") -> list[str]:
    """Which number stands for which colour, where numbers are written for colours."""
    named = [f"{number} is {name}" for number, name in marks.names.items() if name.startswith("#")]
    return [f"In {output.name}, {', '.join(named)}."] if named and output.suffix.lower() == ".npy" else []
