"""How good and how fast pictures are labelled; ``--data`` picks pictures by name, or parts.

- grey, coins, camera, astronaut: wrong pixels beside scikit-image's random_walker on the same seeds, which is
  run with beta 130 (its default) and 1000; the better one for the case counts. The settings of graphwell
  were chosen on other seed sets (0, 100 and 101) than those used here.
- strokes: what a further stroke costs beside the first call, and how far its labels are from those of a
  fresh run. Seconds are those of the processor, on one thread.
- sizes: time and memory of colour pictures of growing size, each in a process of its own:
  ``python -m benchmarks.segmentation SIDE NOISE`` measures one and prints what it found as JSON.
- marked: photographs with real strokes, beside GrabCut, watershed and random_walker.
- unmarked: regions that nobody marked, beside the nearest mean colour of the marks. Constants were chosen on
  even seeds; odd ones count.
"""

import ctypes
import gc
import json
import math
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import ndimage

import graphwell as gw
from benchmarks import pictures
from benchmarks.output import Options, on_one_thread, resumed, show_frame, show_table, write_json
from benchmarks.pictures import MARGIN, PHOTOGRAPHS, anywhere, color_picture, per_class, photograph
from graphwell.memory import peak_memory
from graphwell.segmentation.drawing import borders
from graphwell.segmentation.features import picture_features

Found = tuple[list[dict[str, Any]], list[str]]
"""Records, and a sentence for each bar that was missed."""
NOISES = (0.0, 0.05, 0.1, 0.15, 0.2)
SEED_SETS = (10, 11, 12, 13, 14)
BETAS = (130, 1000)
OURS = "graphwell"
MOST_OF_A_FIRST_CALL = 0.08
SIDES, NOISES_OF_SIDES, REPETITIONS = (500, 1000, 3464), (0.0, 0.1), 2
MOST_MEMORY = {1.0: 0.5, 12.0: 3.0}
"""GiB beyond the picture, by megapixels."""
MOST_GROWTH = 1.15
"""CPU time per pixel of the largest picture, on one thread, as a multiple of that of the smallest.

Not the time on the clock: with other programs on the machine that varied by a factor of two between runs.
"""
REACH = 2
"""Pixels by which a boundary may lie beside the true one."""
ROUNDS = 5
UNMARKED_SEEDS, BLURS = (1, 3, 5, 7, 9), (1.0, 2.0)


@dataclass(frozen=True)
class Case:
    """A picture and a rule for its seeds."""

    picture: str
    seeds: str
    image_of: Callable[[int], tuple[Any, Any]]
    seeds_of: Callable[[Any, int], Any]


def main(options: Options) -> None:
    """Measure the parts, say which bars were missed, and write segmentation.json."""
    parts: dict[str, Callable[[Options], Found]] = {
        "strokes": compare_strokes, "sizes": compare_sizes, "marked": compare_marked,
        "unmarked": compare_unmarked,
    }  # fmt: skip
    found = {"records": compare_pictures(options)}
    found |= {name: part(options) for name, part in parts.items() if name in (options.data or parts)}
    missed = [line for _, lines in found.values() for line in lines]
    if any(records for records, _ in found.values()):
        print("\n".join(f"Missed: {line}" for line in missed) or "All bars met.")
        content = {name: records for name, (records, _) in found.items()}
        write_json(options.out / "segmentation.json", {**content, "missed": missed})


def cases(names: Any = None) -> list[Case]:
    """All cases, or those of some pictures."""
    found = []
    for noise in NOISES:
        for name, rule in (("1,500 anywhere", anywhere(1500)), ("20 per class", per_class(20))):

            def grey(seed_set: int, noise: float = noise) -> tuple[Any, Any]:
                return gw.datasets.make_grey_image(noise=noise, random_state=seed_set)

            found.append(Case(f"grey {noise:g}", name, grey, rule))
    for picture in PHOTOGRAPHS:
        for n in (20, 200):

            def photo(seed_set: int, picture: str = picture) -> tuple[Any, Any]:
                return photograph(picture)

            found.append(Case(picture, f"{n} per class", photo, per_class(n, MARGIN)))
    return [case for case in found if not names or case.picture.split()[0] in names]


