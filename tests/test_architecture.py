"""The shape of the house: arrows go one way, lazily too; every kind of thing has one home and one test."""

import ast
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import graphwell
from graphwell.backends.base import Engine, Vectors
from graphwell.backends.pixels import PixelEngine
from tests.conftest import SLOW, SLOW_FILES

SOURCE = Path(graphwell.__file__).parent
TESTS = Path(__file__).parent

ROOMS = (
    "model",
    "graph",
    "layout",
    "backends",
    "solve",
    "bridges",
    "columns",
    "metric",
    "estimators",
    "active",
    "comparison",
    "segmentation",
    "io",
    "jobs",
    "view",
    "serve",
    "widgets",
    "cli",
    "datasets",
    "experiments",
)
USES: dict[str, set[str]] = {
    "model": set(),
    "graph": set(),
    "layout": {"graph"},
    "backends": {"graph"},
    "solve": {"backends", "graph", "io", "model"},
    "bridges": {"estimators", "graph", "io"},
    "columns": {"io"},
    "metric": set(),
    "estimators": {"backends", "columns", "graph", "layout", "metric", "solve"},
    "active": {"backends", "estimators", "graph", "solve"},
    "comparison": {"columns", "estimators", "graph", "io"},
    "segmentation": {"backends", "bridges", "graph", "solve"},
    "io": set(),
    "view": {"columns", "comparison", "jobs", "layout"},
    "serve": {"active", "io", "jobs", "layout"},
    "widgets": {"io", "jobs", "serve"},
    "datasets": {"io", "segmentation"},
    "jobs": {
        "active",
        "backends",
        "columns",
        "comparison",
        "estimators",
        "graph",
        "io",
        "metric",
        "segmentation",
    },
    "experiments": {"datasets", "estimators", "io", "model", "segmentation", "view"},
    "cli": {
        "active",
        "backends",
        "columns",
        "comparison",
        "datasets",
        "estimators",
        "experiments",
        "graph",
        "io",
        "jobs",
        "layout",
        "serve",
        "solve",
        "view",
    },
}
"""The rooms that a room may use; what is not listed is forbidden, inside functions too."""
EXCEPTIONS = {
    ("graph/graph.py", "graphwell.backends.registry"): "Graph.from_features(device=...) asks where to build",
    ("graph/other_libraries.py", "graphwell.bridges"): "Graph.from_networkx and its like read other graphs",
    ("experiments/methods.py", "graphwell.backends"): "the start as printed needs the descent itself",
    ("experiments/methods.py", "graphwell.solve"): "the start as printed needs the descent itself",
    ("experiments/label_order.py", "graphwell.backends"): "sweeps that depend on the order of the classes",
    ("experiments/label_order.py", "graphwell.solve"): "sweeps that depend on the order of the classes",
}
FOR_TYPES = {
    ("backends", "solve"): "verbs take a Problem; only the type checker needs to know it",
    ("jobs", "solve"): "a report may hold a Result",
    ("view", "solve"): "a Result can be drawn",
}
"""Arrows that are drawn for the type checker alone, by rooms that need them for nothing else."""
WITHOUT_LIBRARIES = {
    "model": ("sklearn", "numba", "scipy.spatial"),
    "solve": ("sklearn", "numba", "matplotlib", "typer", "rich"),
    "segmentation": ("sklearn",),
    "io": ("sklearn",),
    "experiments": ("sklearn",),
}
"""Libraries that a room does without."""
LIBRARIES_AFTER_ALL = {
    ("experiments/spectral.py", "sklearn"): "k-means, which the paper compares with",
    ("experiments/mnist.py", "sklearn"): "the principal components of the pictures",
}
ONLY_IN = {
    "PIL": {"io/images/"},
    "matplotlib": {"view/plots.py"},
    "typer": {"cli/"},
    "rich": {"cli/"},
    "numba": {
        "backends/cpu/",
        "graph/compiled.py",
        "graph/lanes.py",
        "graph/scan.py",
        "graph/tiles.py",
    },
    "faiss": {"graph/cells.py"},
    "dask": {"backends/dask/handles.py"},
    "distributed": {"backends/dask/client.py"},
    "pyarrow": {"io/tables/parquet.py"},
    "openpyxl": {"io/tables/xlsx.py"},
    "anndata": {"io/tables/annotated.py"},
    "h5py": {"io/tables/h5ad.py"},
    "tifffile": {"io/images/deep_tiff.py"},
    "imagecodecs": {"io/images/png.py"},
    "nibabel": {"io/images/nifti.py"},
    "zarr": {"io/zarr_store.py"},
    "IPython": {"bridges/notebook.py"},
    "cupy": {"backends/cuda/_cupy.py"},
    "cuvs": {"backends/cuda/search.py"},
    "starlette": {"serve/app.py"},
    "uvicorn": {"serve/launch.py"},
    "anywidget": {"widgets/page_widget.py"},
}
"""Files, and folders of files, that use a library; no other does."""
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
    "starlette",
    "uvicorn",
    "anywidget",
)
MOST_LINES_OF_DASK = 2550


