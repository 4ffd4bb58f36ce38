"""Labels and offsets of the golden fits are bit for bit those that were recorded."""

from typing import Any

import pytest

from tests.golden import cases, recorded


def check(kind: str, machine: str, name: str, fit: Any) -> None:
    known = recorded.load(kind)
    if known["machine"] != machine:
        pytest.skip(f"the golden fits were recorded on {known['machine']}, and this is {machine}")
    assert recorded.digest(*fit()) == known["fits"][name]


@pytest.mark.parametrize("name", cases.CPU)
def test_on_the_cpu(name):
    check("cpu", recorded.processor(), name, cases.CPU[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", cases.ON_MNIST)
def test_mnist(name, shared_data):
    check("cpu", recorded.processor(), name, cases.ON_MNIST[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", cases.ON_DASK)
def test_on_dask(name, client):
    check("cpu", recorded.processor(), name, cases.ON_DASK[name])


@pytest.mark.parametrize("name", cases.ON_GPU)
def test_on_a_gpu(name, gpu):
    machine = gpu.cuda.runtime.getDeviceProperties(0)["name"].decode()
    check("gpu", machine, name, cases.ON_GPU[name])