def run(case: Case, seed_set: int) -> list[dict[str, Any]]:
    """Wrong pixels and seconds of each method on one seed set."""
    image, truth = case.image_of(seed_set)
    seeds = case.seeds_of(truth, seed_set)
    methods: dict[str, Callable[[], Any]] = {OURS: partial(gw.segment, image, seeds)}
    axis = -1 if image.ndim == 3 else None
    for beta in BETAS:
        methods[f"random_walker {beta}"] = partial(random_walker, image, seeds, beta, axis)
    records = []
    for method, label in methods.items():
        began = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            labels = label()
        seconds = time.perf_counter() - began
        record = {"picture": case.picture, "seeds": case.seeds, "seed_set": seed_set, "method": method}
        records.append({**record, "wrong": int((labels != truth).sum()), "seconds": seconds})
    return records


def random_walker(image: Any, marks: Any, beta: float = 1000, axis: int | None = -1) -> Any:
    """scikit-image's; a beta of 1000 is better on photographs."""
    from skimage.segmentation import random_walker
    from skimage.util import img_as_float

    return random_walker(img_as_float(image), marks + 1, beta=beta, mode="cg_j", channel_axis=axis) - 1


def compare(records: list[dict[str, Any]]) -> tuple[list[list[str]], list[str]]:
    """A line per case, and the bars that were missed."""
    rows, missed = [], []
    for (picture, seeds), here in pd.DataFrame(records).groupby(["picture", "seeds"], sort=False):
        means = here.groupby("method", sort=False)[["wrong", "seconds"]].mean()
        best = means.drop(OURS).wrong.idxmin()
        mine, theirs = means.wrong[OURS], means.wrong[best]
        bar = allowed(picture, theirs)
        if mine > bar:
            missed.append(f"{picture}, {seeds}: {mine:.1f} wrong pixels, {bar:.1f} allowed")
        ours = here[here.method == OURS].wrong
        spread = f"{ours.min():,} to {ours.max():,}"
        seconds = [f"{means.seconds[method]:.2f}" for method in (OURS, best)]
        shown = [f"{mine:,.1f}", spread, f"{theirs:,.1f}", best.split()[1], f"{bar:,.1f}", *seconds]
        rows.append([f"{picture}, {seeds}", *shown])
    return rows, missed


def allowed(picture: str, theirs: float) -> float:
    """Nothing wrong without noise, half of random_walker's from noise 0.1 on, and never more than its."""
    name, *noise = picture.split()
    if name != "grey":
        return theirs
    return 0.0 if float(noise[0]) == 0 else theirs / 2 if float(noise[0]) >= 0.1 else theirs


def compare_pictures(options: Options) -> Found:
    """All cases beside random_walker; none without scikit-image."""
    records: list[dict[str, Any]] = []
    wanted = cases(options.data)
    if wanted and find_spec("skimage") is None:
        print('The pictures are left out: scikit-image is not installed; use pip install "graphwell[bench]".')
        wanted = []
    for case in wanted:
        for seed_set in SEED_SETS[: 2 if options.quick else None]:
            records += run(case, seed_set)
        print(*compare(records)[0][-1], sep=" | ", flush=True)
    if not records:
        return [], []
    rows, missed = compare(records)
    columns = ("wrong pixels", OURS, "range", "random_walker", "its beta", "bar", "seconds", "its seconds")
    show_table("Segmentation", columns, rows)
    return records, missed


def compare_strokes(options: Options) -> Found:
    """What strokes cost on grey pictures, and on photographs in the mean."""
    costs = [
        stroke_cost(f"grey, noise {noise:g}", *pictures.grey_strokes(noise), 2 if options.quick else 5)
        for noise in NOISES_OF_SIDES
    ]
    shown = pd.DataFrame(costs).set_index("picture")
    real = list(pictures.photographs_with_a_stroke_left_out())[: 2 if options.quick else None]
    if real:
        costs += [stroke_cost(*one, repetitions=2) for one in real]
        photographs = pd.DataFrame(costs[len(shown) :]).set_index("picture")
        shown.loc["photographs, mean"] = photographs.mean()
    shown.insert(2, "share", shown["stroke"] / shown["first"])
    show_frame("A further stroke: CPU seconds, and pixels unlike a fresh run", shown, 3)
    slow = shown.share[shown.share > MOST_OF_A_FIRST_CALL]
    return costs, [f"{name}: a stroke took {share:.2f} of a first call" for name, share in slow.items()]


