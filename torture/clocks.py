"""Clocks that jump: by hours, years and centuries, backwards too; the bytes stay those of a whole run."""

import os
import random
import shutil
import time
from collections.abc import Callable

from torture.attack import Attack
from torture.program import check_left, check_same, drawn_kind, end, fresh, start

JUMPS = (-1e10, -4e9, -1e9, -86400.0, -1.0, 0.0, 1.0, 3600.0, 1e9, 7e9, 1e11)
WALL = ("time", "perf_counter", "monotonic")


def attempt(seed: int) -> None:
    """Run with clocks that jump, and with bars, which tell the time left."""
    rng = random.Random(seed)
    kind, folder = drawn_kind(rng), fresh()
    options = ["--masks", "masks"] if kind == "segment" else ["--report", "page.html", "--checkpoint", "run"]
    end(start(kind, folder, "out", *options, before=lambda: _jump(rng)), expected={0})
    check_same(folder, "out", kind)
    check_left(folder, "out.npz", "out.npy", "page.html", "run", "masks")
    shutil.rmtree(folder)


def _jump(rng: random.Random) -> None:
    import rich.console
    import rich.progress

    os.environ["FORCE_COLOR"] = "1"  # a terminal, as far as the bars know
    time.time = _jumping(time.time, rng, JUMPS)
    time.perf_counter = _jumping(time.perf_counter, rng, JUMPS)
    time.monotonic = _jumping(time.monotonic, rng, [jump for jump in JUMPS if jump >= 0])
    rich.console.monotonic = rich.progress.monotonic = time.monotonic  # type: ignore[attr-defined]


def _jumping(
    clock: Callable[[], float], rng: random.Random, jumps: "tuple[float, ...] | list[float]"
) -> Callable[[], float]:
    """The same clock, set anew now and then."""
    offset = rng.choice(jumps)

    def told() -> float:
        nonlocal offset
        if rng.random() < 0.2:
            offset = rng.choice(jumps)
        return clock() + offset

    return told


ATTACK = Attack("clocks", "clocks that jump by seconds to centuries", attempt, count=60)