def name_of(path: Path) -> str:
    """Dotted name of a module."""
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {name_of(path): path for path in sorted(SOURCE.rglob("*.py"))}


@cache
def tree_of(path: Path) -> ast.Module:
    """The syntax of a file, read once."""
    return ast.parse(path.read_text())


def checked_only(tree: ast.AST) -> set[ast.AST]:
    """What stands under ``if TYPE_CHECKING``."""
    guards = (n for n in ast.walk(tree) if isinstance(n, ast.If) and ast.unparse(n.test) == "TYPE_CHECKING")
    return {inner for guard in guards for inner in ast.walk(guard)}


def imports(path: Path, *, top_level: bool = False, for_types: bool = False) -> Iterator[str]:
    """Names that a file imports at run time, inside functions too; or those for the type checker alone."""
    return iter(_imports(path, top_level, for_types))


@cache
def _imports(path: Path, top_level: bool, for_types: bool) -> list[str]:
    tree, found = tree_of(path), []
    guarded = checked_only(tree)
    for node in tree.body if top_level else ast.walk(tree):
        if (node in guarded) != for_types:
            continue
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
    return found


def named_modules(path: Path) -> Iterator[str]:
    """Modules that a file names in strings, to import them when they are asked for."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in FILES:
            yield node.value


def room_of(module: str) -> str | None:
    """The room of a module; None for those of the hall (``graphwell.progress``, say)."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in ROOMS else None


def arrows(path: Path, **which: bool) -> set[tuple[str, str]]:
    """Rooms that a file's imports lead to, with the module."""
    found = set(imports(path, **which))
    if not which:
        found |= set(named_modules(path))
    return {
        (room, module) for module in found if module.startswith("graphwell.") and (room := room_of(module))
    }


@pytest.mark.parametrize("room", ROOMS)
def test_arrows_between_rooms_go_one_way(room):
    wrong = []
    for path in (SOURCE / room).rglob("*.py"):
        file = path.relative_to(SOURCE).as_posix()
        for other, module in sorted(arrows(path)):
            allowed = other == room or other in USES[room]
            excepted = any(file == f and module.startswith(m) for f, m in EXCEPTIONS)
            if not allowed and not excepted:
                wrong.append(f"{file} uses {module}")
    assert wrong == []


def test_the_rooms_that_may_be_used_make_no_circle():
    left = {room: set(uses) for room, uses in USES.items()}
    assert set(left) == set(ROOMS)
    while left:
        free = [room for room, uses in left.items() if not uses & set(left)]
        assert free, f"a circle among {sorted(left)}"
        for room in free:
            del left[room]


@pytest.mark.parametrize("room", ROOMS)
def test_arrows_for_the_type_checker_are_named(room):
    drawn = {
        (room, other)
        for path in (SOURCE / room).rglob("*.py")
        for other, _ in arrows(path, for_types=True)
        if other != room and other not in USES[room]
    }
    assert drawn <= set(FOR_TYPES)