def stroke_cost(name: str, image: Any, without: Any, marks: Any, repetitions: int) -> dict[str, Any]:
    """Least seconds of some repetitions, and pixels that are unlike those of a fresh run."""
    seconds = []
    for _ in range(repetitions):
        began = time.process_time()
        segmenter = gw.Segmenter(image, n_jobs=1)
        segmenter.segment(without)
        done = time.process_time()
        after = segmenter.segment(marks)
        seconds.append((done - began, time.process_time() - done))
    fresh = gw.Segmenter(image, n_jobs=1).segment(marks)
    first, stroke = np.min(seconds, axis=0).tolist()
    unlike = int((after.labels != fresh.labels).sum())
    return {"picture": name, "first": first, "stroke": stroke, "unlike": unlike}


def compare_sizes(options: Options) -> Found:
    """Growing pictures, their time and memory."""
    sizes = [
        measure_apart(side, noise)
        for noise in NOISES_OF_SIDES[: 1 if options.quick else None]
        for side in SIDES
    ]
    lines = [[f"{size['megapixels']:.2f}", *(f"{size[k]:.3g}" for k in list(size)[1:])] for size in sizes]
    show_table("Colour pictures of growing size", list(sizes[0]), lines)
    return sizes, missed_bars(sizes)


def measure_apart(side: int, noise: float) -> dict[str, float]:
    """What `measure` finds in a fresh process, where the peak of memory is this picture's alone."""
    command = [sys.executable, "-m", "benchmarks.segmentation", str(side), str(noise)]
    finished = subprocess.run(
        command, check=True, stdout=subprocess.PIPE, cwd=Path(__file__).parent.parent, timeout=600
    )
    return json.loads(finished.stdout)


def measure(side: int, noise: float) -> dict[str, float]:
    """Segment a square colour picture from 20 seeds per class; least seconds, peak of memory beyond it."""
    image, truth = color_picture(side, noise)
    seeds = gw.datasets.sample_labels(truth.ravel(), 20, random_state=10).reshape(truth.shape)
    small, small_truth = color_picture(32, noise)
    gw.Segmenter(small).segment(np.where(np.arange(32) % 4 == 0, small_truth, -1))  # imports, compiled loops
    seconds = []
    with peak_memory() as peak:
        for _ in range(REPETITIONS):
            began = time.perf_counter()
            found = gw.Segmenter(image).segment(seeds)
            seconds.append(time.perf_counter() - began)
    began = time.process_time()
    gw.Segmenter(image, n_jobs=1).segment(seeds)
    alone = time.process_time() - began
    return {
        "megapixels": side * side / 1e6,
        "noise": noise,
        "seconds": min(seconds),
        "CPU seconds": alone,
        "GiB": math.nan if (taken := peak()) is None else taken / 2**30,
        "wrong pixels": int((found.labels != truth).sum()),
    }


def missed_bars(found: Sequence[dict[str, float]]) -> list[str]:
    """What is said of a picture that took too much memory, or too long for its size."""
    missed = [
        f"{f['megapixels']:.2f} megapixels with noise {f['noise']:g} took {f['GiB']:.2f} GiB"
        for f in found
        if f["GiB"] > MOST_MEMORY.get(round(f["megapixels"], 1), np.inf)
    ]
    for noise in dict.fromkeys(f["noise"] for f in found):
        sizes = [f for f in found if f["noise"] == noise]
        small, large = (s["CPU seconds"] / s["megapixels"] for s in (sizes[0], sizes[-1]))
        if large > MOST_GROWTH * small:
            missed.append(
                f"noise {noise:g}: a pixel of the largest picture took {large / small:.2f} times as long"
            )
    return missed


@dataclass(frozen=True)
class Marked:
    """One method on one photograph and one set of marks."""

    picture: str
    marks: str
    method: str


