"""Parameters of classifiers, checked before any work begins; class sizes; sample weights."""

from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any

import numpy as np

from graphwell._checks import number_between, one_of, positive_number, whole_number
from graphwell._random import stream
from graphwell._threads import thread_count
from graphwell._types import FloatArray
from graphwell.errors import OptionError, in_short
from graphwell.estimators.labels import Labels
from graphwell.solve.start import STARTS

MOST_STEPS = 100_000
UNSAID = object()

Check = Callable[[str, Any], object]
"""Takes the name of a parameter and its value; raises an `OptionError` if that is none."""


def _or_none(check: Check) -> Check:
    return lambda field, value: None if value is None else check(field, value)


def _word(field: str, value: Any) -> None:
    """Text; which words there are depends on the rows."""
    if not isinstance(value, str):
        raise OptionError(field, "{field} must be a word, got {!r}.", value)


def _flag(field: str, value: Any) -> None:
    if not isinstance(value, bool | int | np.bool_ | np.integer):
        raise OptionError(field, "{field} must be True or False, got {!r}.", value)


def _models(field: str, value: Any) -> None:
    """Classifiers that give probabilities; how they fit is their own affair."""
    classifiers = value if isinstance(value, list | tuple) else [value]
    known = value is None or (isinstance(value, str) and value in ("auto", "deprecated"))
    if not known and not all(_is_classifier(each) for each in classifiers):
        wanted = '"auto", None or classifiers with predict_proba'
        raise OptionError(field, "{field} must be {}, got {!r}.", wanted, value)


def _is_classifier(value: Any) -> bool:
    return hasattr(value, "fit") and hasattr(value, "predict_proba") and not isinstance(value, type)


def _earlier(field: str, value: Any) -> None:
    if not (
        isinstance(value, bool | np.bool_) or (isinstance(value, str) and value in ("auto", "deprecated"))
    ):
        raise OptionError(field, '{field} must be True, False or "auto", got {!r}.', value)


def _prior(field: str, value: Any) -> None:
    """Shares in any form; which classes they are for is known later."""
    if value is None or isinstance(value, str):
        return
    named = isinstance(value, dict)
    sound = not isinstance(value, bytes) and hasattr(value, "__len__")
    try:
        parts = [np.asarray(v, dtype=float) for v in (value.values() if named else value)] if sound else []
        sound = sound and all(part.shape == () or (named and part.shape == (2,)) for part in parts)
    except (TypeError, ValueError):
        sound = False
    if not sound:
        wanted = 'None, "labels", "auto", an array or a dict of numbers'
        raise OptionError(field, "{field} must be {}, got {!r}.", wanted, value)


def _classes(field: str, value: Any) -> None:
    """Names in a row; which of them have labels is known later."""
    if isinstance(value, str | bytes | dict) or not hasattr(value, "__len__") or np.ndim(value) != 1:
        raise OptionError(field, "{field} must be a list of classes, got {!r}.", value)


def _share(field: str, value: Any) -> None:
    number_between(field, value, 0, 1)


def _power(field: str, value: Any) -> None:
    """Above 1, where a p-Laplacian is smooth, and at most 2."""
    if not isinstance(value, int | float | np.integer | np.floating) or not 1 < value <= 2:
        raise OptionError(field, "{field} must be above 1 and at most 2, got {!r}.", value)


def _positive_and_finite(field: str, value: Any) -> None:
    try:
        number_between(field, value, 0, np.inf)
    except OptionError:
        raise OptionError(field, "{field} must be positive and finite, got {!r}.", value) from None


def _markers(field: str, value: Any) -> None:
    """A label, or a list of labels."""
    one = isinstance(value, str | bytes | int | float | np.generic)
    if not one and (isinstance(value, dict) or not hasattr(value, "__len__") or np.ndim(value) != 1):
        raise OptionError(field, "{field} must be a label or a list of labels, got {!r}.", value)


