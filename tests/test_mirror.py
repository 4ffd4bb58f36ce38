"""Every module of the outer rooms has its test beside its name."""

from pathlib import Path

import pytest

import graphwell

SOURCE = Path(graphwell.__file__).parent
TESTS = Path(__file__).parent
ROOMS = ("cli", "datasets", "experiments", "io", "jobs", "segmentation", "view")


@pytest.mark.parametrize("room", ROOMS)
def test_every_module_has_its_test(room):
    modules = [path.relative_to(SOURCE) for path in (SOURCE / room).rglob("*.py") if path.stem != "__init__"]
    expected = {path.with_name(f"test_{path.stem.strip('_')}.py") for path in modules}
    assert {path.as_posix() for path in expected if not (TESTS / path).exists()} == set()
