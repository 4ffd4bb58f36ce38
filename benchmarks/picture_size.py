"""Time and memory of segmenting colour pictures of growing size, each in a process of its own.

``python -m benchmarks.picture_size SIDE NOISE`` measures one picture and prints what it found as JSON.
"""

import json
import math
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import graphwell as gw
from graphwell.memory import peak_memory

SIDES = (500, 1000, 3464)
NOISES = (0.0, 0.1)
REPETITIONS = 2
MOST_MEMORY = {1.0: 0.5, 12.0: 3.0}
"""GiB beyond the picture, by megapixels."""
MOST_GROWTH = 1.15
"""CPU time per pixel of the largest picture, on one thread, as a multiple of that of the smallest.

Not the time on the clock: with other programs on the machine that varied by a factor of two between runs.
"""


def measure_apart(side: int, noise: float) -> dict[str, float]:
    """What `measure` finds in a fresh process, where the peak of memory is this picture's alone."""
    command = [sys.executable, "-m", "benchmarks.picture_size", str(side), str(noise)]
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


def color_picture(side: int, noise: float) -> tuple[Any, Any]:
    """The grey picture as an 8-bit colour picture, each channel with noise of its own."""
    grey, truth = gw.datasets.make_grey_image(side, side)
    channels = np.stack([grey, 1 - grey, grey**2], axis=2)
    channels = channels + np.random.default_rng(10).normal(0, noise, channels.shape)
    return np.round(255 * np.clip(channels, 0, 1)).astype(np.uint8), truth


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


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]), float(sys.argv[2]))))
