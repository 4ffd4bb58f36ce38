"""How large the steps of the descent are, and how many there are at each epsilon."""

from graphwell.backends.base import Engine
from graphwell.solve.kept import found_once
from graphwell.solve.schedule import Annealed

FIRST_EPSILON, LAST_EPSILON = 2.0, 0.3
LARGEST_STEP = 0.4
STABLE_SHARE = 0.8
POWER_ITERATIONS = 20


def schedule_of(time: float, step_size: float) -> Annealed:
    """Epsilons of the descent, each with as many sweeps as fill the time.

    Examples
    --------
    >>> schedule_of(time=2.0, step_size=0.2)
    Annealed(start=2.0, stop=0.3, ratio=0.9, sweeps=10)
    """
    return Annealed(FIRST_EPSILON, LAST_EPSILON, ratio=0.9, sweeps=max(1, round(time / step_size)))


@found_once
def stable_step(engine: Engine) -> float:
    """Largest step that is stable and accurate at every epsilon, at most 0.4.

    Steps below ``2 / (eps m + 1 / eps)`` are stable, with `m` the largest eigenvalue of the Laplacian of
    ``S``, found by power iteration.
    """
    largest = engine.largest_eigenvalue(POWER_ITERATIONS)
    limits = (2 / (epsilon * largest + 1 / epsilon) for epsilon in (FIRST_EPSILON, LAST_EPSILON))
    return min(LARGEST_STEP, STABLE_SHARE * min(limits))