def test_every_arrow_and_every_exception_is_still_needed():
    for room, uses in USES.items():
        found = {other for path in (SOURCE / room).rglob("*.py") for other, _ in arrows(path)}
        assert uses <= found, f"{room} no longer uses {sorted(uses - found)}"
    for file, module in EXCEPTIONS:
        found = {name for _, name in arrows(SOURCE / file)}
        assert any(name.startswith(module) for name in found), f"{file} no longer uses {module}"
    for room, other in FOR_TYPES:
        found = {o for path in (SOURCE / room).rglob("*.py") for o, _ in arrows(path, for_types=True)}
        assert other in found, f"{room} no longer names types of {other}"


def test_the_hall_uses_no_room():
    """Modules beside the rooms are used by all of them; only the front doors look inside."""
    doors = {"__init__.py", "__main__.py"}
    wrong = {
        path.name: modules
        for path in SOURCE.glob("*.py")
        if path.name not in doors and (modules := arrows(path))
    }
    assert wrong == {}


def test_no_modules_import_each_other_in_a_circle():
    needs: dict[str, set[str]] = {}
    for module, path in FILES.items():
        found = {name for name in imports(path, top_level=True) if name in FILES and name != module}
        # A package's __init__ may import its own modules: these then must not need the package itself.
        needs[module] = {n for n in found if not module.startswith(f"{n}.")}
    left = dict(needs)
    while left:
        free = [module for module, wanted in left.items() if not wanted & set(left)]
        assert free, f"a circle among {sorted(left)}"
        for module in free:
            del left[module]


def test_the_strings_of_a_registry_are_followed():
    named = set(named_modules(SOURCE / "backends" / "registry.py"))
    assert {f"graphwell.backends.{name}.backend" for name in ("cpu", "cuda", "dask")} <= named
    assert "graphwell.backends.registry" in {m for _, m in arrows(SOURCE / "graph" / "graph.py")}


@pytest.mark.parametrize("room", WITHOUT_LIBRARIES)
def test_a_room_does_without_some_libraries(room):
    wrong = [
        f"{path.relative_to(SOURCE)} imports {name}"
        for path in (SOURCE / room).rglob("*.py")
        for name in imports(path)
        if name.startswith(WITHOUT_LIBRARIES[room])
        and (path.relative_to(SOURCE).as_posix(), name.split(".")[0]) not in LIBRARIES_AFTER_ALL
    ]
    assert wrong == []


@pytest.mark.parametrize("library", ONLY_IN)
def test_a_library_is_imported_where_it_belongs(library):
    users = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if any(name.split(".")[0] == library for name in imports(path))
    }
    homes = {next((home for home in ONLY_IN[library] if user.startswith(home)), user) for user in users}
    assert homes == ONLY_IN[library]
    if library in OPTIONAL:
        assert len(users) == 1


def functions(path: Path, *, methods: bool = False) -> Iterator[str]:
    """Names of the functions of a file: at its top level, or of all its classes too."""
    tree = tree_of(path)
    for node in ast.walk(tree) if methods else tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name


def test_no_function_of_the_solvers_is_defined_again():
    homes = defaultdict(set)
    for path in SOURCE.rglob("*.py"):
        for name in functions(path):
            homes[name.lstrip("_")].add(path.relative_to(SOURCE).as_posix())
    of_solve = {name.lstrip("_") for path in (SOURCE / "solve").glob("*.py") for name in functions(path)}
    twice = {name: sorted(homes[name]) for name in of_solve if len(homes[name]) > 1}
    assert twice == {}


def test_the_dask_room_is_small():
    lines = sum(len(path.read_text().splitlines()) for path in (SOURCE / "backends" / "dask").glob("*.py"))
    assert lines <= MOST_LINES_OF_DASK


def test_the_dense_backend_of_the_tests_is_small():
    assert len((TESTS / "backends" / "dense.py").read_text().splitlines()) <= 120


# ---------------------------------------------------------------------------------- tests beside their names

