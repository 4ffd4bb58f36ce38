"""`graphwell suggest`: the rows of a table that are worth a label, and the answers brought back."""

from pathlib import Path
from typing import Annotated

from graphwell.cli import _options as opt
from graphwell.cli._options import beside, job_options, option
from graphwell.cli._run import Exit, bars, ends_cleanly, show, stdout_is_taken
from graphwell.progress import work_is_over


@ends_cleanly
def suggest(
    table: Annotated[Path, opt.argument("TABLE", f"{opt.TABLE}, or - for text on standard input.")],
    output: Annotated[
        Path | None,
        opt.output(
            "File for the questions (.csv), by default pets.questions.csv of pets.csv; with --answers, for "
            "the table, pets.answered.csv; - for standard output."
        ),
    ] = None,
    n: Annotated[int, option("Number of rows to ask for.", "-n", "--n", panel=opt.METHOD, min=1)] = 10,
    label: opt.LabelSoFar = None,
    answers: Annotated[
        Path | None,
        opt.file("File of questions with labels filled in (? = cannot tell), to merge into TABLE."),
    ] = None,
    strategy: Annotated[opt.Strategy, option("What to ask for.", panel=opt.METHOD)] = "auto",
    features: opt.Features = None,
    drop: opt.Drop = None,
    id_: opt.Id = None,
    unknown: opt.Unknown = None,
    seed: opt.Seed = 0,
    set_: Annotated[list[str] | None, opt.settings(f"device (cpu, cuda), truth, {opt.OF_TABLES}")] = None,
    jobs: opt.Jobs = None,
    verbose: opt.Verbose = False,
    json_: opt.Json = False,
    quiet: opt.Quiet = False,
) -> Exit:
    """Write down which rows of a table to label next, from no labels at all or from some.

    Each question is a row with its cells, a reason, and an empty cell for the label. Filled in, the file goes
    back into the table with --answers. Exit codes: 0 done; 2 bad input; 130 interrupted.
    """
    if output is None:
        output = beside(table, "answered") if answers else beside(table, "questions", ".csv")
    flags = locals()
    taken = stdout_is_taken(output, json_=json_)
    from graphwell.jobs.report import Report
    from graphwell.jobs.suggest import USUAL_LABEL, SuggestOptions, merge_answers
    from graphwell.jobs.suggest import suggest as choose_rows

    del flags["answers"]
    options = job_options(SuggestOptions, flags)
    with bars(quiet=quiet) as progress:
        if answers is None:
            found: Report = choose_rows(options, progress=progress)
        else:
            found = merge_answers(
                table, answers, output, label=label or USUAL_LABEL, delimiter=options.delimiter,
                encoding=options.encoding, progress=progress,
            )  # fmt: skip
        work_is_over()
    show(found, taken=taken, json_=json_, quiet=quiet, verbose=verbose)
    return Exit.DONE
