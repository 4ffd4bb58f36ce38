"""How much of the package a reader has to know: what a fit visits, and how large each room is."""

import ast
import contextlib
import io
import re
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pandas as pd

import graphwell as gw
from benchmarks.output import Options, show_frame, write_json

PACKAGE = Path(gw.__file__).parent
CUDA = "backends/cuda"
SHORT_FILE = 60
COMMENT = re.compile(r".*(^|\s)# (?!(noqa|type:|fmt:|pragma))")


@dataclass
class Visited:
    """Package code that was called, in any thread."""

    functions: set[CodeType] = field(default_factory=set)
    depth: int = 0

    def counts(self) -> dict[str, int]:
        """Files, functions and depth."""
        files = {code.co_filename for code in self.functions}
        return {"files": len(files), "functions": len(self.functions), "depth": self.depth}


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
    """Run a job twice and note what the second run visited: the first imports and compiles."""
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

    table = load_iris(as_frame=True)
    known = gw.datasets.sample_labels(table.target.to_numpy(), per_class=5, random_state=0)

    def classify() -> None:
        from graphwell.cli.app import app

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
        "a fit with the graph alone": lambda: fit(models=None),
        "`classify` of a CSV": classify,
        "`segment`": segment,
        "a Dask fit": dask_fit,
    }


def size(paths: list[Path]) -> dict[str, Any]:
    """How much code there is: lines, files, comments, functions and classes."""
    texts = [path.read_text(encoding="utf-8") for path in paths]
    lines = [text.count("\n") for text in texts]
    nodes = [type(node) for text in texts for node in ast.walk(ast.parse(text))]
    comments = sum(bool(COMMENT.match(line)) for text in texts for line in text.splitlines())
    return {
        "lines": sum(lines),
        "files": len(paths),
        f"under {SHORT_FILE} lines": sum(n < SHORT_FILE for n in lines),
        "functions": nodes.count(ast.FunctionDef) + nodes.count(ast.AsyncFunctionDef),
        "classes": nodes.count(ast.ClassDef),
        "comments per 1,000 lines": 1000 * comments / max(sum(lines), 1),
    }


def sizes(package: Path = PACKAGE) -> dict[str, dict[str, Any]]:
    """Measure each room, what lies beside the rooms, and the whole with and without backends/cuda."""
    rooms: dict[str, list[Path]] = {}
    every = sorted(package.rglob("*.py"))
    for path in every:
        inside = path.relative_to(package).as_posix()
        room = inside.partition("/")[0] if "/" in inside else "beside the rooms"
        if room == "backends":
            room = CUDA if inside.startswith(f"{CUDA}/") else "backends (without cuda)"
        rooms.setdefault(room, []).append(path)
    without = [path for path in every if path not in rooms.get(CUDA, [])]
    return {
        name: size(paths) for name, paths in {**rooms, "in all": every, f"without {CUDA}": without}.items()
    }


def main(options: Options) -> None:
    visits = {name: second_call(job).counts() for name, job in jobs().items()}
    show_frame("Package code that a second call visits", pd.DataFrame(visits).T)
    rooms = sizes()
    for name in ("benchmarks", "torture", "examples", "plugins", "tests"):
        rooms[name] = size(sorted((PACKAGE.parents[1] / name).rglob("*.py")))
    show_frame("Rooms of src/graphwell, and folders beside it", pd.DataFrame(rooms).T, 1)
    write_json(options.out / "walk.json", {"visits": visits, "rooms": rooms})
