"""Photographs with real strokes: wrong pixels and boundaries beside GrabCut, watershed and random_walker.

The photographs lie in ``../shared/data/marked`` and belong to their owners; without them nothing is measured.
``NAME.jpg`` has marks (``NAME_sparse.png``, ``NAME_dense.png`` or ``NAME_marks.png``) and ``NAME_truth.png``;
255 is unknown. Weights were chosen on pictures at even places of the sorted list; those at odd ones count.
What is measured is kept beside the figures, so that a run that was ended goes on where it was.
"""

import ctypes
import gc
import json
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from scipy import ndimage
from threadpoolctl import threadpool_limits

import graphwell as gw
from benchmarks.output import show_table
from graphwell.memory import peak_memory
from graphwell.segmentation.drawing import borders

FOLDER = Path(__file__).parent.parent.parent / "shared" / "data" / "marked"
UNKNOWN = 255
REACH = 2
"""Pixels by which a boundary may lie beside the true one."""
ROUNDS = 5
MARKS = {"sparse": "object, sparse strokes", "dense": "object, denser strokes", "marks": "many classes"}


@dataclass(frozen=True)
class Marked:
    """One method on one picture and one set of marks."""

    picture: str
    marks: str
    method: str
    wrong: float
    boundary: float
    seconds: float
    mebibytes: float


def photographs() -> Iterator[tuple[str, str, Any, Any, Any]]:
    """Name, kind of marks, picture, marks and truth of what no weight was chosen on."""
    from PIL import Image

    for path in sorted(FOLDER.glob("*.jpg"))[1::2]:
        picture = np.asarray(Image.open(path).convert("RGB"))
        truth = _classes(path.with_name(f"{path.stem}_truth.png"))
        for kind in MARKS:
            marks = path.with_name(f"{path.stem}_{kind}.png")
            if marks.exists():
                yield path.stem, kind, picture, _classes(marks), truth


def _classes(path: Path) -> Any:
    from PIL import Image

    numbers = np.asarray(Image.open(path)).astype(int)
    return np.where(numbers == UNKNOWN, -1, numbers)


def methods(kind: str) -> dict[str, Callable[[Any, Any], Any]]:
    """What is installed and can deal with such marks: GrabCut knows an object and its ground alone."""
    found: dict[str, Callable[[Any, Any], Any]] = {"graphwell": partial(gw.segment, n_jobs=1)}
    if find_spec("cv2") is not None and kind != "marks":
        found["GrabCut"] = grab_cut
    if find_spec("skimage") is not None:
        found |= {"watershed": watershed, "random_walker": random_walker}
    return found


def grab_cut(picture: Any, marks: Any) -> Any:
    """OpenCV's, from colour models of the marks; unmarked pixels are probable ground."""
    import cv2

    cv2.setRNGSeed(0)
    cv2.setNumThreads(1)
    mask = np.choose(marks + 1, (cv2.GC_PR_BGD, cv2.GC_BGD, cv2.GC_FGD)).astype(np.uint8)
    models = np.zeros((1, 65)), np.zeros((1, 65))
    cv2.grabCut(np.ascontiguousarray(picture), mask, (0, 0, 1, 1), *models, ROUNDS, cv2.GC_INIT_WITH_MASK)
    return np.isin(mask, (cv2.GC_FGD, cv2.GC_PR_FGD)).astype(int)


def watershed(picture: Any, marks: Any) -> Any:
    """scikit-image's, on the largest gradient of the channels."""
    from skimage import filters, segmentation

    gradient = np.max([filters.sobel(picture[..., c] / 255) for c in range(3)], axis=0)
    return segmentation.watershed(gradient, marks + 1) - 1


def random_walker(picture: Any, marks: Any) -> Any:
    """scikit-image's, with the beta that is better on photographs."""
    from skimage import segmentation

    scaled = picture / 255
    return segmentation.random_walker(scaled, marks + 1, beta=1000, mode="cg_j", channel_axis=-1) - 1


