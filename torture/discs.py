"""Discs that are full after so many bytes: one sentence that names the file, and nothing left."""

import random
import resource
import shutil

from torture.attack import Attack, Lost
from torture.program import check_left, end, fresh, start


def attempt(seed: int) -> None:
    """Let no file grow beyond a random size."""
    rng = random.Random(seed)
    kind, most = rng.choice(("classify", "segment")), int(10 ** rng.uniform(0, 5))
    folder = fresh()
    options = ["--report", "page.html", "--checkpoint", "run"] if kind == "classify" else ["--masks", "masks"]
    limited = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))  # noqa: E731
    process = start(kind, folder, "out", *options, preexec_fn=limited)
    said = end(process, {0, 2})
    if process.returncode == 2:
        if not any(name in said for name in ("out.n", "page.html", "run", "mask")):
            raise Lost(f"the sentence names no file: {said}")
        check_left(folder, "run")
    shutil.rmtree(folder)


ATTACK = Attack("discs", "files that cannot grow beyond 1 to 100,000 bytes", attempt, share=4, most=50)
