"""Random streams that do not meet: each purpose draws from its own, even under equal seeds."""

from typing import TypeAlias
from zlib import crc32

import numpy as np

from graphwell.errors import in_short

# In quotes: NumPy imports its generators when they are first asked for.
Seed: TypeAlias = "int | np.integer | np.random.Generator | np.random.RandomState | None"


def stream(random_state: Seed, purpose: str) -> np.random.Generator:
    """Return the generator for one purpose under a seed.

    Two purposes under one seed give independent streams, and neither is ``default_rng(seed)``, which
    callers often draw their own choices from. A start drawn from the stream that made the data is
    correlated with it, and such a run can fail completely.
    """
    if isinstance(random_state, np.random.Generator):
        entropy = int(random_state.integers(2**32))
    elif isinstance(random_state, np.random.RandomState):
        entropy = int(random_state.randint(2**32, dtype=np.uint64))
    elif random_state is None:
        return np.random.default_rng()
    elif isinstance(random_state, int | np.integer) and random_state >= 0:
        entropy = int(random_state)
    else:
        raise ValueError(
            "random_state must be None, a non-negative integer or a NumPy generator, "
            f"got {in_short(random_state)}."
        )
    return np.random.default_rng([entropy, crc32(purpose.encode())])
