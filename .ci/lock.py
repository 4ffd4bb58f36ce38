"""Print what ``pip install ".[test]"`` has installed here as pins, for .ci/requirements-dev.txt."""

import sys
from importlib.metadata import PackageNotFoundError, distribution

from packaging.requirements import Requirement

HEADER = "# Versions that the tests pass with. Written by: python .ci/lock.py > .ci/requirements-dev.txt\n"


def pins(name: str, extras: set[str], found: dict[str, str]) -> None:
    """Add the pins of a package and of all it needs."""
    try:
        package = distribution(name)
    except PackageNotFoundError:
        return
    for text in package.requires or []:
        needed = Requirement(text)
        asked = any(needed.marker.evaluate({"extra": e}) for e in extras or {""}) if needed.marker else True
        key = needed.name.lower().replace("_", "-")
        if asked and key not in found and key != "graphwell":
            try:
                found[key] = distribution(needed.name).version
            except PackageNotFoundError:
                continue
            pins(needed.name, needed.extras, found)


pinned: dict[str, str] = {}
pins("graphwell", {"", "test"}, pinned)
sys.stdout.write(HEADER + "".join(f"{name}=={version}\n" for name, version in sorted(pinned.items())))
