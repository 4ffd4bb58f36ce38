"""The flags of a command as the options of its job: names are the same, but for a few."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar

from graphwell.cli._names import column_names
from graphwell.cli._words import OTHERWISE

Options = TypeVar("Options")
FIELDS = {flag: field for field, flag in OTHERWISE.items()} | {"id_": "row_id"}
"""Fields of a job by the names of the parameters of a command, where they differ."""
OF_THE_FACE = ("json_", "quiet")
"""Parameters of a command that say how it speaks."""
LISTS = ("features", "drop", "as_number", "as_category", "classes", "methods")
"""Names that a user lists with commas between them."""


def job_options(kind: type[Options], flags: Mapping[str, Any], **read: Any) -> Options:
    """Make the options of a job from the parameters of a command.

    Parameters
    ----------
    kind : type
        A dataclass of options.
    flags : mapping
        Parameters of the command by name, ``locals()`` at its first line.
    **read
        Options that the command read from its flags itself.

    Examples
    --------
    >>> from pathlib import Path
    >>> from graphwell.jobs.options import ClassifyOptions
    >>> flags = {"table": Path("pets.csv"), "neighbors": 5, "drop": "name, age", "quiet": True}
    >>> made = job_options(ClassifyOptions, flags)
    >>> made.n_neighbors, made.drop
    (5, ('name', 'age'))
    """
    known = {field.name: field.default for field in fields(kind)}  # type: ignore[arg-type]
    given = {FIELDS.get(name, name): value for name, value in flags.items() if name not in OF_THE_FACE}
    for name in LISTS:
        if name in given:
            given[name] = known[name] if given[name] is None else column_names(given[name])
    if "unknown" in given:
        given["unknown"] = tuple(given["unknown"] or ())
    return kind(**given | read)
