"""The arrows between modules go one way, and importing the package stays cheap."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import graphwell

SOURCE = Path(graphwell.__file__).parent

FORBIDDEN = {
    "model": ("graphwell.solve", "graphwell.backends", "graphwell.graph", "sklearn", "numba"),
    "graph": ("graphwell.solve", "graphwell.backends", "graphwell.model"),
    "backends": ("graphwell.estimators", "graphwell.jobs", "sklearn"),
    "solve": ("graphwell.estimators", "graphwell.jobs", "sklearn"),
    "segmentation": ("graphwell.jobs", "graphwell.cli", "sklearn"),
    "estimators": ("graphwell.segmentation", "graphwell.io.tables", "graphwell.jobs", "graphwell.cli"),
    "io": ("graphwell.solve", "graphwell.backends", "graphwell.estimators", "graphwell.jobs", "sklearn"),
    "jobs": ("graphwell.cli", "graphwell.view"),
    "view": ("graphwell.cli",),
    "experiments": ("graphwell.solve", "graphwell.backends", "graphwell.cli", "sklearn"),
}
ONLY_IN = {
    "PIL": {"io/images/"},
    "matplotlib": {"view/plots.py"},
    "typer": {"cli/"},
    "rich": {"cli/"},
    "numba": {"backends/cpu/", "graph/distances.py", "graph/scan.py"},
    "faiss": {"graph/neighbors.py", "graph/cells.py"},
    "dask": {"backends/dask/tasks.py"},
    "distributed": {"backends/dask/tasks.py"},
    "pyarrow": {"io/tables/parquet.py"},
    "cupy": {"backends/cuda/_cupy.py"},
    "cuvs": {"backends/cuda/search.py"},
}
"""Files, and folders of files, that use a library; no other does."""
HEAVY = (
    "PIL",
    "matplotlib",
    "numba",
    "faiss",
    "typer",
    "rich",
    "sklearn",
    "pandas",
    "pyarrow",
    "dask",
    "distributed",
    "cupy",
)


def imports(path, *, top_level=False):
    """Modules that a file imports at run time; imports for the type checker alone do not count."""
    tree = ast.parse(path.read_text())
    guarded = {
        inner
        for outer in ast.walk(tree)
        if isinstance(outer, ast.If) and ast.unparse(outer.test) == "TYPE_CHECKING"
        for inner in ast.walk(outer)
    }
    for node in tree.body if top_level else ast.walk(tree):
        if node in guarded:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("folder", FORBIDDEN)
def test_arrows_go_one_way(folder):
    wrong = [
        f"{path.relative_to(SOURCE)} imports {name}"
        for path in (SOURCE / folder).rglob("*.py")
        for name in imports(path, top_level=True)
        if name.startswith(FORBIDDEN[folder])
    ]
    assert not wrong


@pytest.mark.parametrize("library", ONLY_IN)
def test_a_library_is_imported_where_it_belongs(library):
    users = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if any(name.split(".")[0] == library for name in imports(path))
    }
    homes = {next((home for home in ONLY_IN[library] if user.startswith(home)), user) for user in users}
    assert homes == ONLY_IN[library]


def test_importing_graphwell_imports_nothing_heavy():
    code = f"import sys, graphwell; print([m for m in {HEAVY!r} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_every_public_name_can_be_imported():
    for name in graphwell.__all__:
        assert getattr(graphwell, name) is not None
    assert set(dir(graphwell)) == set(graphwell.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = graphwell.nonsense
