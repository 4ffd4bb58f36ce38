"""How good and how fast pictures are labelled; ``--data`` picks pictures by name, or parts.

- grey, coins, camera, astronaut: wrong pixels beside scikit-image's random_walker on the same seeds, which is
  run with beta 130 (its default) and 1000; the better one for the row counts. The settings of graphwell were
  chosen on other seed sets (0, 100 and 101) than those used here.
- marked: photographs with real strokes, beside GrabCut, watershed and random_walker. They lie in
  ``../shared/data/marked`` and belong to their owners: ``NAME.jpg`` has marks (``NAME_sparse.png``,
  ``NAME_dense.png`` or ``NAME_marks.png``) and ``NAME_truth.png``; 255 is unknown. Weights were chosen on
  pictures at even places of the sorted list; those at odd ones count. Figures are kept in marked.jsonl.
- strokes: what a further stroke costs beside the first call, and how far its labels are from those of a
  fresh run. Seconds are those of the processor, on one thread.
- sizes: time and memory of colour pictures of growing size, each in a process of its own.

Truths are made by rule. Coins, after scikit-image's user guide: watershed on the Sobel gradient from pixels
darker than 30 (ground) and brighter than 150 (coin); holes filled, parts of up to 100 pixels left out. The
photographer: blur by one pixel, take what is darker than 64, open it with a disc of two pixels. The orange
suit of the astronaut, with the red of the flag behind it: blur by one pixel, take where red exceeds blue by
0.2, close it with a disc of two pixels. Of both the largest part is kept and its holes are filled. Seeds of
photographs keep three pixels away from the border of the truth, as a user's would.
"""

import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import ndimage

import graphwell as gw
from benchmarks.data import SHARED
from benchmarks.output import Figure, Options, peak_memory, report, resumed, show_frame
from benchmarks.processes import answer_of
from graphwell.datasets.strokes import strokes
from graphwell.segmentation.narrow_band import near_borders

OURS = "graphwell"
NOISES, SEED_SETS, MARGIN = (0.0, 0.05, 0.1, 0.15, 0.2), (10, 11, 12, 13, 14), 3
PHOTOGRAPHS = ("coins", "camera", "astronaut")
BETAS = (130, 1000)
MOST_OF_A_FIRST_CALL = 0.08
SIDES, MOST_MEMORY = (500, 1000, 3464), {1000: 0.5, 3464: 3.0}
"""GiB beyond the picture, by its side."""
MOST_GROWTH = 1.15
"""CPU time per pixel of the largest picture, on one thread, as a multiple of that of the smallest.

Not the time on the clock: with other programs on the machine that varied by a factor of two between runs.
"""
MARKED = SHARED / "marked"
MARKS = {"sparse": "object, sparse strokes", "dense": "object, denser strokes", "marks": "many classes"}
REACH = 2
"""Pixels by which a boundary may lie beside the true one."""
Methods = dict[str, Callable[[Any, Any], Any]]


def main(options: Options) -> None:
    """Measure the parts, and write segmentation.json."""
    figures = pictures(options)
    parts = {"strokes": further_strokes, "sizes": sizes, "marked": marked}
    for name, part in parts.items():
        if name in (options.data or parts):
            figures += part(options)
    if figures:
        report("segmentation", "Segmentation", figures, options)


@cache
def photograph(name: str) -> tuple[Any, Any]:
    """A picture of scikit-image, and the class of each of its pixels."""
    from skimage import data, filters, morphology, segmentation

    image = getattr(data, name)()
    if name == "coins":
        markers = np.where(image < 30, 1, np.where(image > 150, 2, 0))
        coins = segmentation.watershed(filters.sobel(image), markers) == 2
        truth = ndimage.binary_fill_holes(coins)
        return image, morphology.remove_small_objects(truth, max_size=100).astype(int)
    blurred = ndimage.gaussian_filter(image / 255.0, (1, 1, 0)[: image.ndim])
    if name == "camera":
        part = morphology.opening(blurred < 64 / 255, morphology.disk(2))
    else:
        part = morphology.closing(blurred[..., 0] - blurred[..., 2] > 0.2, morphology.disk(2))
    numbers, _ = ndimage.label(part)
    largest = numbers == 1 + np.bincount(numbers[numbers > 0] - 1).argmax()
    return image, ndimage.binary_fill_holes(largest).astype(int)