def _schedule(field: str, value: Any) -> None:
    """Steps of an epsilon and a number of sweeps, that can be gone through more than once."""
    problem = "{field} must be Fixed(...), Annealed(...) or a list of (epsilon, sweeps), got {!r}."
    if isinstance(value, str | bytes | dict) or not hasattr(value, "__iter__") or hasattr(value, "__next__"):
        raise OptionError(field, problem, value)
    try:
        steps = list(islice(iter(value), MOST_STEPS + 1))
    except TypeError as error:  # an array without dimensions, a class
        raise OptionError(field, problem, value) from error
    if not steps:
        raise OptionError(field, "{field} has no step; give at least one (epsilon, sweeps).")
    if len(steps) > MOST_STEPS:
        raise OptionError(field, "{field} has more than {:,} steps; give fewer.", MOST_STEPS)
    for step in steps:
        if not isinstance(step, tuple | list) or len(step) != 2:
            raise OptionError(field, problem, value)
        try:
            positive_number("epsilon", step[0])
            whole_number("sweeps", step[1])
        except OptionError as error:
            raise OptionError(field, "{field}: in the step {!r}, {}", step, str(error)) from None


CHECKS: Mapping[str, Check] = {
    "n_neighbors": whole_number,
    "scale_neighbor": whole_number,
    "metric": _word,
    "start": lambda field, value: one_of(field, value, STARTS),
    "schedule": _schedule,
    "step_size": positive_number,
    "fidelity": positive_number,
    "class_prior": _prior,
    "classes": _classes,
    "models": _models,
    "tune": _earlier,
    "evidence": _models,
    "calibrate": _earlier,
    "device": _word,
    "n_jobs": lambda field, value: thread_count(value),
    "random_state": lambda field, value: stream(value, field) if _fixed(value) else None,
    "verbose": _flag,
    "n_eigenvectors": _or_none(whole_number),
    "epsilon": positive_number,
    "max_iter": whole_number,
    "tol": _positive_and_finite,
    "alpha": _share,
    "alpha_correct": _share,
    "alpha_smooth": _share,
    "penalty": _positive_and_finite,
    "mu": _positive_and_finite,
    "nu": _positive_and_finite,
    "self_weight": _positive_and_finite,
    "unknown": _markers,
    "weights": _word,
    "diffusion_steps": whole_number,
    "n_clusters": whole_number,
    "n_starts": whole_number,
    "max_inner": whole_number,
    "p": _power,
}
"""By the name of a parameter: what refuses a value that is none."""


def _fixed(seed: Any) -> bool:
    """Whether looking at a seed draws nothing from it."""
    return not isinstance(seed, np.random.Generator | np.random.RandomState)


def check_parameters(parameters: Mapping[str, Any], defaults: Mapping[str, Any]) -> None:
    """Refuse parameters that are not what they must be, the first of them in a sentence.

    None will do where it is the default.
    """
    for name, value in parameters.items():
        left_out = value is None and defaults.get(name, UNSAID) is None
        if name in CHECKS and not left_out:
            CHECKS[name](name, value)


SUM_TOLERANCE = 1e-3
# A row counts as often as its weight says, and so many times a million rows are still counted exactly.
LARGEST_WEIGHT = 1e6


def read_class_prior(prior: Any, classes: Any, counts: Any) -> FloatArray | None:
    """Turn `class_prior` into the share of each class, of which so many labels were given."""
    if prior is None:
        return None
    if isinstance(prior, str):
        if prior != "labels":
            known = 'None, "labels", "auto", an array or a dict'
            raise _wrong("must be {}, got {!r}.", known, prior)
        return np.asarray(counts / counts.sum())
    shares = _by_name(prior, classes) if isinstance(prior, dict) else np.asarray(prior, dtype=float)
    if shares.shape != (len(classes),):
        raise _wrong("must hold one share for each of the {} classes, got {!r}.", len(classes), prior)
    wrong = classes[~(np.isfinite(shares) & np.where(counts > 0, shares > 0, shares >= 0))]
    if len(wrong):
        raise _wrong("must be positive for every class that has labels; look at {}.", wrong.tolist())
    if abs(shares.sum() - 1) > SUM_TOLERANCE:
        raise _wrong("must sum to 1, got a sum of {:.6g}; divide it by that.", shares.sum())
    return np.asarray(shares / shares.sum())


