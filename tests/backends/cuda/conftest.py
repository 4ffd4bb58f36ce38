"""CuPy for tests that can do without a GPU."""

from typing import Any

import pytest

from graphwell.backends.cuda._cupy import cupy
from tests.backends.cuda import on_host
from tests.conftest import why_no_gpu


@pytest.fixture(params=["on the host", "on a GPU"])
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """CuPy, or what stands in for it."""
    if request.param == "on the host":
        return on_host.stand_in(monkeypatch)
    if why_no_gpu():
        pytest.skip(why_no_gpu())
    return cupy()