def compare_marked(options: Options) -> Found:
    """Photographs with strokes; what is measured is kept, so that a run that was ended goes on there."""
    if not pictures.FOLDER.is_dir():
        print("The photographs with strokes are left out: there is no folder ../shared/data/marked.")
        return [], []
    given = {(name, kind): rest for name, kind, *rest in pictures.photographs()}
    jobs = [
        Marked(name, kind, method)
        for name, kind in list(given)[: 4 if options.quick else None]
        for method in methods(kind)
    ]
    warm_up()

    def measure(job: Marked) -> dict[str, Any]:
        picture, marks, truth = given[job.picture, job.marks]
        label = partial(methods(job.marks)[job.method], picture, marks)
        return {**asdict(job), **measured(label, truth)}

    kept = resumed(options.out / "marked.jsonl", measure, jobs)
    records = [record for record in kept if Marked(*list(record.values())[:3]) in jobs]
    rows, missed = against_others(records)
    columns = ("marks", "method", "wrong %", "boundary F", "CPU seconds", "MiB", "pictures")
    show_table("Photographs with strokes", columns, rows)
    return records, missed


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


def boundary_score(labels: Any, truth: Any) -> float:
    """F of the boundaries, where those within two pixels of each other match, in per cent."""
    nearest = ndimage.distance_transform_edt(truth < 0, return_distances=False, return_indices=True)
    found, true = borders(labels), borders(truth[tuple(nearest)])
    if not (found.any() and true.any()):
        return 0.0
    precision = (ndimage.distance_transform_edt(~true)[found] <= REACH).mean()
    recall = (ndimage.distance_transform_edt(~found)[true] <= REACH).mean()
    return float(200 * precision * recall / max(precision + recall, 1e-12))


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


@on_one_thread()
def measured(label: Callable[[], Any], truth: Any) -> dict[str, float]:
    """Wrong pixels and boundary in per cent, CPU seconds on one thread, and the most memory taken in MiB."""
    give_back_memory()
    began = time.process_time()
    with peak_memory() as peak:
        labels = label()
    seconds, known = time.process_time() - began, truth >= 0
    wrong = 100 * float((labels[known] != truth[known]).mean())
    score = boundary_score(labels, truth)
    return {"wrong": wrong, "boundary": score, "seconds": seconds, "mebibytes": (peak() or 0) / 2**20}


def against_others(records: list[dict[str, Any]]) -> tuple[list[list[str]], list[str]]:
    """A line per kind of marks and method, and what is not below the best of the others."""
    rows, missed = [], []
    for kind, here in pd.DataFrame(records).groupby("marks", sort=False):
        means = here.groupby("method", sort=False)[["wrong", "boundary", "seconds", "mebibytes"]].mean()
        for (method, mean), n in zip(means.iterrows(), here.method.value_counts(sort=False), strict=True):
            *shown, memory = mean
            rows.append([pictures.MARKS[kind], method, *(f"{m:.2f}" for m in shown), f"{memory:.0f}", str(n)])
        if means.wrong[OURS] > means.wrong.min():
            missed.append(f"{pictures.MARKS[kind]}: {means.wrong[OURS]:.2f} % wrong, another method has less")
    return rows, missed


def compare_unmarked(options: Options) -> Found:
    """Wrong per cent by kind of picture, and the kinds on which the nearest mean is better."""
    methods: dict[str, Callable[[Any, Any], Any]] = {OURS: partial(gw.segment, n_jobs=1)}
    methods |= {f"nearest mean, blur {blur:g}": partial(nearest_mean, blur=blur) for blur in BLURS}
    records = []
    for number, kind in enumerate(pictures.KINDS):
        for seed in UNMARKED_SEEDS[: 2 if options.quick else None]:
            image, marks, truth = kind(np.random.default_rng((number, seed)))
            wrong = {
                name: 100 * float((label(image, marks) != truth).mean()) for name, label in methods.items()
            }
            records.append({"kind": kind.__name__, "seed": seed, **wrong})
    means = pd.DataFrame(records).groupby("kind", sort=False)[list(methods)].mean()
    show_frame("Regions without a mark, wrong %", means)
    lost = means.index[means[OURS] > means.min(axis=1)]
    return records, [f"{kind}: the nearest mean of the marks' colours is better" for kind in lost]


def nearest_mean(image: Any, marks: Any, blur: float) -> Any:
    """The class whose marks have the nearest mean colour, after a blur."""
    values = picture_features(image).values
    values = ndimage.gaussian_filter(values, (blur, blur, 0))
    classes = np.unique(marks[marks >= 0])
    off = [((values - values[marks == k].mean(axis=0)) ** 2).sum(axis=-1) for k in classes]
    return classes[np.argmin(off, axis=0)]


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]), float(sys.argv[2]))))
