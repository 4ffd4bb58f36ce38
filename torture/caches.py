"""Folders for compiled loops that are damaged, full, or cannot be written."""

import os
import random
import resource
import shutil
import sys
import tempfile
from pathlib import Path

from torture.attack import Attack
from torture.program import check_same, end, fresh, start_anew


def attempt(seed: int) -> None:
    """Run with a bad folder for compiled loops."""
    rng = random.Random(seed)
    folder, cache = fresh(), Path(tempfile.mkdtemp(prefix="torture-"))
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    full = rng.random() < 0.5
    if not full:
        end(start_anew("segment", folder, "first", env=_with_path(environment)), expected={0})
        for path in cache.rglob("*.nb?"):
            if rng.random() < 0.7:
                path.write_bytes(path.read_bytes()[: rng.randint(0, 200)])
    limited = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))) if full else None
    process = start_anew("segment", folder, "out", env=_with_path(environment), preexec_fn=limited)
    end(process, expected={0})
    check_same(folder, "out", "segment")
    for left in (folder, cache):
        shutil.rmtree(left)


def _with_path(environment: dict[str, str]) -> dict[str, str]:
    return {**environment, "PYTHONPATH": os.pathsep.join(sys.path)}


ATTACK = Attack("caches", "damaged and full folders for compiled loops", attempt, count=4)
