"""SIGINT and SIGTERM at random moments: 130 or 143, one sentence, and no file."""

import random
import shutil
import signal

from torture.attack import Attack, Lost
from torture.program import ENDINGS, check_left, drawn_kind, end, fresh, hurt


def attempt(seed: int) -> None:
    """Interrupt a run."""
    rng = random.Random(seed)
    kind, sent = drawn_kind(rng), rng.choice((signal.SIGINT, signal.SIGTERM))
    options = ["--masks", "masks"] if kind == "segment" else ["--report", "page.html"]
    folder = fresh()
    process = hurt(kind, folder, sent, rng, *options)
    early = {-signal.SIGTERM} if sent is signal.SIGTERM else set()  # before the command has begun
    said = end(process, {0, 130 if sent is signal.SIGINT else 143, *early})
    if process.returncode != 0:
        check_left(folder)
    elif not (folder / f"out{ENDINGS[kind]}").exists():
        raise Lost(f"exit code 0 and no output: {said}")
    shutil.rmtree(folder)


ATTACK = Attack("interrupts", "SIGINT and SIGTERM: 130 or 143, no file left", attempt, count=100)
