"""Discs that are full after so many bytes or files: one sentence that names the file, and nothing left."""

import ctypes
import os
import random
import resource
import shutil
from functools import partial
from pathlib import Path

from torture.attack import Attack, Lost, NotPossibleHere
from torture.forked import survive
from torture.program import check_left, drawn_kind, end, fresh, furnish, source, start, usual

NEW_MOUNTS, NEW_USER, PRIVATE = 0x20000, 0x10000000, 0x44000
"""Numbers of Linux: mounts and a user of one's own, and mounts that nobody else sees."""


def attempt(seed: int) -> None:
    """Let no file grow beyond a random size, or run on a small file system of its own."""
    rng = random.Random(seed)
    kind = drawn_kind(rng)
    usual(kind)
    if seed % 2:
        survive(partial(_on_small_disc, kind, _size(rng)))
        return
    most, folder = int(10 ** rng.uniform(0, 5)), fresh()
    _run(kind, folder, most)
    shutil.rmtree(folder)


def _size(rng: random.Random) -> str:
    """Room for so many pages, or for so many files."""
    if rng.random() < 0.3:
        return f"nr_inodes={rng.randint(5, 12)}"
    return f"size={4 * rng.randint(1, 40)}k"


def _on_small_disc(kind: str, size: str) -> None:
    folder = source() / "small"
    folder.mkdir(exist_ok=True)
    _mount(folder, size)
    furnish(folder)
    _run(kind, folder)


def _run(kind: str, folder: Path, most: int | None = None) -> None:
    options = ["--masks", "masks"] if kind == "segment" else ["--report", "page.html", "--checkpoint", "run"]
    limit = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))) if most is not None else None
    process = start(kind, folder, "out", *options, before=limit)
    said = end(process, {0, 2})
    if process.returncode == 2:
        if not any(name in said for name in ("out.n", "page.html", "run", "mask")):
            raise Lost(f"the sentence names no file: {said}")
        check_left(folder, "run")


def _mount(folder: Path, size: str) -> None:
    """A file system in memory that ends with this process."""
    libc, owner = ctypes.CDLL(None, use_errno=True), (os.geteuid(), os.getegid())
    if libc.unshare(NEW_USER | NEW_MOUNTS) == 0:
        Path("/proc/self/setgroups").write_text("deny")
        for name, one in zip(("uid_map", "gid_map"), owner, strict=True):
            Path(f"/proc/self/{name}").write_text(f"0 {one} 1")
    elif libc.unshare(NEW_MOUNTS) != 0:
        raise NotPossibleHere("no file systems of one's own here")
    private = libc.mount(b"none", b"/", None, PRIVATE, None) == 0
    if not private or libc.mount(b"tmpfs", os.fsencode(folder), b"tmpfs", 0, size.encode()) != 0:
        raise NotPossibleHere(f"no small file system here: {os.strerror(ctypes.get_errno())}")


ATTACK = Attack("discs", "files that cannot grow, and small file systems that are full", attempt, count=100)
