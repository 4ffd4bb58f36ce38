"""The property tests of the project at a hundred times their usual number of examples."""

import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from torture.attack import Attack, Lost

TIMES = 100
ROOT = Path(__file__).resolve().parents[1]
SECONDS = 1500.0


@cache
def tests() -> list[str]:
    """Names of the property tests that need no GPU."""
    asked = [*PYTEST, "--collect-only", "-m", "hypothesis", "tests", "--ignore", "tests/backends/cuda"]
    listed = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, env=_environment())
    found = [line for line in listed.stdout.splitlines() if "::" in line]
    if not found:
        raise Lost(f"no property tests were found: {listed.stdout[-300:]}")
    return found


def attempt(seed: int) -> None:
    """Run one of them, with other examples for every seed."""
    name = tests()[seed % len(tests())]
    asked = [*PYTEST, "-x", name, "-p", "torture.properties", f"--hypothesis-seed={seed}"]
    ended = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, env=_environment())
    if ended.returncode or "1 passed" not in ended.stdout:
        raise Lost(f"{name}: {' '.join(ended.stdout.split())[-400:]}")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """As a plugin of pytest: multiply what each property test is asked for."""
    from hypothesis import settings

    for item in items:
        test: Any = getattr(item, "obj", None)
        usual = getattr(test, "_hypothesis_internal_use_settings", None)
        if usual is None:
            raise Lost(f"{item.name} is no property test that can be multiplied")
        more = settings(usual, max_examples=TIMES * usual.max_examples, database=None)
        test._hypothesis_internal_use_settings = more


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OMP_NUM_THREADS": "1"}


PYTEST = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "addopts="]
ATTACKS = (
    Attack("properties", "property tests with 100 times their examples", attempt, 24, hung_after=SECONDS),
)
