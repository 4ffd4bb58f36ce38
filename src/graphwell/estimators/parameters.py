"""Parameters of classifiers, checked before any work begins; class sizes; sample weights."""

from collections.abc import Callable, Mapping
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from graphwell._checks import number_between, one_of, positive_number, whole_number
from graphwell._random import stream
from graphwell._types import FloatArray
from graphwell.errors import OptionError, in_short
from graphwell.estimators.labels import Labels
from graphwell.solve.start import STARTS

MOST_STEPS = 100_000

Check = Callable[[str, Any], object]
"""Takes the name of a parameter and its value; raises an `OptionError` if that is none."""


def _models(field: str, value: Any) -> None:
    """Classifiers that give probabilities; how they fit is their own affair."""
    if value is None or (isinstance(value, str) and value == "auto"):
        return
    for each in value if isinstance(value, list | tuple) else [value]:
        if isinstance(each, type) or not (hasattr(each, "fit") and hasattr(each, "predict_proba")):
            wanted = '"auto", None or classifiers with predict_proba'
            raise OptionError(field, "{field} must be {}, got {!r}.", wanted, value)


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


def _power(field: str, value: Any) -> None:
    """Above 1, where a p-Laplacian is smooth, and at most 2."""
    if not isinstance(value, int | float | np.integer | np.floating) or not 1 < value <= 2:
        raise OptionError(field, "{field} must be above 1 and at most 2, got {!r}.", value)


def _names(field: str, value: Any, wanted: str, *, one: bool = False) -> None:
    """Names in a row, or one of them; which of them have labels is known later."""
    if one and isinstance(value, str | bytes | int | float | np.generic):
        return
    if isinstance(value, str | bytes | dict) or not hasattr(value, "__len__") or np.ndim(value) != 1:
        raise OptionError(field, "{field} must be {}, got {!r}.", wanted, value)


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


def _seed(field: str, value: Any) -> None:
    if not isinstance(value, np.random.Generator | np.random.RandomState):  # to look at these draws from them
        stream(value, field)


def _count(field: str, value: Any) -> None:
    if value is None:
        raise OptionError(field, "{field} must be a number; the number of rows takes all of them.")
    whole_number(field, value)


_share: Check = partial(number_between, low=0, high=1)
_positive: Check = partial(number_between, low=0, high=np.inf)
CHECKS: Mapping[str, Check] = {
    "n_neighbors": whole_number,
    "scale_neighbor": whole_number,
    "start": partial(one_of, known=STARTS),
    "schedule": _schedule,
    "step_size": positive_number,
    "fidelity": positive_number,
    "class_prior": _prior,
    "classes": partial(_names, wanted="a list of classes"),
    "models": _models,
    "random_state": _seed,
    "n_eigenvectors": _count,
    "epsilon": positive_number,
    "max_iter": whole_number,
    "tol": _positive,
    "alpha": _share,
    "alpha_correct": _share,
    "alpha_smooth": _share,
    "penalty": _positive,
    "mu": _positive,
    "nu": _positive,
    "self_weight": _positive,
    "unknown": partial(_names, wanted="a label or a list of labels", one=True),
    "diffusion_steps": whole_number,
    "n_clusters": whole_number,
    "n_starts": whole_number,
    "max_inner": whole_number,
    "p": _power,
}
"""By the name of a parameter: what refuses a value that is none. The metric, the device and the number of
threads are checked where they are looked up."""


def check_parameters(parameters: Mapping[str, Any], defaults: Mapping[str, Any]) -> None:
    """Refuse parameters that are not what they must be, the first in a sentence; a default always will do."""
    for name, value in parameters.items():
        if name in CHECKS and value is not defaults.get(name):
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
    names = classes.tolist()
    if isinstance(prior, dict):
        missing, unknown = [c for c in names if c not in prior], [c for c in prior if c not in names]
        if missing or unknown:
            what = f"lacks {missing}" if missing else f"names {unknown}, which no label has"
            raise _wrong("must name exactly the classes; it {}.", what)
        prior = [prior[c] for c in names]
    shares = np.asarray(prior, dtype=float)
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
    bounds, names = np.stack([np.zeros(len(classes)), np.ones(len(classes))]), classes.tolist()
    for name, value in prior.items() if bounded else ():
        if name not in names:
            raise _wrong("names {!r}, which no label has.", name)
        lowest, highest = (value, value) if np.ndim(value) == 0 else value
        if not 0 <= lowest <= highest <= 1:
            problem = "has the bounds {!r} for {!r}; 0 <= lowest <= highest <= 1 must hold."
            raise _wrong(problem, value, name)
        bounds[:, names.index(name)] = lowest, highest
    if bounds[0].sum() > 1 or bounds[1].sum() < 1:
        raise _wrong("has bounds within which no shares sum to 1.")
    return bounds


def _wrong(problem: str, *values: Any) -> OptionError:
    return OptionError("class_prior", "{field} " + problem, *values)


def read_trust(sample_weight: Any, labels: Labels) -> tuple[Labels, FloatArray | None]:
    """Labels that are trusted at all, and how far each is; None if all are fully trusted."""
    if sample_weight is None:
        return labels, None
    n, known = len(labels.codes), labels.codes >= 0
    try:
        weights = np.asarray(sample_weight)
        if weights.dtype.kind == "c":
            raise TypeError
        weights = weights.astype(float)
    except (TypeError, ValueError, OverflowError):
        problem = f"sample_weight must hold one number per row, got {in_short(sample_weight)}."
        raise ValueError(problem) from None
    weights = np.full(n, float(weights)) if weights.ndim == 0 else weights
    if weights.shape != (n,):
        raise ValueError(
            f"sample_weight.shape == {weights.shape}, expected {(n,)}: one number per row, "
            "how far its label is trusted."
        )
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
    kept = np.full(n, -1)
    kept[trusted] = codes
    trust = np.where(trusted, weights, 1.0)
    return Labels(kept, labels.classes[present]), None if (trust == 1).all() else trust
