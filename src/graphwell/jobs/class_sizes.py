"""What a user knows of the classes, told to a classifier that knows them by number."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from graphwell.errors import OptionError
from graphwell.estimators.parameters import read_class_prior, read_size_bounds
from graphwell.jobs.label_column import LabelColumn, class_number
from graphwell.jobs.options import ClassifyOptions


def told_of_classes(options: ClassifyOptions, given: LabelColumn) -> dict[str, Any]:
    """Parameters `classes` and `class_prior` of a classifier, where the options have them.

    Parameters
    ----------
    options : ClassifyOptions
    given : LabelColumn
        The given labels; the classifier will be fitted on their numbers.

    Examples
    --------
    >>> from pathlib import Path
    >>> given = LabelColumn(("cat", "dog"), np.array([0, 1, -1]))
    >>> told_of_classes(ClassifyOptions(table=Path("pets.csv"), class_prior="auto"), given)
    {'class_prior': 'auto'}
    """
    told: dict[str, Any] = {}
    if options.classes:
        told["classes"] = list(range(len(given.names)))
    if options.class_prior is not None:
        told["class_prior"] = by_number(options.class_prior, given)
    return told


def by_number(prior: str | Mapping[str, Any], given: LabelColumn) -> Any:
    """Class sizes by the number of the class; mistakes are told with the names.

    Examples
    --------
    >>> given = LabelColumn(("cat", "dog"), np.array([0, 1, -1]))
    >>> by_number({"cat": 0.25, "dog": 0.75}, given)
    {0: 0.25, 1: 0.75}
    """
    names = np.array(given.names)
    if isinstance(prior, str):
        if prior not in ("auto", "labels"):
            raise OptionError(
                "class_prior", "{field} must be auto, labels or sizes by class, got {!r}.", prior
            )
        return prior
    numbers = {name: class_number(name, given.names) for name in prior}
    missing = [name for name, number in numbers.items() if number is None]
    if missing:
        problem = "{field} names the class {!r}, which no label has; correct it, or name it in {classes} too."
        raise OptionError("class_prior", problem, missing[0])
    by_name = {given.names[number]: prior[name] for name, number in numbers.items() if number is not None}
    if read_size_bounds(by_name, names) is None:
        read_class_prior(by_name, names, given.codes)
    return {given.names.index(name): value for name, value in by_name.items()}
