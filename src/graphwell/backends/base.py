"""The seam: what an engine is asked to do, and how one is chosen."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, SupportsFloat, SupportsInt

from graphwell._types import FloatArray, IntArray
from graphwell.backends.system import System

if TYPE_CHECKING:
    from graphwell.graph import Graph
    from graphwell.solve.problem import Problem

DEVICES = ("cpu", "cuda")


@dataclass(frozen=True)
class State:
    """A class and an offset in [-1/2, 1/2) per vertex; the paper's state is their sum."""

    labels: IntArray
    offsets: FloatArray


@dataclass(frozen=True)
class Swept:
    """A state after some sweeps, its energy, and how often a vertex changed class on the way.

    An engine that does not wait for its sweeps gives the two numbers as promises: ``float(energy)`` and
    ``int(label_changes)`` wait for them.
    """

    state: State
    energy: SupportsFloat
    label_changes: SupportsInt


class Engine(Protocol):
    """Holds one graph in its own layout and moves states on it.

    A result depends on the arguments alone: neither on the number of threads nor on earlier calls.
    """

    def sweep(self, problem: "Problem", state: State, epsilon: float, step_size: float, count: int) -> Swept:
        """Do `count` Jacobi sweeps of Algorithm 1 at one epsilon."""
        ...

    def product(self, block: FloatArray) -> FloatArray:
        """Return ``S @ block`` for a block of columns."""
        ...

    def system(self, scaling: FloatArray) -> System:
        """Return the system of the matrix ``I - A S A``, `scaling` being the diagonal of ``A``."""
        ...


def check_device(device: str) -> None:
    """Refuse a device that there is no engine for."""
    if device not in DEVICES:
        raise ValueError(f"device must be one of {', '.join(DEVICES)}, got {device!r}.")


def on_device(graph: "Graph", device: str) -> "Graph":
    """The graph with its arrays where the engine of a device computes."""
    check_device(device)
    if device == "cpu":
        return graph.on_host()
    from graphwell.backends.cuda import CudaGraph

    return CudaGraph.of(graph)


def make_engine(graph: "Graph", device: str = "cpu", n_jobs: int | None = None, **options: Any) -> Engine:
    """Build the engine for a device.

    Examples
    --------
    >>> from graphwell import Graph
    >>> type(make_engine(Graph.from_affinity([[0, 1], [1, 0]]))).__name__
    'NumbaEngine'
    """
    check_device(device)
    if device == "cuda":
        from graphwell.backends.cuda import CudaEngine

        return CudaEngine(graph, **options)
    from graphwell.backends.cpu.engine import NumbaEngine

    return NumbaEngine(graph, n_jobs=n_jobs, **options)