def boundary_score(labels: Any, truth: Any) -> float:
    """F of the boundaries, where those within two pixels of each other match, in per cent."""
    nearest = ndimage.distance_transform_edt(truth < 0, return_distances=False, return_indices=True)
    found, true = borders(labels), borders(truth[tuple(nearest)])
    if not (found.any() and true.any()):
        return 0.0
    precision = (ndimage.distance_transform_edt(~true)[found] <= REACH).mean()
    recall = (ndimage.distance_transform_edt(~found)[true] <= REACH).mean()
    return float(200 * precision * recall / max(precision + recall, 1e-12))


def run(kept: Path, most: int | None = None) -> list[Marked]:
    """All methods on all photographs, or on the first of them; those in the file `kept` are not run again."""
    lines = kept.read_text().splitlines() if kept.exists() else []
    done = {(r.picture, r.marks, r.method): r for r in (Marked(**json.loads(line)) for line in lines)}
    records = []
    warm_up()
    for name, kind, picture, marks, truth in list(photographs())[:most]:
        for method, label in methods(kind).items():
            if (name, kind, method) not in done:
                record = Marked(name, kind, method, *measured(partial(label, picture, marks), truth))
                done[name, kind, method] = record
                with kept.open("a") as file:
                    file.write(json.dumps(asdict(record)) + "\n")
            records.append(done[name, kind, method])
    return records


def warm_up() -> None:
    """Have imports and compiled loops out of the way."""
    marks = np.full((32, 32), -1)
    marks[:, 0], marks[:, -1] = 0, 1
    for label in methods("sparse").values():
        label(np.zeros((32, 32, 3), dtype=np.uint8) + np.arange(32, dtype=np.uint8)[:, None], marks)


def give_back_memory() -> None:
    """Hand what is free back to the system, so that what a method takes is seen; glibc only."""
    gc.collect()
    with suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)


def measured(label: Callable[[], Any], truth: Any) -> tuple[float, float, float, float]:
    """Wrong pixels and boundary in per cent, CPU seconds on one thread, and the most memory taken in MiB."""
    give_back_memory()
    began = time.process_time()
    with warnings.catch_warnings(), threadpool_limits(1), peak_memory() as peak:
        warnings.simplefilter("ignore")  # random_walker's, of its own tolerance
        labels = label()
    seconds, known = time.process_time() - began, truth >= 0
    wrong = 100 * float((labels[known] != truth[known]).mean())
    return wrong, boundary_score(labels, truth), seconds, (peak() or 0) / 2**20


def compare(records: list[Marked]) -> tuple[list[list[str]], list[str]]:
    """A line per kind of marks and method, and what is not below the best of the others."""
    rows, missed = [], []
    for kind in dict.fromkeys(r.marks for r in records):
        means = {}
        for method in dict.fromkeys(r.method for r in records if r.marks == kind):
            here = [r for r in records if (r.marks, r.method) == (kind, method)]
            figures = ("wrong", "boundary", "seconds", "mebibytes")
            means[method] = [float(np.mean([getattr(r, name) for r in here])) for name in figures]
            *shown, memory = means[method]
            counts = f"{memory:.0f}", str(len(here))
            rows.append([MARKS[kind], method, *(f"{m:.2f}" for m in shown), *counts])
        mine, *others = means.values()
        if others and mine[0] > min(other[0] for other in others):
            missed.append(f"{MARKS[kind]}: {mine[0]:.2f} % wrong, another method has less")
    return rows, missed


def compare_marked(folder: Path, quick: bool) -> tuple[list[Marked], list[str]]:
    """Print the table; nothing where there are no photographs."""
    if not FOLDER.is_dir():
        print("The photographs with strokes are left out: there is no folder ../shared/data/marked.")
        return [], []
    records = run(folder / "marked.jsonl", 4 if quick else None)
    rows, missed = compare(records)
    columns = ("marks", "method", "wrong %", "boundary F", "CPU seconds", "MiB", "pictures")
    show_table("Photographs with strokes", columns, rows)
    return records, missed