def read_size_bounds(prior: Any, classes: Any) -> FloatArray | None:
    """Turn bounds of the class sizes into their lowest and highest shares; None if there are no bounds."""
    bounded = isinstance(prior, dict) and any(np.ndim(value) == 1 for value in prior.values())
    if not bounded and not (isinstance(prior, str) and prior == "auto"):
        return None
    bounds = np.stack([np.zeros(len(classes)), np.ones(len(classes))])
    for name, value in prior.items() if bounded else ():
        if name not in classes.tolist():
            raise _wrong("names {!r}, which no label has.", name)
        bounds[:, classes.tolist().index(name)] = _pair(name, value)
    if bounds[0].sum() > 1 or bounds[1].sum() < 1:
        raise _wrong("has bounds within which no shares sum to 1.")
    return bounds


def _pair(name: Any, value: Any) -> tuple[float, float]:
    lowest, highest = (value, value) if np.ndim(value) == 0 else value
    if not 0 <= lowest <= highest <= 1:
        raise _wrong("has the bounds {!r} for {!r}; 0 <= lowest <= highest <= 1 must hold.", value, name)
    return float(lowest), float(highest)


def _by_name(prior: dict[Any, float], classes: Any) -> FloatArray:
    missing = [c for c in classes.tolist() if c not in prior]
    unknown = [c for c in prior if c not in classes.tolist()]
    if missing or unknown:
        what = f"lacks {missing}" if missing else f"names {unknown}, which no label has"
        raise _wrong("must name exactly the classes; it {}.", what)
    return np.array([float(prior[c]) for c in classes.tolist()])


def _wrong(problem: str, *values: Any) -> OptionError:
    return OptionError("class_prior", "{field} " + problem, *values)


def read_trust(sample_weight: Any, labels: Labels) -> tuple[Labels, FloatArray | None]:
    """Labels that are trusted at all, and how far each is; None if all are fully trusted."""
    if sample_weight is None:
        return labels, None
    weights = _numbers(sample_weight, len(labels.codes))
    known = labels.codes >= 0
    wrong = known & ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise ValueError(
            f"sample_weight must be 0 or more wherever a label is known; row {row} has {weights[row]:g}."
        )
    if (weights[known] > LARGEST_WEIGHT).any():
        raise ValueError(f"sample_weight holds values beyond {LARGEST_WEIGHT:g}; divide it.")
    trusted = known & (weights > 0)
    if not trusted.any():
        raise ValueError("sample_weight is zero at every known label; trust at least one of them.")
    present, codes = np.unique(labels.codes[trusted], return_inverse=True)
    kept = np.full(len(known), -1)
    kept[trusted] = codes
    found = Labels(kept, labels.classes[present])
    trust = np.where(trusted, weights, 1.0)
    return found, None if (trust == 1).all() else trust


def _numbers(sample_weight: Any, n: int) -> FloatArray:
    try:
        weights = np.asarray(sample_weight)
        if weights.dtype.kind == "c":
            raise TypeError
        weights = weights.astype(float)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            f"sample_weight must hold one number per row, got {in_short(sample_weight)}."
        ) from None
    if weights.ndim == 0:
        weights = np.full(n, float(weights))
    if weights.shape != (n,):
        raise ValueError(
            f"sample_weight.shape == {weights.shape}, expected {(n,)}: one number per row, "
            "how far its label is trusted."
        )
    return weights
