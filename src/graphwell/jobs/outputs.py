"""The files of a job: names refused before the work is done, and warnings kept for the report."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from graphwell.errors import OptionError, Sentence
from graphwell.io.files import STANDARD, check_distinct, check_output, check_standard_output
from graphwell.io.parquet import SUFFIXES as PARQUET
from graphwell.io.tables import format_of
from graphwell.jobs.options import ClassifyOptions, CompareOptions

PAGE_SUFFIXES = (".html", ".htm")


def check_classify_files(options: ClassifyOptions) -> None:
    """Refuse outputs of `graphwell.jobs.classify` that could not be written."""
    if options.cluster is None:
        format_of(options.table, "table")
    if options.output is not None:
        format_of(options.output, "output")
        check_table_output(options.output)
    written = [(field, getattr(options, field)) for field in ("report", "checkpoint")]
    for field, path in written:
        if path is not None:
            check_output(path, field)
    check_distinct([("table", options.table), ("output", options.output), *written])
    check_page_name(options.report)


def check_compare_files(options: CompareOptions) -> None:
    """Refuse outputs of `graphwell.jobs.compare` that could not be written."""
    if options.report is not None:
        check_output(options.report, "report")
    check_distinct([("table", options.table), ("report", options.report)])
    check_page_name(options.report)


def page_bytes(page: str) -> bytes:
    r"""A page as it is written; names of files in it need not be Unicode.

    Examples
    --------
    >>> page_bytes("caf\u00e9 \udcff")
    b'caf\xc3\xa9 \\udcff'
    """
    return page.encode("utf-8", "backslashreplace")


def check_page_name(report: Path | None) -> None:
    """Refuse a page whose name no browser would open."""
    if report is not None and report.suffix.lower() not in PAGE_SUFFIXES:
        raise OptionError("report", "{field} {}: the name must end in .html or .htm.", report)


def check_table_output(path: Path) -> None:
    """Refuse a name for a table that could not be written; ``-`` is standard output."""
    if path == STANDARD:
        check_standard_output("output")
    elif format_of(path, "output").is_folder and path.exists():
        raise OptionError("output", "{field} {} is there already; name a new folder.", path)
    else:
        check_output(path, "output")


@contextmanager
def notes_from_warnings() -> Iterator[list[Sentence]]:
    """Collect the warnings of the library, each once, to be shown where the user looks for them."""
    notes: list[Sentence] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield notes
        finally:
            notes.extend({str(warning.message): _as_note(warning.message) for warning in caught}.values())


def _as_note(warning: Warning | str) -> Sentence:
    """The sentence that a warning carries, or its text as it is."""
    said = getattr(warning, "sentence", None)
    return said if isinstance(said, Sentence) else Sentence("{}", (str(warning),))


NEEDS_THE_WHOLE_TABLE = (
    "pca", "missing", "holdout", "delimiter", "encoding", "decimal",
    "as_number", "as_category",
)  # fmt: skip
"""Options that cannot be followed block by block."""


def check_cluster_options(options: ClassifyOptions) -> None:
    """Refuse options that need the whole table, and other files than Parquet.

    Examples
    --------
    >>> from pathlib import Path
    >>> check_cluster_options(ClassifyOptions(table=Path("pets.csv"), cluster="local"))
    Traceback (most recent call last):
    graphwell.errors.OptionError: table pets.csv: cluster takes a folder of Parquet files or one such file.
    """
    used = options.changed(*NEEDS_THE_WHOLE_TABLE)
    if used:
        named = ", ".join("{" + field + "}" for field in used)
        problem = named + " cannot be used with {cluster}; prepare the features before, or leave it out."
        raise OptionError(next(iter(used)), problem)
    if options.table.suffix.lower() not in PARQUET and not options.table.is_dir():
        problem = "{field} {}: {cluster} takes a folder of Parquet files or one such file."
        raise OptionError("table", problem, options.table)
    if options.output is not None and options.output.suffix.lower() not in PARQUET:
        problem = "{field} {}: {cluster} writes Parquet; the name must end in .parquet."
        raise OptionError("output", problem, options.output)
