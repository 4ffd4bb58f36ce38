"""Reading the sizes of the classes that a user knows."""

from typing import Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.errors import OptionError

SUM_TOLERANCE = 1e-3


def read_class_prior(prior: Any, classes: Any, labels: IntArray) -> FloatArray | None:
    """Turn `class_prior` into the share of each class.

    Parameters
    ----------
    prior : None, "labels", array or dict
        Nothing known; the shares among the given labels; the shares in the order of the sorted classes; or
        the share of each class by its name.
    classes : array of shape (n_classes,)
        The classes, with labels or without.
    labels : array of shape (n,)
        Class numbers, -1 where unknown.

    Examples
    --------
    >>> read_class_prior({"a": 0.75, "b": 0.25}, np.array(["a", "b"]), np.array([0, 1, -1]))
    array([0.75, 0.25])
    """
    if prior is None:
        return None
    counts = np.bincount(labels[labels >= 0], minlength=len(classes))
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
    """Turn bounds of the class sizes into their lowest and highest shares; None if there are no bounds.

    Parameters
    ----------
    prior : object
        "auto", or a dict with a share or a pair (lowest, highest) for some of the classes; anything else
        holds no bounds.
    classes : array of shape (n_classes,)
        The classes.

    Examples
    --------
    >>> read_size_bounds({"a": (0.05, 0.2)}, np.array(["a", "b"]))
    array([[0.05, 0.  ],
           [0.2 , 1.  ]])
    """
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
