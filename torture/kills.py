"""SIGKILL at random moments; the run is begun again until it ends, and must end with the same bytes."""

import random
import shutil
import signal
import subprocess

from torture.attack import Attack, Lost
from torture.program import check_left, check_same, end, fresh, start


def attempt(seed: int) -> None:
    """Kill a run once or twice, then let it end."""
    rng = random.Random(seed)
    kind = rng.choice(("classify", "classify", "segment"))
    options = ["--checkpoint", "run"] if kind == "classify" else ["--masks", "masks"]
    folder = fresh()
    for _ in range(rng.randint(1, 2)):
        process = start(kind, folder, "out", *options)
        try:
            process.wait(timeout=rng.uniform(0.2, 6))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
        process.communicate()
        if process.returncode not in (0, -signal.SIGKILL):
            raise Lost(f"exit code {process.returncode}")
    end(start(kind, folder, "out", *options), expected={0})
    check_same(folder, "out", kind)
    check_left(folder, "out.npz", "out.npy", "run", "masks")
    shutil.rmtree(folder)


ATTACK = Attack(
    "kills", "SIGKILL of classify and segment, then resumed: the same bytes", attempt, share=8, most=100
)
