"""Fixtures shared by all tests."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graphwell.engines.numba_ import NumbaEngine
from graphwell.graph import Graph
from graphwell.solve.reference import ReferenceEngine

ENGINES: dict[str, Callable[[Graph], Any]] = {
    "reference": ReferenceEngine,
    "numba float64": lambda graph: NumbaEngine(graph, dtype=np.float64),
    "numba float32": lambda graph: NumbaEngine(graph, dtype=np.float32),
}


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Callable[[Graph], Any]:
    """Each engine in turn, as a function of the graph."""
    return ENGINES[request.param]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data sets beside the project."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the folder ../shared/data with the real data sets is not there")
    return folder
