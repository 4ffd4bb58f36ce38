"""`graphwell segment`: give every pixel of a picture a class, from a few pixels that are marked."""

from pathlib import Path
from typing import Annotated

from graphwell.cli import options as opt
from graphwell.cli._run import Exit, bars, ends_cleanly, job_options, show
from graphwell.cli.options import option
from graphwell.progress import work_is_over


@ends_cleanly
def segment(
    image: Annotated[Path, opt.argument("IMAGE", f"{opt.PICTURE}.")],
    seeds: Annotated[
        Path,
        option(
            "Marked pixels: a picture whose colours are the classes, a marked copy of the picture, a drawing "
            "(.json), or an integer .npy (-1 unknown).",
            panel=opt.FILES,
            metavar="FILE",
        ),
    ],
    output: Annotated[Path, opt.output("File for the labels: .png, .tif, .npy and more.")],
    background: Annotated[
        str,
        option(
            "Unknown pixels of a seeds picture: transparent, picture (a copy of it), black, white, #rrggbb, "
            "or auto.",
            panel=opt.METHOD,
            metavar="COLOUR",
        ),
    ] = "auto",
    seeds_out: Annotated[Path | None, opt.file("The marks as they were read.")] = None,
    overlay: Annotated[Path | None, opt.file("The picture, tinted and outlined by its classes.")] = None,
    scores: Annotated[Path | None, opt.file("Map of how uncertain each pixel is.")] = None,
    masks: Annotated[Path | None, opt.file("Folder for one mask per class.", metavar="FOLDER")] = None,
    set_: Annotated[
        list[str] | None,
        opt.settings(
            "device (cpu, cuda), radius, color_scale, smoothing, spacing (1,1,2.5), channel_axis, "
            "max_pixels, max_memory (4GB)"
        ),
    ] = None,
    n_jobs: opt.Jobs = None,
    json_: opt.Json = False,
    quiet: opt.Quiet = False,
    strict: opt.Strict = False,
) -> Exit:
    """Give every pixel of a picture a class, from a few pixels that are marked.

    Writes a picture in the colours of the seeds. Pixels that no seed reaches are transparent there, and -1 in
    a .npy file. Exit codes: 0 done; 1 done, but with --strict, and no seed reaches some pixels; 2 bad input;
    130 interrupted.
    """
    flags = locals()
    from graphwell.jobs.segment import SegmentOptions
    from graphwell.jobs.segment import segment as segment_picture

    options = job_options(SegmentOptions, flags)
    with bars(quiet=quiet) as progress:
        found = segment_picture(options, progress=progress)
        work_is_over()
    show(found, taken=json_, json_=json_, quiet=quiet)
    return Exit.NEEDS_ATTENTION if strict and found.facts["unreachable_pixels"] else Exit.DONE
