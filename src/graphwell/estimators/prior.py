"""Reading the sizes of the classes that a user knows."""

from typing import Any

import numpy as np

from graphwell._types import FloatArray, IntArray

SUM_TOLERANCE = 1e-3


def read_class_prior(prior: Any, classes: Any, labels: IntArray) -> FloatArray | None:
    """Turn `class_prior` into the share of each class.

    Parameters
    ----------
    prior : None, "labels", array or dict
        Nothing known; the shares among the given labels; the shares in the order of the sorted classes; or
        the share of each class by its name.
    classes : array of shape (n_classes,)
        The classes found among the given labels.
    labels : array of shape (n,)
        Class numbers, -1 where unknown.

    Examples
    --------
    >>> read_class_prior({"a": 0.75, "b": 0.25}, np.array(["a", "b"]), np.array([0, 1, -1]))
    array([0.75, 0.25])
    """
    if prior is None:
        return None
    if isinstance(prior, str):
        if prior != "labels":
            raise ValueError(f'class_prior must be None, "labels", an array or a dict, got {prior!r}.')
        counts = np.bincount(labels[labels >= 0], minlength=len(classes))
        return counts / counts.sum()
    shares = _by_name(prior, classes) if isinstance(prior, dict) else np.asarray(prior, dtype=float)
    if shares.shape != (len(classes),):
        raise ValueError(
            f"class_prior must hold one share for each of the {len(classes)} classes, got {prior!r}."
        )
    if not np.isfinite(shares).all() or (shares <= 0).any():
        wrong = classes[~(shares > 0)]
        raise ValueError(
            f"class_prior must be positive for every class that has labels; look at {list(wrong)}."
        )
    if abs(shares.sum() - 1) > SUM_TOLERANCE:
        raise ValueError(f"class_prior must sum to 1, got a sum of {shares.sum():.6g}; divide it by that.")
    return np.asarray(shares / shares.sum())


def _by_name(prior: dict[Any, float], classes: Any) -> FloatArray:
    missing = [c for c in classes.tolist() if c not in prior]
    unknown = [c for c in prior if c not in classes.tolist()]
    if missing or unknown:
        what = f"lacks {missing}" if missing else f"names {unknown}, which no label has"
        raise ValueError(f"class_prior must name exactly the classes of the given labels; it {what}.")
    return np.array([float(prior[c]) for c in classes.tolist()])
