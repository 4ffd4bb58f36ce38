"""Commands on a table: `classify`, `suggest` and `compare`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from graphwell.cli import options as opt
from graphwell.cli._run import Exit, bars, ends_cleanly, job_options, show, stdout_is_taken
from graphwell.cli.options import beside, column_names, in_flags, option
from graphwell.errors import OptionError
from graphwell.progress import work_is_over

if TYPE_CHECKING:
    from graphwell.comparison.compare import Standing
    from graphwell.jobs.report import Report


@ends_cleanly
def classify(
    table: Annotated[
        Path,
        opt.argument("TABLE", f"{opt.TABLE}, or - for text on standard input."),
    ],
    output: Annotated[
        Path | None,
        opt.output(
            "File for the labelled table, - for standard output (default for NAME.csv: NAME.labelled.csv)."
        ),
    ] = None,
    label: opt.Label = "label",
    features: opt.Features = None,
    drop: opt.Drop = None,
    row_id: opt.Id = None,
    labels: opt.Labels = None,
    labels_from_folders: opt.FromFolders = False,
    encoder: opt.Encoder = "auto",
    truth: opt.Truth = None,
    unknown: opt.Unknown = None,
    class_prior: Annotated[
        str | None,
        option("Sizes of the classes: a=0.2,b=0.8, bounds as a=0.05:0.2, auto or labels.", metavar="SIZES"),
    ] = None,
    method: Annotated[
        opt.Method, option("How rows are labelled; graphwell compare tries several.", panel=opt.METHOD)
    ] = "diffuse interface",
    suggest: Annotated[
        int, option("Name N rows to label next.", "--suggest", panel=opt.METHOD, metavar="N", min=0)
    ] = 0,
    sort_into: Annotated[
        Path | None,
        opt.file("For a folder of files: new folder, with links to them by class.", metavar="FOLDER"),
    ] = None,
    check_labels: Annotated[
        bool, option("Say which of the given labels look wrong.", "--check-labels", panel=opt.METHOD)
    ] = False,
    seed: opt.Seed = 0,
    set_: Annotated[
        list[str] | None,
        opt.settings(
            f"{opt.OF_TABLES}, safe_csv (true), and those of the method in Python, such as fidelity, start "
            "(auto, diffusion, nearest, random) and models (auto, none)"
        ),
    ] = None,
    report: opt.Report = None,
    device: opt.Where = "cpu",
    n_jobs: opt.Jobs = None,
    verbose: opt.Verbose = False,
    json_: opt.Json = False,
    quiet: opt.Quiet = False,
    strict: opt.Strict = False,
) -> Exit:
    """Label every row of a table from the labels that some rows have.

    Writes the table with the columns graphwell_label, graphwell_score, graphwell_reachable and
    graphwell_given. With --check-labels there are graphwell_suggested, a class for each given label that the
    rest of the data contradicts, and graphwell_given_score, the probability of that label. Exit codes: 0
    done; 1 done, but with --strict, and some rows lie in a component without any label; 2 bad input;
    130 interrupted.
    """
    output = output or beside(table, "labelled")
    flags = locals()
    taken = stdout_is_taken(output, json_=json_)
    from graphwell.jobs.classify import ClassifyOptions
    from graphwell.jobs.classify import classify as label_rows

    options = job_options(ClassifyOptions, flags, class_prior=_class_prior(class_prior))
    with bars(quiet=quiet) as progress:
        found = label_rows(options, words=in_flags, progress=progress)
        work_is_over()
    show(found, taken=taken, json_=json_, quiet=quiet, verbose=verbose)
    attention = found.facts["unreachable_rows"] or found.facts["bridged_rows"]
    return Exit.NEEDS_ATTENTION if strict and attention else Exit.DONE


def _class_prior(text: str | None) -> "str | dict[str, float | tuple[float, float]] | None":
    """Sizes of classes as a user writes them: auto, labels, or a=0.2,b=0.05:0.3."""
    if text is None or "=" not in text:
        return text
    sizes: dict[str, float | tuple[float, float]] = {}
    for item in column_names(text) or ():
        name, _, size = item.rpartition("=")
        if not name.strip() or name.strip() in sizes:
            problem = "{field}: {!r} must name a class, each one once; write a=0.2,b=0.8."
            raise OptionError("class_prior", problem, item)
        try:
            numbers = [float(number) for number in size.split(":")]
        except ValueError:
            numbers = []
        if len(numbers) not in (1, 2):
            raise OptionError("class_prior", "{field}: {!r} is no size; write a=0.2 or a=0.05:0.2.", item)
        sizes[name.strip()] = numbers[0] if len(numbers) == 1 else (numbers[0], numbers[1])
    return sizes


@ends_cleanly
def suggest(
    table: Annotated[Path, opt.argument("TABLE", f"{opt.TABLE}, or - for text on standard input.")],
    output: Annotated[
        Path | None,
        opt.output(
            "File for the questions (default: NAME.questions.csv); with --answers, for the table (default: "
            "NAME.answered.csv); - for standard output."
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
    row_id: opt.Id = None,
    unknown: opt.Unknown = None,
    seed: opt.Seed = 0,
    set_: Annotated[
        list[str] | None, opt.settings(f"device (cpu, cuda), truth, labels, {opt.OF_FOLDERS}")
    ] = None,
    n_jobs: opt.Jobs = None,
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
    flags = {name: value for name, value in locals().items() if name != "answers"}
    taken = stdout_is_taken(output, json_=json_)
    from graphwell.jobs.suggest import SuggestOptions, merge_answers
    from graphwell.jobs.suggest import suggest as choose_rows

    options = job_options(SuggestOptions, flags)
    with bars(quiet=quiet) as progress:
        if answers is None:
            found: Report = choose_rows(options, progress=progress)
        else:
            found = merge_answers(options, answers, progress=progress)
        work_is_over()
    show(found, taken=taken, json_=json_, quiet=quiet, verbose=verbose)
    return Exit.DONE


@ends_cleanly
def compare(
    table: Annotated[Path, opt.argument("TABLE", f"{opt.TABLE}.")],
    label: opt.Label = "label",
    truth: opt.Truth = None,
    methods: Annotated[
        str | None,
        option(
            "Methods by name, or all: those of classify, logistic regression, random forest, boosting, "
            "sklearn LabelSpreading. By default graphwell and the last 4.",
            panel=opt.METHOD,
            metavar="A,B,C",
        ),
    ] = None,
    features: opt.Features = None,
    drop: opt.Drop = None,
    row_id: opt.Id = None,
    unknown: opt.Unknown = None,
    seed: opt.Seed = 0,
    set_: Annotated[list[str] | None, opt.settings(f"splits (5), labels, {opt.OF_FOLDERS}")] = None,
    n_jobs: opt.Jobs = None,
    verbose: opt.Verbose = False,
    json_: opt.Json = False,
    quiet: opt.Quiet = False,
) -> Exit:
    """Compare graphwell with other methods on a table that has some labels.

    Labels are hidden in turn, and methods are judged on them, or on the column of the truth. Prints a line
    for each method as soon as it is known, then the table: the share of correct labels with its standard
    error, and seconds. Exit codes: 0 done; 2 bad input; 130 interrupted.
    """
    flags = locals()
    from graphwell.jobs.compare import CompareOptions
    from graphwell.jobs.compare import compare as compare_methods

    options = job_options(CompareOptions, flags)
    out = sys.stdout  # bars on a terminal take its place

    def print_line(standing: "Standing") -> None:
        correct, error, seconds = standing.cells
        line = f"{standing.method}: {correct} correct ± {error}, {seconds} s"
        print(line, file=sys.stdout if out.isatty() else out, flush=True)

    with bars(quiet=quiet) as progress:
        on_result = None if quiet or json_ else print_line
        found = compare_methods(options, progress=progress, on_result=on_result)
    show(found, taken=json_, json_=json_, quiet=quiet, verbose=verbose)
    return Exit.DONE
