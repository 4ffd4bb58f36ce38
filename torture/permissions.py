"""Folders and files that may suddenly not be read or written: a sentence, and a later run that is whole."""

import os
import random
import shutil
import subprocess
from functools import partial
from pathlib import Path

from torture.attack import Attack
from torture.forked import survive
from torture.program import check_left, check_same, drawn_kind, end, fresh, start, usual, whole

NOBODY = 65534
"""Root may do everything, so that it attacks as somebody else."""
MODES = (0o000, 0o100, 0o400, 0o500, 0o444, 0o300)


def attempt(seed: int) -> None:
    """Take permissions away before or during a run; give them back, and run again."""
    rng = random.Random(seed)
    kind = drawn_kind(rng)
    usual(kind), whole(kind)
    folder = fresh()
    if os.geteuid() == 0:
        for path in (folder, folder / "tmp"):
            os.chown(path, NOBODY, NOBODY)
    survive(partial(_as_anybody, kind, folder, rng))
    shutil.rmtree(folder)


def _as_anybody(kind: str, folder: Path, rng: random.Random) -> None:
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    options = ["--masks", "masks"] if kind == "segment" else ["--report", "page.html", "--checkpoint", "run"]
    for name in rng.sample(("out.npz", "out.npy", "page.html", "run"), rng.randint(0, 2)):
        (folder / name).touch()  # an older file, and no checkpoint at all
    target = rng.choice([path for path in (folder, folder, *folder.iterdir()) if not path.is_symlink()])
    _hurt(kind, folder, target, rng, options)
    for path in (folder / "run", folder / "page.html"):
        path.unlink(missing_ok=True)
    shutil.rmtree(folder / "masks", ignore_errors=True)
    end(start(kind, folder, "out", *options), expected={0})
    check_same(folder, "out", kind)
    check_left(folder, "out.npz", "out.npy", "page.html", "run", "masks")


def _hurt(kind: str, folder: Path, target: Path, rng: random.Random, options: list[str]) -> None:
    """Run while a mode changes; it is given back when the run has ended."""
    before, mode = target.stat().st_mode, rng.choice(MODES)
    early = (lambda: target.chmod(mode)) if rng.random() < 0.5 else None
    process = start(kind, folder, "out", *options, before=early)
    try:
        process.wait(timeout=rng.uniform(0, usual(kind)[0]))
    except subprocess.TimeoutExpired:
        target.chmod(mode)
    try:
        end(process, {0, 2})
    finally:
        target.chmod(before)


ATTACK = Attack("permissions", "permissions taken away before and during a run", attempt, count=60)
