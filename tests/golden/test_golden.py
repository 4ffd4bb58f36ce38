"""Golden results: labels exactly as recorded, scores to 1e-6, on every kind of processor."""

from typing import Any

import pytest

from tests.golden import cases, recorded


def check(name: str, case: Any) -> None:
    assert recorded.differences(case(), recorded.load()[name]) == []


@pytest.mark.parametrize("name", cases.ANYWHERE)
def test_as_recorded(name):
    check(name, cases.ANYWHERE[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", cases.ON_SHARED_DATA)
def test_on_shared_data(name, shared_data):
    check(name, cases.ON_SHARED_DATA[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", cases.ON_DASK)
def test_on_dask(name, client):
    check(name, cases.ON_DASK[name])


@pytest.mark.parametrize("name", cases.ON_GPU)
def test_on_a_gpu(name, gpu):
    if name not in recorded.load():
        pytest.skip("not recorded; python -m tests.golden --gpu does it on a machine with a GPU")
    check(name, cases.ON_GPU[name])


def test_a_changed_label_and_a_changed_score_are_noticed():
    output = {"labels": [0, 1, 1], "scores": [0.5, 0.25, 0.125]}
    known = recorded.summary(output)
    assert recorded.differences({**output, "scores": [0.5 + 1e-7, 0.25, 0.125]}, known) == []
    assert "labels differ" in recorded.differences({**output, "labels": [0, 1, 0]}, known)[0]
    assert "scores differ" in recorded.differences({**output, "scores": [0.5 + 1e-5, 0.25, 0.125]}, known)[0]
    assert (
        "scores differ" in recorded.differences({**output, "scores": [float("nan"), 0.25, 0.125]}, known)[0]
    )
