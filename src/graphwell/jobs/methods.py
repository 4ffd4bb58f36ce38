"""The chosen method as a classifier; what it can be told is read from its signatures, only here."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np

from graphwell._checks import one_of
from graphwell.backends.registry import check_device
from graphwell.encoders.table import Scaling
from graphwell.errors import OptionError
from graphwell.estimators.parameters import read_class_prior, read_size_bounds
from graphwell.estimators.registry import DEFAULT, Method, methods
from graphwell.jobs.options import ClassifyOptions
from graphwell.jobs.score import check_share
from graphwell.jobs.table import LabelColumn, class_number
from graphwell.progress import Progress

SETTINGS = ("n_neighbors", "start", "fidelity", "device", "n_jobs")
"""Options that go to the classifier, by its own names for them."""
EVIDENCE = ("auto", "none")
ABOUT_CLASSES = ("classes", "class_prior")
"""Options that go to it once the names of the classes are read."""


def find_method(name: str) -> Method:
    """Return a method by name.

    Examples
    --------
    >>> find_method("laplace").summary
    'each vertex is the weighted mean of its neighbours'
    """
    known = methods()
    return known[one_of("method", name, known)]


def check_settings(options: ClassifyOptions) -> None:
    """Refuse what the method is told wrongly; finding the methods takes a second; the usual one has all.

    This comes before the table is read, and imports nothing that computes unless a method is named.

    Examples
    --------
    >>> check_settings(ClassifyOptions(table=Path("pets.csv"), method="guessing"))
    Traceback (most recent call last):
    graphwell.errors.OptionError: method must be one of diffuse interface, ...; got 'guessing'.
    """
    _check_evidence(options)
    check_device(options.device)
    if options.holdout is not None:
        check_share(options.holdout)
    if options.method != DEFAULT or options.parameters:
        make_classifier(options)


def _check_evidence(options: ClassifyOptions) -> None:
    one_of("evidence", options.evidence, EVIDENCE)


def make_classifier(options: ClassifyOptions) -> Any:
    """Return the classifier, unfitted; options that the method does not have are refused.

    Examples
    --------
    >>> options = ClassifyOptions(table=Path("pets.csv"), method="laplace", n_neighbors=5)
    >>> make_classifier(options)
    LaplaceLearning(n_neighbors=5)
    """
    method = find_method(options.method)
    made: Any = method.classifier
    given = {**options.parameters, **options.changed(*SETTINGS)}
    for field in (*given, *options.changed(*ABOUT_CLASSES)):
        if not has_parameter(made, field):
            raise _not_for(field, method)
    given |= _tuning(made, method, options)
    if options.checkpoint is not None and not has_parameter(made.fit, "checkpoint"):
        raise _not_for("checkpoint", method)
    if has_parameter(made, "random_state"):
        given["random_state"] = options.seed
    return method(**given)


def _tuning(made: Any, method: Method, options: ClassifyOptions) -> dict[str, Any]:
    """What a method is told of tuning and evidence; nothing where all is at its default."""
    _check_evidence(options)
    for field in options.changed("tune", "evidence"):
        if not has_parameter(made, field):
            raise _not_for(field, method)
    told = {} if options.tune else {"tune": False}
    return told if options.evidence == "auto" else {**told, "evidence": None}


def check_class_count(name: str, n_classes: int) -> None:
    """Refuse more classes than a method can tell apart; the usual one tells any number."""
    if name == DEFAULT:
        return
    most = find_method(name).most_classes
    if most is not None and n_classes > most:
        problem = "{field} {!r} tells at most {} classes apart, but {} are given; choose another method."
        raise OptionError("method", problem, name, most, n_classes)


def fit_classifier(classifier: Any, X: Any, y: Any, checkpoint: Path | None, progress: Progress) -> Any:
    """Fit a classifier, with a checkpoint and progress where it knows of them."""
    told = {"checkpoint": checkpoint, "progress": progress}
    if not has_parameter(classifier.fit, "progress"):
        progress("fitting", None)
    return classifier.fit(
        X, y, **{name: v for name, v in told.items() if has_parameter(classifier.fit, name)}
    )


def sweeps_of(classifier: Any) -> int:
    """Number of sweeps, or of whatever a method counts; 0 where it counts nothing."""
    return int(getattr(classifier, "n_iter_", 0))


def status_of(classifier: Any, name: str) -> str:
    """How the run ended, or else what the method does."""
    result = getattr(classifier, "result_", None)
    return f"Method {name}: {find_method(name).summary}." if result is None else str(result.status.value)


def compared_by(classifier: Any, scaled: Scaling | None = None) -> str | None:
    """How rows are compared, in words: scaled before, then as was tuned; None where nobody chose."""
    tuning = getattr(classifier, "tuning_", None)
    if scaled is None:
        return None if tuning is None else str(tuning)
    if tuning is not None and tuning.metric == "plain":
        return str(replace(tuning, metric=scaled.name, why=scaled.why))
    from graphwell.estimators.tuning.metrics import CANDIDATES

    before = f"{CANDIDATES[scaled.name].summary} ({scaled.why})"
    return before if tuning is None else f"{before}, then {tuning}"


def has_parameter(function: Callable[..., Any], name: str) -> bool:
    """Whether a function has a parameter of this name.

    Examples
    --------
    >>> has_parameter(sorted, "key"), has_parameter(sorted, "color")
    (True, False)
    """
    return name in signature(function).parameters


def _not_for(field: str, method: Method) -> OptionError:
    return OptionError(field, "{field} means nothing to the method {!r}; leave it out.", method.name)


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