def seeds_of(truth: Any, n: int, seed_set: int, margin: int = 0, per_class: bool = True) -> Any:
    """So many seeds at random pixels, of each class or anywhere, away from the borders of classes."""
    found = np.full(truth.size, -1)
    if not per_class:
        chosen = np.random.default_rng(seed_set).choice(truth.size, n, replace=False)
        found[chosen] = truth.ravel()[chosen]
        return found.reshape(truth.shape)
    inside = np.full(truth.shape, -1)
    for c in np.unique(truth):
        part = truth == c
        if margin:
            part = ndimage.binary_erosion(part, iterations=margin, border_value=1)
        inside[part] = c
    allowed = np.flatnonzero(inside >= 0)
    found[allowed] = gw.datasets.sample_labels(inside.ravel()[allowed], n, seed_set)
    return found.reshape(truth.shape)


def random_walker(image: Any, marks: Any, beta: float = 1000) -> Any:
    """scikit-image's; a beta of 1000 is better on photographs."""
    from skimage.segmentation import random_walker
    from skimage.util import img_as_float

    axis = -1 if image.ndim == 3 else None
    return random_walker(img_as_float(image), marks + 1, beta=beta, mode="cg_j", channel_axis=axis) - 1


def pictures(options: Options) -> list[Figure]:
    """Mean number of wrong pixels on the same seeds as random_walker; none without scikit-image."""
    cases = [(f"grey {noise:g}", n, one) for noise in NOISES for n, one in ((1500, False), (20, True))]
    cases += [(picture, n, True) for picture in PHOTOGRAPHS for n in (20, 200)]
    wanted = [case for case in cases if not options.data or case[0].split()[0] in options.data]
    if wanted and find_spec("skimage") is None:
        print('The pictures are left out: scikit-image is not installed; use pip install "graphwell[bench]".')
        return []
    methods: Methods = {OURS: gw.segment}
    methods |= {f"random_walker {beta}": partial(random_walker, beta=beta) for beta in BETAS}
    wrong: dict[str, dict[str, float]] = {}
    for picture, n, per_class in wanted:
        name, *noise = picture.split()
        counts = []
        for seed_set in SEED_SETS[: 2 if options.quick else None]:
            if noise:
                image, truth = gw.datasets.make_grey_image(noise=float(noise[0]), random_state=seed_set)
            else:
                image, truth = photograph(name)
            seeds = seeds_of(truth, n, seed_set, 0 if noise else MARGIN, per_class)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                counts.append([int((label(image, seeds) != truth).sum()) for label in methods.values()])
        row = f"{picture}, {n} {'per class' if per_class else 'anywhere'}"
        wrong[row] = dict(zip(methods, np.mean(counts, axis=0), strict=True))
        print(f"{row}: {wrong[row][OURS]:,.0f} wrong pixels", flush=True)
    return against_others(pd.DataFrame(wrong).T, unit="pixels")


def color_picture(side: int, noise: float) -> tuple[Any, Any]:
    """The grey picture as an 8-bit colour picture, each channel with noise of its own."""
    grey, truth = gw.datasets.make_grey_image(side, side)
    channels = np.stack([grey, 1 - grey, grey**2], axis=2)
    channels = channels + np.random.default_rng(10).normal(0, noise, channels.shape)
    return np.round(255 * np.clip(channels, 0, 1)).astype(np.uint8), truth


