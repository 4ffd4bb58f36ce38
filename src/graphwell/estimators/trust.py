"""How far each given label is trusted."""

from typing import Any

import numpy as np

from graphwell._types import FloatArray
from graphwell.errors import in_short
from graphwell.estimators.labels import Labels


def read_trust(sample_weight: Any, labels: Labels) -> tuple[Labels, FloatArray | None]:
    """Labels that are trusted at all, and how far each is; None if all are fully trusted.

    Parameters
    ----------
    sample_weight : array-like of shape (n,), optional
        0 or more at the rows with a known label: 0 makes it unknown. Other rows may hold anything.
    labels : Labels

    Examples
    --------
    >>> labels, trust = read_trust([1, 0, 0.5], Labels(np.array([0, 1, 2]), np.array(["a", "b", "c"])))
    >>> labels.codes, labels.classes, trust
    (array([ 0, -1,  1]), array(['a', 'c'], dtype='<U1'), array([1. , 1. , 0.5]))
    """
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
        weights = np.asarray(sample_weight, dtype=float)
    except (TypeError, ValueError):
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
