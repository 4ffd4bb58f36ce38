"""The sentences of machines that have no GPU."""

import sys
import types

import numpy as np
import pytest

from graphwell import DiffuseInterfaceClassifier, Graph, segment
from graphwell.backends.cuda import _cupy


class FakeRuntimeError(RuntimeError):
    pass


def fake_cupy(count, capability="90"):
    """A library that finds so many devices of a kind, or fails to look for them."""

    def device_count():
        if isinstance(count, str):
            raise FakeRuntimeError(count)
        return count

    runtime = types.SimpleNamespace(
        getDeviceCount=device_count, CUDARuntimeError=FakeRuntimeError, runtimeGetVersion=lambda: 12090
    )
    device = types.SimpleNamespace(compute_capability=capability)
    return types.SimpleNamespace(cuda=types.SimpleNamespace(runtime=runtime, Device=lambda: device))


@pytest.fixture
def fresh(monkeypatch):
    """Let CuPy be looked for anew, now and after the test."""
    _cupy.cupy.cache_clear()
    yield monkeypatch
    _cupy.cupy.cache_clear()


@pytest.mark.parametrize(
    ("library", "kind", "sentence"),
    [
        (None, ImportError, r'needs CuPy, which is not installed; use pip install "graphwell\[cuda\]"'),
        (fake_cupy(0), OSError, "needs an NVIDIA GPU, and none was found"),
        (fake_cupy("cudaErrorNoDevice: no device"), OSError, "needs an NVIDIA GPU, and none was found"),
        (
            fake_cupy("cudaErrorInsufficientDriver: too old"),
            OSError,
            r"driver is too old for CUDA 12\.9, .*update the driver",
        ),
        (fake_cupy(1, "61"), OSError, r"compute capability 7\.0 or newer, and this one has 6\.1"),
        (fake_cupy("cudaErrorUnknown: x"), OSError, r"cannot use the NVIDIA GPU \(cudaErrorUnknown: x\)"),
    ],
)
def test_what_is_missing_is_said_in_a_sentence(fresh, library, kind, sentence):
    fresh.setitem(sys.modules, "cupy", library)
    X, y = np.random.default_rng(0).random((20, 3)), np.arange(20) % 2
    for fit in (
        lambda: DiffuseInterfaceClassifier(models=None, device="cuda").fit(X, y),
        lambda: Graph.from_features(X, device="cuda"),
        lambda: segment(np.zeros((5, 5)), np.eye(5, dtype=int), device="cuda"),
    ):
        with pytest.raises(kind, match=sentence):
            fit()


def test_a_library_that_cannot_be_loaded_says_why(fresh):
    class Broken:
        def find_spec(self, name, path=None, target=None):
            if name == "cupy":
                raise ImportError("libnvrtc.so.12: cannot open shared object file")

    fresh.delitem(sys.modules, "cupy", raising=False)
    fresh.setattr(sys, "meta_path", [Broken(), *sys.meta_path])
    with pytest.raises(ImportError, match=r"CuPy, which cannot be loaded \(libnvrtc.*pip install"):
        _cupy.cupy()


def test_the_program_says_it_in_one_line_and_writes_nothing(fresh, tmp_path):
    from typer.testing import CliRunner

    from graphwell.cli.app import app

    fresh.setitem(sys.modules, "cupy", None)
    (tmp_path / "in.csv").write_text("x,label\n1,a\n2,b\n3,\n")
    command = ["classify", str(tmp_path / "in.csv"), "-o", str(tmp_path / "out.csv"), "--device", "cuda"]
    finished = CliRunner().invoke(app, [*command, "--quiet"])
    assert finished.exit_code == 2
    assert finished.stderr.startswith("graphwell: --device cuda needs CuPy, which is not installed")
    assert finished.stderr.count("\n") == 1
    assert not (tmp_path / "out.csv").exists()
