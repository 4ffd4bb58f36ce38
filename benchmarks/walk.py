"""How much of the package a reader has to know: what a fit visits, and how large each room is."""

import ast
import contextlib
import io
import re
import sys
import tempfile
import threading
import tokenize
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import graphwell as gw
from benchmarks.output import Options, show_table, write_json

PACKAGE = Path(gw.__file__).parent
CUDA = "backends/cuda"
SHORT_FILE = 60
FOR_A_TOOL = re.compile(r"#\s*(noqa|type:|fmt:|pragma)")


@dataclass
class Visited:
    """Package code that was called, in any thread."""

    functions: set[CodeType] = field(default_factory=set)
    depth: int = 0

    @property
    def files(self) -> set[str]:
        """The files that the functions stand in."""
        return {code.co_filename for code in self.functions}

    def row(self) -> list[str]:
        """Files, functions and depth, for the table."""
        return [f"{number:,}" for number in (len(self.files), len(self.functions), self.depth)]


@contextlib.contextmanager
def watching(folder: Path = PACKAGE) -> Iterator[Visited]:
    """Note every function of a folder that is called; generators and comprehensions belong to theirs.

    The depth counts the folder's own functions on the stack of one thread.
    """
    visited, inside = Visited(), f"{folder}/"
    is_ours: dict[CodeType, bool] = {}

    def ours(code: CodeType) -> bool:
        known = is_ours.get(code)
        if known is None:
            known = is_ours[code] = code.co_filename.startswith(inside) and (
                not code.co_name.startswith("<") or code.co_name == "<lambda>"
            )
        return known

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or not ours(frame.f_code):
            return
        visited.functions.add(frame.f_code)
        depth, above = 1, frame.f_back
        while above is not None:
            depth += ours(above.f_code)
            above = above.f_back
        visited.depth = max(visited.depth, depth)

    threading.setprofile(note)  # threads that begin from now on
    sys.setprofile(note)
    try:
        yield visited
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def second_call(job: Callable[[], object]) -> Visited:
    """Run a job twice and tell what the second run visited: the first imports and compiles."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), watching() as visited:
        warnings.simplefilter("ignore")
        job()
        visited.functions.clear()
        visited.depth = 0
        job()
    return visited


def jobs() -> dict[str, Callable[[], object]]:
    """The ways into the package that are walked, each on small data."""
    import numpy as np
    from sklearn.datasets import load_digits, load_iris

    X, truth = load_digits(return_X_y=True)
    y = gw.datasets.sample_labels(truth, per_class=5, random_state=0)

    def fit(**parameters: Any) -> None:
        gw.DiffuseInterfaceClassifier(random_state=0, **parameters).fit(X, y)

    def classify() -> None:
        from graphwell.cli.app import app

        table = load_iris(as_frame=True)
        known = gw.datasets.sample_labels(table.target.to_numpy(), per_class=5, random_state=0)
        label = np.where(known >= 0, table.target_names[known], "")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "iris.csv"
            table.data.assign(label=label).to_csv(path, index=False)
            app(["classify", str(path), "-o", str(path.with_name("out.csv"))], standalone_mode=False)

    def segment() -> None:
        image = np.random.default_rng(0).normal(0.2, 0.05, (60, 60))
        image[:, 30:] += 0.6
        seeds = np.full(image.shape, -1)
        seeds[30, 10], seeds[30, 50] = 0, 1
        gw.segment(image, seeds)

    def dask_fit() -> None:
        import dask.array as da
        from distributed import Client, LocalCluster

        local = LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None)
        with local as cluster, Client(cluster):
            gw.DiffuseInterfaceClassifier(random_state=0).fit(da.from_array(X, chunks=(600, 64)), y)

    return {
        "a fit on an array": fit,
        "a fit with the graph alone": lambda: fit(tune=False, evidence=None),
        "`classify` of a CSV": classify,
        "`segment`": segment,
        "a Dask fit": dask_fit,
    }


@dataclass
class Size:
    """How much code there is: files, lines, comments, and names of functions and classes."""

    files: int = 0
    short_files: int = 0
    lines: int = 0
    comments: int = 0
    functions: int = 0
    classes: list[str] = field(default_factory=list)

    def add(self, path: Path) -> None:
        """Count another file."""
        text = path.read_text(encoding="utf-8")
        lines = text.count("\n")
        self.files += 1
        self.lines += lines
        self.short_files += lines < SHORT_FILE
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        self.comments += sum(t.type == tokenize.COMMENT and not FOR_A_TOOL.match(t.string) for t in tokens)
        for node in ast.walk(ast.parse(text)):
            self.functions += isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            if isinstance(node, ast.ClassDef):
                self.classes.append(node.name)

    @property
    def defined_twice(self) -> list[str]:
        """Names of more than one class."""
        return sorted(name for name, times in Counter(self.classes).items() if times > 1)

    def row(self) -> list[str]:
        """The counts, for the table."""
        per_thousand = 1000 * self.comments / max(self.lines, 1)
        counts = (self.lines, self.files, self.short_files, self.functions, len(self.classes))
        return [*(f"{count:,}" for count in counts), f"{per_thousand:.1f}", f"{len(self.defined_twice)}"]


def sizes(package: Path = PACKAGE) -> dict[str, Size]:
    """Measure each room, what lies beside the rooms, and the whole with and without backends/cuda."""
    rooms: dict[str, Size] = {}
    whole, without = Size(), Size()
    for path in sorted(package.rglob("*.py")):
        inside = path.relative_to(package).as_posix()
        counted = [inside.partition("/")[0] if "/" in inside else "beside the rooms"]
        if counted == ["backends"]:
            counted = [CUDA if inside.startswith(f"{CUDA}/") else "backends (without cuda)"]
        for size in [whole, *(rooms.setdefault(name, Size()) for name in counted)]:
            size.add(path)
        if CUDA not in counted:
            without.add(path)
    return {**rooms, "in all": whole, f"without {CUDA}": without}


def beside() -> dict[str, Size]:
    """Measure the folders beside src."""
    root = PACKAGE.parents[1]
    found = {}
    for name in ("benchmarks", "torture", "examples", "plugins", "tests"):
        found[name] = Size()
        for path in sorted((root / name).rglob("*.py")):
            found[name].add(path)
    return found


def main(options: Options) -> None:
    visits = {name: second_call(job) for name, job in jobs().items()}
    show_table(
        "Package code that a second call visits",
        ["", "files", "functions", "depth"],
        [[name, *visited.row()] for name, visited in visits.items()],
    )
    rooms = sizes()
    show_table(
        "Rooms of src/graphwell, and folders beside it",
        ["", "lines", "files", f"under {SHORT_FILE} lines", "functions", "classes",
         "comments per 1,000 lines", "class names defined twice"],
        [[name, *size.row()] for name, size in {**rooms, **beside()}.items()],
    )  # fmt: skip
    print(f"Class names defined twice: {', '.join(rooms['in all'].defined_twice) or 'none'}.")
    write_json(
        options.out / "walk.json",
        {
            "visits": {
                name: {"files": len(v.files), "functions": len(v.functions), "depth": v.depth}
                for name, v in visits.items()
            },
            "rooms": {name: asdict(size) for name, size in rooms.items()},
        },
    )
