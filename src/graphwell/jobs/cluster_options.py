"""What a cluster cannot do, refused before anything that computes is imported."""

from graphwell.errors import OptionError
from graphwell.io.tables.parquet import FORMAT as PARQUET
from graphwell.jobs.options import ClassifyOptions

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
    if options.table.suffix.lower() not in PARQUET.suffixes and not options.table.is_dir():
        problem = "{field} {}: {cluster} takes a folder of Parquet files or one such file."
        raise OptionError("table", problem, options.table)
    if options.output is not None and options.output.suffix.lower() not in PARQUET.suffixes:
        problem = "{field} {}: {cluster} writes Parquet; the name must end in .parquet."
        raise OptionError("output", problem, options.output)
