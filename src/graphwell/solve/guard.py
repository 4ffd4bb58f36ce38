"""What keeps the descent from doing harm.

On data with a clear shape the descent is far better than its start. Where classes overlap, or are very
small, it lets large classes swallow small ones. Two things hold it back. The pressure towards even classes is
used only from a start that is nearly even. And the given labels are asked afterwards: where their own
neighbours would overrule too many of them, the result is given up for the start.
"""

import numpy as np

from graphwell._arrays import namespace, to_host
from graphwell._types import FloatArray, IntArray
from graphwell.backends.base import Engine, State
from graphwell.solve.balance import UNEVENNESS_ALLOWED, class_counts, evenness
from graphwell.solve.problem import Balance, Problem

EVEN_STRENGTH = 0.3
GIVEN_STRENGTH = 1.0
MOST_LABELS_OVERRULED = 0.16
MOST_VERTICES_SPOKEN_FOR = 0.07
EVENNESS_KEPT = 0.75


def balance_for(problem: Problem, start_labels: IntArray) -> Balance | None:
    """The pressure on class sizes: towards given shares, or towards even ones from a nearly even start.

    Examples
    --------
    >>> from graphwell import Graph
    >>> problem = Problem(Graph.from_affinity([[0, 1], [1, 0]]), np.array([0, 1]), n_classes=2)
    >>> balance_for(problem, np.array([0, 1])).strength
    0.3
    >>> balance_for(problem, np.array([0, 0, 0, 1])) is None
    True
    """
    if problem.class_shares is not None:
        return Balance(GIVEN_STRENGTH, problem.class_shares)
    unevenness = 1 - evenness(start_labels, problem.n_classes)
    strength = EVEN_STRENGTH * (1 - unevenness / UNEVENNESS_ALLOWED)
    if strength <= 0:
        return None
    return Balance(round(float(strength), 12), np.full(problem.n_classes, 1 / problem.n_classes))


def stands(problem: Problem, engine: Engine, state: State, start_labels: IntArray) -> bool:
    """Whether the given labels bear the result out, and no classes were swallowed on the way to it.

    A given label is overruled if its neighbours vote for another class. The result stands if few of them
    are, if those speak for few vertices (each for as many as its class holds per label), and if the classes
    are not much less even than at the start.
    """
    n_classes = problem.n_classes
    if evenness(state.labels, n_classes) < EVENNESS_KEPT * evenness(start_labels, n_classes):
        return False
    voted = votes(problem, engine, state)[problem.is_known].argmax(axis=1)
    return borne_out(problem, state.labels, to_host(voted))


def borne_out(problem: Problem, labels: IntArray, voted: IntArray) -> bool:
    """Whether the given labels bear a result out, `voted` being what the neighbours of each vote for."""
    n_classes = problem.n_classes
    wanted = to_host(problem.labels[problem.is_known])
    labels_per_class = np.bincount(wanted, minlength=n_classes)
    classes = wanted[voted != wanted]
    shares = class_counts(labels, n_classes) / len(labels)
    spoken_for = float((shares[classes] / labels_per_class[classes]).sum())
    few = len(classes) <= max(1.0, MOST_LABELS_OVERRULED * (len(wanted) - n_classes))
    return few and spoken_for <= max(MOST_VERTICES_SPOKEN_FOR, 1.5 / len(wanted))


def votes(problem: Problem, engine: Engine, state: State) -> FloatArray:
    """Presence of each class around each vertex: ``sum_{j in class} S_ij r_j``."""
    n, xp = len(state.labels), namespace(state.offsets)
    present = xp.zeros((n, problem.n_classes), dtype=np.float32)
    present[xp.arange(n), state.labels] = 0.5 - abs(state.offsets)
    return engine.product(present)
