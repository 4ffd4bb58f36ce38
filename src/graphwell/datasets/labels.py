"""Choosing the labels that are given."""

import numpy as np

from graphwell._random import Seed, stream
from graphwell._types import IntArray


def sample_labels(y: IntArray, per_class: int, random_state: Seed = None) -> IntArray:
    """Keep `per_class` labels of each class, chosen at random; the others become -1.

    Examples
    --------
    >>> sample_labels(np.array([0, 0, 1, 1]), per_class=1, random_state=0)
    array([-1,  0, -1,  1])
    """
    if isinstance(random_state, int | np.integer):
        random_state = np.random.default_rng(int(random_state))
    elif not isinstance(random_state, np.random.Generator):
        random_state = stream(random_state, "labels")
    known = np.full(len(y), -1)
    for c in np.unique(y):
        members = np.flatnonzero(y == c)
        if per_class > len(members):
            raise ValueError(
                f"per_class={per_class} labels were asked for, class {c} has {len(members)} points."
            )
        chosen = random_state.choice(members, per_class, replace=False)
        known[chosen] = c
    return known
