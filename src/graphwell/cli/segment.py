"""`graphwell segment`: give every pixel of a picture a class, from a few pixels that are marked."""

import json
from pathlib import Path
from typing import Annotated

import typer

from graphwell._interrupt import work_is_over
from graphwell.cli import _options
from graphwell.cli._files import refuse_missing
from graphwell.cli._help import completed
from graphwell.cli._job_options import job_options
from graphwell.cli._progress import bars
from graphwell.cli._run import Exit, ends_cleanly
from graphwell.cli._words import in_flags
from graphwell.errors import OptionError, Sentence


@ends_cleanly
def segment(
    image: Annotated[
        Path, typer.Argument(help="File that ends in {images}; any channels.", show_default=False)
    ],
    seeds: Annotated[
        Path,
        typer.Option(
            help="Marked pixels: a picture whose colours are the classes, a marked copy of the picture, a "
            "drawing (.json), an integer .npy (-1 unknown), or a text file of row,col,class lines.",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="File for the labels ({labels}).", show_default=False),
    ],
    background: Annotated[
        str,
        typer.Option(
            help="Unknown pixels of a seeds picture: transparent, black, white, #rrggbb, or auto.",
            autocompletion=completed("transparent", "black", "white", "auto"),
        ),
    ] = "auto",
    strokes_on_picture: Annotated[
        bool, typer.Option("--strokes-on-picture", help="The seeds were painted over a copy of the picture.")
    ] = False,
    snap: Annotated[
        bool, typer.Option("--snap", help="Give unclear colours of the seeds to the nearest plain colour.")
    ] = False,
    seeds_out: Annotated[
        Path | None, typer.Option(help="File for the marks as they were read, before anything is computed.")
    ] = None,
    overlay: Annotated[
        Path | None, typer.Option(help="File for the picture, tinted and outlined by its classes.")
    ] = None,
    sheet: Annotated[
        Path | None, typer.Option(help="File for picture, marks, labels and doubt side by side.")
    ] = None,
    scores: Annotated[Path | None, typer.Option(help="File for a map of the uncertainty.")] = None,
    masks: Annotated[Path | None, typer.Option(help="Folder for one mask per class.")] = None,
    spacing: Annotated[
        str | None,
        typer.Option(help="Distance between points along each axis, 1,1,2.5 say; as the file tells."),
    ] = None,
    channel_axis: Annotated[
        int | None,
        typer.Option(help="Axis of the image that holds channels, from 0; the last by default."),
    ] = None,
    radius: Annotated[float, typer.Option(help="Reach of the links of a pixel.")] = 3.0,
    color_scale: Annotated[
        float | None, typer.Option(help="Colour difference that separates, of 0 to 1; found by default.")
    ] = None,
    smoothing: Annotated[
        float | None, typer.Option(help="Blur before pixels are compared; found from the noise by default.")
    ] = None,
    patch: Annotated[int, typer.Option(help="Side of the square that pixels are compared by, odd.")] = 1,
    max_pixels: Annotated[
        int, typer.Option(help="Larger pictures are refused before they are read.", min=1)
    ] = 100_000_000,
    max_memory: Annotated[
        str | None,
        typer.Option(help="Memory to use, 4GB say; what is free by default."),
    ] = None,
    jobs: _options.Jobs = None,
    device: _options.Device = "cpu",
    json_: _options.Json = False,
    quiet: _options.Quiet = False,
) -> Exit:
    """Give every pixel of a picture a class, from a few pixels that are marked.

    Writes a picture in the colours of the seeds. Pixels that no seed reaches are transparent there, and -1 in
    a .npy file. Exit codes: 0 done; 1 done, but no seed reaches some pixels; 2 bad input; 130 interrupted.
    """
    flags = locals()
    refuse_missing(image)
    from graphwell.jobs.segment import segment as segment_picture
    from graphwell.jobs.segment_options import SegmentOptions

    options = job_options(SegmentOptions, flags, spacing=None if spacing is None else _numbers(spacing))
    with bars(quiet=quiet) as progress:
        found = segment_picture(options, progress=progress, say=None if quiet else _say_early)
        work_is_over()
    if not quiet:
        from graphwell.cli._summary import print_segmented

        print_segmented(found, on_stderr=json_)
    if json_:
        typer.echo(json.dumps(found.to_json(in_flags), indent=2, ensure_ascii=False))
    return Exit.NEEDS_ATTENTION if found.unreachable_pixels else Exit.DONE


def _numbers(spacing: str) -> tuple[float, ...]:
    try:
        return tuple(float(one) for one in spacing.split(","))
    except ValueError:
        problem = "{field} must be numbers with commas between them, 1,1,2.5 say; got {!r}."
        raise OptionError("spacing", problem, spacing) from None


def _say_early(sentence: Sentence) -> None:
    from graphwell.cli._summary import print_early  # rich, which errors need not wait for

    print_early(sentence)
