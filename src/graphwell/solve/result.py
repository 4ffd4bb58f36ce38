"""The result of a fit, and the sentence that says how it ended."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from graphwell._types import FloatArray, IntArray


class Status(Enum):
    """How a descent ended, in a sentence."""

    SETTLED = "The schedule ran to its end and no label changed during the last step."
    UNSETTLED = (
        "The schedule ran to its end while labels were still changing; "
        "a longer schedule or a smaller last epsilon would let them settle."
    )
    STOPPED = "The callback stopped the run before the end of the schedule."
    HELD_BACK = (
        "The schedule ran to its end, but the result would have overruled too many of the given labels "
        "or swallowed whole classes; the start was kept instead."
    )
    COMMUNITIES_KEPT = (
        "The schedule ran to its end, but would have made the classes far more even than the labels say; "
        "what the communities of the graph say was kept: the classes may consist of several clusters."
    )
    START_KEPT = "No descent was asked for; the labels are those of the start."
    ONE_CLASS = "Only one class was given, so every vertex that a label reaches has it."


@dataclass(frozen=True)
class Candidate:
    """One of the labellings that were compared.

    Attributes
    ----------
    name : str
        "start", "communities" (the harmonic labels on the graph of communities), "coarse" (the lowest energy
        on that graph) or "descent".
    energy : float
        Share of the weight that is cut between classes, plus the pressure on their volumes.
    normalised_cut : float
        Sum over the classes of the weight cut from each as a share of its volume.
    overruled : int
        Given labels that their neighbours would vote against.
    chosen : bool
        Whether this one was returned.
    """

    name: str
    energy: float
    normalised_cut: float
    overruled: int
    chosen: bool = False


@dataclass(frozen=True)
class Result:
    """Labels and offsets of every vertex, and how they came about.

    Attributes
    ----------
    labels : array of shape (n,)
        Class of each vertex, from 0 on.
    offsets : array of shape (n,)
        Offset from the class in [-1/2, 1/2); the paper's state is the sum of both.
    status : Status
        How the run ended; its value is a sentence.
    n_sweeps : int
        Number of sweeps done.
    energies, epsilons, label_changes : tuples
        One value per schedule step.
    seconds : float
        Time of the descent.
    solver_iterations : int
        Conjugate-gradient iterations of the start.
    solver_residual : float
        Largest relative residual that they left.
    candidates : tuple of Candidate
        The labellings that were compared, and which of them was chosen; empty if there was one only.
    """

    labels: IntArray
    offsets: FloatArray
    status: Status
    n_sweeps: int = 0
    energies: tuple[float, ...] = field(default=(), repr=False)
    epsilons: tuple[float, ...] = field(default=(), repr=False)
    label_changes: tuple[int, ...] = field(default=(), repr=False)
    seconds: float = 0.0
    solver_iterations: int = 0
    solver_residual: float = 0.0
    candidates: tuple[Candidate, ...] = field(default=(), repr=False)


def on_host(result: Result, to_host: Callable[[Any], Any]) -> Result:
    """The result with its labels and offsets as NumPy arrays."""
    return replace(result, labels=to_host(result.labels), offsets=to_host(result.offsets))