def grey_strokes(noise: float, side: int = 512) -> tuple[Any, Any, Any]:
    """A picture, its marks with one stroke nearly left out, and all of them."""
    image, truth = gw.datasets.make_grey_image(side, side, noise=noise, random_state=10)
    seeds = strokes(truth, length=25)
    without = seeds.copy()
    row = np.flatnonzero((seeds == 1).any(axis=1))[0]
    without[row] = np.where(seeds[row] == 1, -1, seeds[row])
    without[side - 40, side // 2 : side // 2 + 5] = 1  # a first, smaller stroke
    return image, without, np.where(seeds >= 0, seeds, without)


def photographs() -> Iterator[tuple[str, str, Any, Any, Any]]:
    """Name, kind of marks, picture, marks and truth of what no weight was chosen on."""
    from PIL import Image

    def classes(path: Path) -> Any:
        numbers = np.asarray(Image.open(path)).astype(int)
        return np.where(numbers == 255, -1, numbers)

    for path in sorted(MARKED.glob("*.jpg"))[1::2]:
        picture, truth = np.asarray(Image.open(path).convert("RGB")), path.with_name(f"{path.stem}_truth.png")
        for kind in MARKS:
            marks = path.with_name(f"{path.stem}_{kind}.png")
            if marks.exists():
                yield path.stem, kind, picture, classes(marks), classes(truth)


def stroke_cost(image: Any, without: Any, marks: Any, repetitions: int = 2) -> tuple[float, float, int]:
    """Least CPU seconds of a first call and of a stroke; pixels that are unlike those of a fresh run."""
    seconds = []
    for _ in range(repetitions):
        began = time.process_time()
        segmenter = gw.Segmenter(image, n_jobs=1)
        segmenter.segment(without)
        done = time.process_time()
        after = segmenter.segment(marks)
        seconds.append((done - began, time.process_time() - done))
    first, stroke = np.min(seconds, axis=0).tolist()
    fresh = gw.Segmenter(image, n_jobs=1).segment(marks)
    return first, stroke, int((after.labels != fresh.labels).sum())


def further_strokes(options: Options) -> list[Figure]:
    """A stroke in shares of the first call, on grey pictures and on photographs in the mean."""
    few = 2 if options.quick else None
    costs = {f"grey, noise {noise:g}": [stroke_cost(*grey_strokes(noise), few or 5)] for noise in (0.0, 0.1)}
    figures = []
    for name, found in costs.items():
        first, stroke, unlike = np.mean(found, axis=0)
        note = f"{stroke:.3f} of {first:.3f} CPU s; {unlike:,.0f} pixels unlike a fresh run"
        figures.append(
            Figure(f"{name}: a stroke", [stroke / first], MOST_OF_A_FIRST_CALL, "first calls", note)
        )
    return figures


def sizes(options: Options) -> list[Figure]:
    """Growing pictures, their time and memory, each in a fresh process."""
    figures = []
    for noise in (0.0, 0.1)[: 1 if options.quick else None]:
        per_pixel = []
        for side in SIDES:
            found = answer_of("-m", "benchmarks.segmentation", str(side), str(noise))
            per_pixel.append(found["CPU seconds"] / side**2)
            note = "; ".join(f"{what}: {value:.3g}" for what, value in found.items())
            what = f"{side} x {side}, noise {noise:g}: memory"
            figures.append(Figure(what, [found["GiB"]], MOST_MEMORY.get(side), "GiB", note))
        growth = [per_pixel[-1] / per_pixel[0]]
        figures.append(Figure(f"noise {noise:g}: time per pixel, largest to smallest", growth, MOST_GROWTH))
    return figures


def measure(side: int, noise: float) -> dict[str, float]:
    """Segment a square colour picture from 20 seeds per class; least seconds, peak of memory beyond it."""
    image, truth = color_picture(side, noise)
    seeds = seeds_of(truth, 20, 10)
    small, small_truth = color_picture(32, noise)
    gw.Segmenter(small).segment(np.where(np.arange(32) % 4 == 0, small_truth, -1))  # imports, compiled loops
    with peak_memory() as peak:
        began = time.perf_counter()
        found = gw.Segmenter(image).segment(seeds)
        seconds = time.perf_counter() - began
    began = time.process_time()
    gw.Segmenter(image, n_jobs=1).segment(seeds)
    alone, wrong = time.process_time() - began, int((found.labels != truth).sum())
    return {"seconds": seconds, "CPU seconds": alone, "GiB": (peak() or 0) / 2**30, "wrong pixels": wrong}


def marked(options: Options) -> list[Figure]:
    """Photographs with strokes, beside what is installed; GrabCut knows an object and its ground alone."""
    if not MARKED.is_dir():
        print("The photographs with strokes are left out: there is no folder ../shared/data/marked.")
        return []
    methods: Methods = {OURS: partial(gw.segment, n_jobs=1)}
    methods |= {"GrabCut": grab_cut} if find_spec("cv2") else {}
    methods |= {"watershed": watershed, "random_walker": random_walker} if find_spec("skimage") else {}
    given = {(name, kind): rest for name, kind, *rest in photographs()}
    jobs = [
        {"picture": name, "marks": kind, "method": method}
        for name, kind in list(given)[: 4 if options.quick else None]
        for method in methods
        if (method, kind) != ("GrabCut", "marks")
    ]
    small, ends = np.zeros((32, 32, 3), dtype=np.uint8), np.full((32, 32), -1)
    small += np.arange(32, dtype=np.uint8)[:, None]
    ends[:, 0], ends[:, -1] = 0, 1
    for label in methods.values():
        label(small, ends)  # imports, compiled loops

    def measured(picture: str, marks: str, method: str) -> dict[str, Any]:
        image, seeds, truth = given[picture, marks]
        began, known = time.process_time(), truth >= 0
        labels = methods[method](image, seeds)
        seconds = time.process_time() - began
        wrong = 100 * float((labels[known] != truth[known]).mean())
        return {"wrong": wrong, "boundary": boundary_score(labels, truth), "seconds": seconds}

    records = resumed("marked", measured, jobs, replace(options, processes=1))
    means = records.groupby(["marks", "method"], sort=False)[["wrong", "boundary", "seconds"]].mean()
    show_frame("Photographs with strokes", means)
    return against_others(means.wrong.unstack(), MARKS)


def against_others(wrong: pd.DataFrame, names: dict[str, str] | None = None, unit: str = "%") -> list[Figure]:
    """What is wrong of ours, by kind of picture; the bar is the best of the others, where there are any."""
    figures = []
    for kind, row in wrong.iterrows():
        others = row.drop(OURS).dropna()
        best = others.idxmin() if len(others) else None
        note = f"the bar is that of {best}" if best else ""
        what = f"{(names or {}).get(kind, kind)}: wrong"
        figures.append(Figure(what, [row[OURS]], others.get(best), unit, note))
    return figures


def grab_cut(picture: Any, marks: Any) -> Any:
    """OpenCV's, five rounds from colour models of the marks; unmarked pixels are probable ground."""
    import cv2

    cv2.setRNGSeed(0)
    cv2.setNumThreads(1)
    mask = np.choose(marks + 1, (cv2.GC_PR_BGD, cv2.GC_BGD, cv2.GC_FGD)).astype(np.uint8)
    models = np.zeros((1, 65)), np.zeros((1, 65))
    cv2.grabCut(np.ascontiguousarray(picture), mask, (0, 0, 1, 1), *models, 5, cv2.GC_INIT_WITH_MASK)
    return np.isin(mask, (cv2.GC_FGD, cv2.GC_PR_FGD)).astype(int)


def watershed(picture: Any, marks: Any) -> Any:
    """scikit-image's, on the largest gradient of the channels."""
    from skimage import filters, segmentation

    gradient = np.max([filters.sobel(picture[..., c] / 255) for c in range(3)], axis=0)
    return segmentation.watershed(gradient, marks + 1) - 1


def boundary_score(labels: Any, truth: Any) -> float:
    """F of the boundaries, where those within two pixels of each other match, in per cent."""
    nearest = ndimage.distance_transform_edt(truth < 0, return_distances=False, return_indices=True)
    found, true = (near_borders(plane, 0, ndimage) for plane in (labels, truth[tuple(nearest)]))
    if not (found.any() and true.any()):
        return 0.0
    precision = (ndimage.distance_transform_edt(~true)[found] <= REACH).mean()
    recall = (ndimage.distance_transform_edt(~found)[true] <= REACH).mean()
    return float(200 * precision * recall / max(precision + recall, 1e-12))


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]), float(sys.argv[2]))))