WITHOUT_A_TEST = {
    "_types": "names of types alone",
    "_version": "a number",
    "backends/cpu/assignment_kernels": "compiled loops, by tests/solve/test_assignment",
    "backends/cpu/coarse_kernels": "compiled loops, by tests/solve/test_coarse",
    "backends/cpu/community_kernels": "compiled loops, by tests/solve/test_communities",
    "backends/cpu/kernels": "compiled loops, held to the reference by test_engine",
    "backends/cpu/gather": "LLVM's vector gathers, held to the reference by test_engine",
    "backends/cuda/plan": "launches of the kernels, held to the CPU by test_engine",
    "backends/cuda/matrix": "matrices on the GPU, held to the CPU by test_graph",
    "backends/blocks/block": "what a worker holds of a graph, by test_engine and test_graph",
    "backends/blocks/columns": "the worker's side of the verbs, by test_engine and tests/backends/test_base",
    "backends/blocks/rows": "the worker's side of the graph, by test_search and test_graph",
    "backends/blocks/sweep": "the worker's side of a sweep, by test_engine",
    "backends/blocks/gradients": "the worker's side of conjugate gradients, by test_conjugate_gradients",
    "graph/scan": "compiled loops of the cells, by test_cells",
}
"""Modules without a test file of their own, and who tests them."""


def home_of_test(module: Path) -> Path:
    """Where the test of a module belongs."""
    inside = module.relative_to(SOURCE)
    return TESTS / inside.parent / f"test_{module.stem.strip('_')}.py"


@pytest.mark.parametrize("room", ["", *ROOMS])
def test_every_module_has_its_test_beside_its_name(room):
    found = (SOURCE / room).rglob("*.py") if room else SOURCE.glob("*.py")
    modules = [path for path in found if path.name != "__init__.py"]
    missing = [
        name
        for path in modules
        if (name := path.relative_to(SOURCE).with_suffix("").as_posix()) not in WITHOUT_A_TEST
        and not home_of_test(path).is_file()
    ]
    assert missing == []


def test_every_module_without_a_test_is_still_there():
    assert [name for name in WITHOUT_A_TEST if not (SOURCE / f"{name}.py").is_file()] == []


def test_the_slow_tests_are_still_there():
    assert [name for name in SLOW_FILES if not (TESTS / name).is_file()] == []
    defined = {name for path in TESTS.rglob("test_*.py") for name in functions(path)}
    assert defined >= SLOW


def test_importing_graphwell_imports_nothing_heavy():
    code = f"import sys, graphwell; print([m for m in {HEAVY!r} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_lint_rules_name_folders_that_exist():
    import tomllib

    root = TESTS.parent
    settings = tomllib.loads((root / "pyproject.toml").read_text())
    ignores = settings["tool"]["ruff"]["lint"]["per-file-ignores"]
    for pattern in ignores:
        assert list(root.glob(re.sub(r"\*+$", "", pattern))), pattern
    for folder in (*settings["tool"]["mypy"]["files"], *settings["tool"]["ruff"]["src"]):
        assert (root / folder).is_dir(), folder


# --------------------------------------------------------------------------------------------------- the docs

DOCS = TESTS.parent / "docs"


def test_the_page_of_the_house_names_every_room_and_every_verb():
    page = (DOCS / "architecture.md").read_text()
    seams = (Engine, Vectors, PixelEngine)
    verbs = {name for part in seams for name in vars(part) if not name.startswith("_")}
    assert "sweep" in verbs
    assert [name for name in sorted(verbs) if f"`{name}`" not in page] == []
    assert [room for room in ROOMS if f"`{room}/`" not in page] == []


def test_the_docs_list_every_format():
    from graphwell.io.images.registry import FORMATS as IMAGES
    from graphwell.io.tables.registry import FORMATS as TABLES

    for page, formats in (("tables.md", TABLES), ("pictures.md", IMAGES)):
        text = (DOCS / page).read_text()
        assert [suffix for suffix in formats.suffixes() if f"`{suffix}`" not in text] == []


def test_the_docs_name_files_that_exist():
    root, wrong = TESTS.parent, []
    known = [path.relative_to(root).as_posix() for path in root.rglob("*.py") if ".venv" not in path.parts]
    for page in (*DOCS.glob("*.md"), root / "README.md", root / "CHANGELOG.md"):
        for name in re.findall(r"`([\w/]+\.py)`", page.read_text()):
            if not any(f"/{path}".endswith(f"/{name}") for path in known):
                wrong.append(f"{page.name} names {name}")
    assert wrong == []
