"""Fixtures shared by all tests."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graphwell.backends.base import Backend
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.backends.cuda._cupy import cupy
from graphwell.backends.registry import BACKENDS, Entry, named
from graphwell.estimators import registry as registered
from graphwell.graph import Graph
from graphwell.solve.reference import ReferenceEngine
from tests.backends.dense import DenseEngine
from tests.helpers import GpuEngineOnHost

DENSE = Entry("tests.backends.dense:DenseBackend")
ENGINES: dict[str, Callable[[Graph], Any]] = {
    "reference": ReferenceEngine,
    "dense": DenseEngine,
    "numba float64": lambda graph: NumbaEngine(graph, dtype=np.float64),
    "numba float32": lambda graph: NumbaEngine(graph, dtype=np.float32),
    "cuda float32": lambda graph: GpuEngineOnHost(graph, np.float32),
    "cuda float64": lambda graph: GpuEngineOnHost(graph, np.float64),
}


def why_no_gpu() -> str:
    """Why nothing can be computed on a GPU here; empty if it can."""
    try:
        cupy()
    except (ImportError, OSError) as error:
        return str(error)
    return ""


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Callable[[Graph], Any]:
    """Each engine in turn, as a function of the graph."""
    if request.param.startswith("cuda") and why_no_gpu():
        pytest.skip(why_no_gpu())
    return ENGINES[request.param]


@pytest.fixture
def dense(monkeypatch: pytest.MonkeyPatch) -> str:
    """The dense backend of the tests, registered as a device; its name."""
    monkeypatch.setitem(BACKENDS, "dense", DENSE)
    return "dense"


@pytest.fixture(params=[*BACKENDS, "dense"])
def backend(request: pytest.FixtureRequest) -> Backend:
    """Each backend in turn: those of the registry, and the dense one of the tests."""
    name = request.param
    if name == "cuda" and why_no_gpu():
        pytest.skip(why_no_gpu())
    if name == "dask":  # as each worker has it; this one is alone
        from graphwell.backends.dask.communicator import Communicator
        from tests.backends.dask.cases import Worker

        return Worker(Communicator())
    if name == "dense":
        request.getfixturevalue("dense")
    made: Backend = named(BACKENDS[name].backend)(None)
    return made


@pytest.fixture
def registry() -> Iterator[Any]:
    """Where methods are registered; what a test registers is forgotten after it."""
    before = set(registered.methods())
    yield registered
    for name in set(registered.methods()) - before:
        registered.forget(name)


@pytest.fixture
def gpu() -> Any:
    """CuPy, where there is a GPU to compute on."""
    if why_no_gpu():
        pytest.skip(why_no_gpu())
    return cupy()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data sets beside the project."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the folder ../shared/data with the real data sets is not there")
    return folder


@pytest.fixture(scope="session")
def cluster() -> Iterator[Any]:
    """A small Dask cluster inside the test process."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0"
    ) as local:
        yield local


@pytest.fixture
def client(cluster: Any) -> Iterator[Any]:
    """A client of that cluster."""
    from distributed import Client

    with Client(cluster) as connected:
        yield connected


@pytest.fixture(autouse=True)
def no_scheduler_is_left() -> Iterator[None]:
    """Forget Dask's default scheduler with its last client: one that was cut off leaves it behind."""
    yield
    if "distributed" in sys.modules:
        import dask
        from distributed import Client

        try:
            Client.current()
        except ValueError:
            dask.config.config.pop("scheduler", None)


SLOW_FILES = {
    "cli/test_fuzz.py",
    "cli/test_interrupt.py",
    "io/images/test_fuzz.py",
    "jobs/test_marks_as_painted.py",
}
"""Whole runs of the program, damaged files by the hundred, and a photograph again and again."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as slow what every backend does and takes a second or two on Dask, and whole runs."""
    here = Path(__file__).parent
    for item in items:
        parameters = getattr(getattr(item, "callspec", None), "params", {})
        file = item.path.relative_to(here).as_posix() if item.path.is_relative_to(here) else ""
        if file in SLOW_FILES or parameters.get("backend") == "dask":
            item.add_marker(pytest.mark.slow)
