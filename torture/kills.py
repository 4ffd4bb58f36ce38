"""SIGKILL at random moments; the run is begun again until it ends, and must end with the same bytes."""

import random
import shutil
import signal

from torture.attack import Attack
from torture.program import check_left, check_same, drawn_kind, end, fresh, hurt, start


def attempt(seed: int) -> None:
    """Kill a run once or twice, then let it end."""
    rng = random.Random(seed)
    kind = drawn_kind(rng)
    options = ["--masks", "masks"] if kind == "segment" else ["--checkpoint", "run"]
    folder = fresh()
    for _ in range(rng.randint(1, 2)):
        end(hurt(kind, folder, signal.SIGKILL, rng, *options), expected={0, -signal.SIGKILL})
    end(start(kind, folder, "out", *options), expected={0})
    check_same(folder, "out", kind)
    check_left(folder, "out.npz", "out.npy", "run", "masks")
    shutil.rmtree(folder)


ATTACK = Attack("kills", "SIGKILL of classify and segment, then resumed: the same bytes", attempt, count=100)
