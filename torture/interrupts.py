"""SIGINT and SIGTERM at random moments: 130 or 143, one sentence, and no file."""

import random
import shutil
import signal
import subprocess

from torture.attack import Attack, Lost
from torture.program import check_left, end, fresh, start


def attempt(seed: int) -> None:
    """Interrupt a run."""
    rng = random.Random(seed)
    kind, sent = rng.choice(("classify", "segment")), rng.choice((signal.SIGINT, signal.SIGTERM))
    options = ["--report", "page.html"] if kind == "classify" else ["--masks", "masks"]
    folder = fresh()
    process = start(kind, folder, "out", *options)
    try:
        process.wait(timeout=rng.uniform(0.5, 5))
    except subprocess.TimeoutExpired:
        process.send_signal(sent)
    early = {-signal.SIGTERM} if sent is signal.SIGTERM else set()  # before Python has begun
    said = end(process, {0, 130, 143, *early})
    if process.returncode != 0:
        check_left(folder)
    elif not ((folder / "out.npz").exists() or (folder / "out.npy").exists()):
        raise Lost(f"exit code 0 and no output: {said}")
    shutil.rmtree(folder)


ATTACK = Attack("interrupts", "SIGINT and SIGTERM: 130 or 143, no file left", attempt, share=6, most=100)
