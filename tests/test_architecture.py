"""Imports go one way, optional libraries have one place, documents name files that exist."""

import ast
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import graphwell

SOURCE = Path(graphwell.__file__).parent
ROOT = Path(__file__).parents[1]
ORDER = (
    "graph",
    "io",
    "backends",
    "solve",
    "encoders",
    "estimators",
    "interop",
    "active",
    "comparison",
    "segmentation",
    "datasets",
    "view",
    "jobs",
    "serve",
    "widgets",
    "experiments",
    "cli",
)
"""The rooms: each may use those before it, inside functions too."""
EXCEPTIONS = {
    ("graph/graph.py", "backends"): "Graph.from_features(device=...) asks where to build",
    ("model_selection.py", "graph"): "equal rows are hidden together",
}
WITHOUT = {
    "solve": ("sklearn", "pandas", "typer", "numba", "matplotlib", "rich"),
}
"""Libraries that the mathematics does without."""
OPTIONAL = (
    "dask",
    "distributed",
    "pyarrow",
    "openpyxl",
    "anndata",
    "h5py",
    "tifffile",
    "imagecodecs",
    "nibabel",
    "zarr",
    "cupy",
    "cuvs",
    "starlette",
    "uvicorn",
    "anywidget",
)
HEAVY = ("PIL", "matplotlib", "numba", "faiss", "typer", "rich", "sklearn", "pandas", *OPTIONAL)


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@cache
def imports(path: Path, *, top_level: bool = False) -> set[str]:
    """Names that a file imports at run time, inside functions too, and modules that it names in strings."""
    tree = parsed(path)
    guards = (n for n in ast.walk(tree) if isinstance(n, ast.If) and ast.unparse(n.test) == "TYPE_CHECKING")
    for_types = {inner for guard in guards for inner in ast.walk(guard)}
    found: set[str] = set()
    for node in tree.body if top_level else ast.walk(tree):
        if node in for_types:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Constant) and re.fullmatch(r"graphwell(\.\w+)+", str(node.value)):
            found.add(node.value)  # a registry imports these when they are asked for
    return found


def rooms_used(path: Path) -> set[str]:
    """The rooms that a file's imports lead to."""
    second = {name.split(".")[1] for name in imports(path) if name.startswith("graphwell.")}
    return second & set(ORDER)


def test_rooms_use_those_before_them():
    assert {path.parent.name for path in SOURCE.glob("*/__init__.py")} <= set(ORDER), "a room has no place"
    wrong = []
    for path in SOURCE.rglob("*.py"):
        file = path.relative_to(SOURCE)
        if file.name in ("__init__.py", "__main__.py") and len(file.parts) == 1:
            continue  # the front doors
        place = (
            ORDER.index(file.parts[0]) if len(file.parts) > 1 else -1
        )  # what lies beside the rooms uses none
        wrong += [
            f"{file} uses {room}"
            for room in sorted(rooms_used(path))
            if ORDER.index(room) > place and (file.as_posix(), room) not in EXCEPTIONS
        ]
    assert wrong == []


def test_no_modules_import_each_other_in_a_circle():
    left = {}
    for path in SOURCE.rglob("*.py"):
        module = ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__")
        # A package's __init__ may import its own modules: these then must not need the package itself.
        left[module] = {n for n in imports(path, top_level=True) if not f"{module}.".startswith(f"{n}.")}
    while left:
        free = [module for module, wanted in left.items() if not wanted & set(left)]
        assert free, f"a circle among {sorted(left)}"
        for module in free:
            del left[module]


def test_the_mathematics_knows_no_framework():
    wrong = [
        f"{path.relative_to(SOURCE)} imports {name}"
        for room, libraries in WITHOUT.items()
        for path in (*SOURCE.glob(f"{room}.py"), *(SOURCE / room).rglob("*.py"))
        for name in imports(path)
        if name.split(".")[0] in libraries
    ]
    assert wrong == []


@pytest.mark.parametrize("library", OPTIONAL)
def test_an_optional_library_is_imported_in_one_place(library):
    users = [path for path in SOURCE.rglob("*.py") if library in {n.split(".")[0] for n in imports(path)}]
    assert len(users) <= 1, users


def test_importing_graphwell_imports_nothing_heavy():
    code = f"import sys, graphwell; print([m for m in {HEAVY!r} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_the_docs_name_files_that_exist():
    known = [path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py") if ".venv" not in path.parts]
    wrong = [
        f"{page.name} names {name}"
        for page in (*(ROOT / "docs").glob("*.md"), *ROOT.glob("*.md"))
        for name in re.findall(r"`([\w/]+\.py)`", page.read_text())
        if not any(f"/{path}".endswith(f"/{name}") for path in known)
    ]
    assert wrong == []


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
