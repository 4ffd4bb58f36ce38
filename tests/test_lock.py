"""The pinned versions are those that the project asks for, and name no registry."""

import tomllib
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]


def pinned():
    lines = (ROOT / ".ci" / "requirements-dev.txt").read_text().splitlines()
    return dict(line.split("==") for line in lines if not line.startswith("#"))


def test_every_requirement_is_pinned_within_its_bounds():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [
        Requirement(text) for text in (*project["dependencies"], *project["optional-dependencies"]["test"])
    ]
    for needed in wanted:
        assert pinned()[needed.name.lower()] in needed.specifier, needed


def test_no_registry_is_named():
    assert "://" not in (ROOT / ".ci" / "requirements-dev.txt").read_text()
