"""Runs of the program that are killed, interrupted, without disc or permissions, in odd surroundings."""

import ctypes
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import graphwell
from torture.attack import Lost, NotPossibleHere, attack
from torture.program import (
    ENDINGS,
    all_outputs,
    check_left,
    check_same,
    drawn_kind,
    end,
    fresh,
    furnish,
    hurt,
    source,
    start,
    survive,
    usual,
    whole,
)


@attack("kills", "SIGKILL of classify and segment, then run again: the same bytes", count=100)
def kill(seed: int) -> None:
    """Kill a run once or twice, then let it end."""
    rng = random.Random(seed)
    kind = drawn_kind(rng)
    options = ["--masks", "masks"] if kind == "segment" else ["--report", "page.html"]
    folder = fresh()
    for _ in range(rng.randint(1, 2)):
        end(hurt(kind, folder, signal.SIGKILL, rng, *options), expected={0, -signal.SIGKILL})
    end(start(kind, folder, "out", *options), expected={0})
    check_same(folder, "out", kind)
    check_left(folder, "out.npz", "out.npy", "page.html", "masks", killed=True)
    shutil.rmtree(folder)


@attack("interrupts", "SIGINT and SIGTERM: 130 or 143, no file left", count=100)
def interrupt(seed: int) -> None:
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


FULL = "a full /tmp"
NEW_MOUNTS, NEW_USER, PRIVATE = 0x20000, 0x10000000, 0x44000
"""Numbers of Linux: mounts and a user of one's own, and mounts that nobody else sees."""
READ_ONLY, REMOUNT, BIND = 1, 32, 4096


@attack("discs", "files that cannot grow, small file systems that are full, a full /tmp", count=100)
def fill_disc(seed: int) -> None:
    """Let no file grow beyond a random size, or run on a small file system of its own."""
    rng = random.Random(seed)
    kind = drawn_kind(rng)
    whole(kind)
    if seed % 2:
        survive(_on_small_disc, kind, _disc_size(rng))
        return
    most, folder = int(10 ** rng.uniform(0, 5)), fresh()
    _run_within(kind, folder, most)
    shutil.rmtree(folder)


def _disc_size(rng: random.Random) -> str:
    """Room for so many pages, or for so many files; or none for temporary ones."""
    if rng.random() < 0.2:
        return FULL
    if rng.random() < 0.3:
        return f"nr_inodes={rng.randint(5, 12)}"
    return f"size={4 * rng.randint(1, 40)}k"


def _on_small_disc(kind: str, size: str) -> None:
    if size == FULL:  # of temporary files alone
        folder = Path(tempfile.mkdtemp(dir=source()))
        furnish(folder)
        _mount_disc(folder / "tmp", "size=4k")
        (folder / "tmp" / "full").write_bytes(bytes(4096))
        end(start(kind, folder, "out", *all_outputs(kind)), {0})
        check_same(folder, "out", kind)
        return
    folder = source() / "small"
    folder.mkdir(exist_ok=True)
    _mount_disc(folder, size)
    furnish(folder)
    _run_within(kind, folder)


def _run_within(kind: str, folder: Path, most: int | None = None) -> None:
    options = all_outputs(kind)
    limit = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))) if most is not None else None
    process = start(kind, folder, "out", *options, preexec_fn=limit)
    said = end(process, {0, 2})
    if process.returncode == 2:
        if not any(name in said for name in ("out.n", "page.html", "mask")):
            raise Lost(f"the sentence names no file: {said}")
        check_left(folder)


def _mount_disc(folder: Path, size: str) -> None:
    """A file system in memory that ends with this process."""
    libc, owner = ctypes.CDLL(None, use_errno=True), (os.geteuid(), os.getegid())
    if libc.unshare(NEW_USER | NEW_MOUNTS) == 0:
        Path("/proc/self/setgroups").write_text("deny")
        for name, one in zip(("uid_map", "gid_map"), owner, strict=True):
            Path(f"/proc/self/{name}").write_text(f"0 {one} 1")
    elif libc.unshare(NEW_MOUNTS) != 0:
        raise NotPossibleHere("no file systems of one's own here")
    _mount(b"none", Path("/"), None, PRIVATE)
    _mount(b"tmpfs", folder, b"tmpfs", 0, size.encode())


def _mount(what: Any, where: Path, kind: bytes | None, flags: int, data: bytes | None = None) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(os.fsencode(what), os.fsencode(where), kind, flags, data) != 0:
        raise NotPossibleHere(f"no file system of one's own here: {os.strerror(ctypes.get_errno())}")


MODES = (0o000, 0o100, 0o400, 0o500, 0o444, 0o300)
DROP, BEYOND_MODES = 24, (1, 2)
"""Numbers of Linux: give up for good what lets root read and write whatever the mode of a file says."""


@attack(
    "permissions",
    "permissions taken away before and during a run; a HOME that is read only",
    count=60,
)
def take_permissions(seed: int) -> None:
    """Take permissions away before or during a run; give them back, and run again."""
    rng = random.Random(seed)
    kind = drawn_kind(rng)
    usual(kind)
    folder = fresh()
    if seed % 10 == 0:
        survive(_run_without_home, kind, folder)
        shutil.rmtree(folder)
        return
    options = all_outputs(kind)
    for name in rng.sample(("out.npz", "out.npy", "page.html"), rng.randint(0, 2)):
        (folder / name).touch()  # an older file
    target = rng.choice([path for path in (folder, folder, *folder.iterdir()) if not path.is_symlink()])
    _run_while_mode_changes(kind, folder, target, rng, options)
    (folder / "page.html").unlink(missing_ok=True)
    shutil.rmtree(folder / "masks", ignore_errors=True)
    end(start(kind, folder, "out", *options), expected={0})
    check_same(folder, "out", kind)
    check_left(folder, "out.npz", "out.npy", "page.html", "masks", killed=True)
    shutil.rmtree(folder)


def _run_without_home(kind: str, folder: Path) -> None:
    """A new process that can write neither at home nor beside the code, as with an installation of root's."""
    code, home = Path(graphwell.__file__).parent, folder / "home"
    home.mkdir()
    _mount_disc(home, "size=4k")
    _mount(code, code, None, BIND)
    for path in (home, code):
        _mount(path, path, None, BIND | REMOUNT | READ_ONLY)
    hidden = ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "MPLCONFIGDIR")
    paths = {"HOME": str(home), "TMPDIR": str(folder / "tmp"), "PYTHONPATH": os.pathsep.join(sys.path)}
    environment = {name: value for name, value in os.environ.items() if name not in hidden} | paths
    end(start(kind, folder, "out", env=environment), {0})
    check_same(folder, "out", kind)
    check_left(folder, "home", "out.npz", "out.npy")


def _run_while_mode_changes(
    kind: str, folder: Path, target: Path, rng: random.Random, options: list[str]
) -> None:
    """Run while a mode changes; it is given back when the run has ended."""
    before, mode, is_early = target.stat().st_mode, rng.choice(MODES), rng.random() < 0.5

    def early() -> None:
        for capability in BEYOND_MODES:
            ctypes.CDLL(None).prctl(DROP, capability, 0, 0, 0)
        if is_early:
            target.chmod(mode)

    process = start(kind, folder, "out", *options, preexec_fn=early)
    try:
        process.wait(timeout=rng.uniform(0, usual(kind)[0]))
    except subprocess.TimeoutExpired:
        target.chmod(mode)
    try:
        end(process, {0, 2})
    finally:
        target.chmod(before)


SURROUNDINGS: tuple[dict[str, str], ...] = (
    {}, {"LC_ALL": "C"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"TERM": "dumb"},
    {"COLUMNS": "1"}, {"COLUMNS": "0"}, {"COLUMNS": "x"}, {"NO_COLOR": "1"}, {"FORCE_COLOR": "1"},
    {"PYTHONIOENCODING": "ascii"}, {"TZ": "Nowhere/Land"}, {"HOME": "/nonexistent"},
    {"TMPDIR": "/nonexistent"},
)  # fmt: skip
NAMES = ("out", "-out", "a\nb", "a b", "\x1b[31m", "é", "\udcff", "x" * 240, "..out", "%s{}", "--help")


@attack("terminals", "closed outputs, gone readers, locales, odd names, deep folders", count=100)
def run_in_odd_place(seed: int) -> None:
    """Run in one such place; the output must be there and whole."""
    rng = random.Random(seed)
    kind, name = rng.choice(("classify", "segment")), rng.choice(NAMES)
    folder = top = fresh()
    if rng.random() < 0.5:  # some levels below, in folders with odd names
        short = [each for each in NAMES if len(each) < 100]
        folder = top.joinpath(*(rng.choice(short) for _ in range(rng.randint(1, 30))))
        folder.mkdir(parents=True)
        furnish(folder)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": str(folder / "tmp")}
    reader: Any = rng.choice((subprocess.PIPE, subprocess.DEVNULL, _gone()))
    closed = rng.choice(((), (), (1,), (2,), (1, 2), (0, 1, 2)))
    process = start(
        kind,
        folder,
        f"./{name}" if name.startswith("-") else name,
        *(["--json"] if rng.random() < 0.3 else []),
        env=environment | rng.choice(SURROUNDINGS),
        stdout=reader,
        preexec_fn=lambda: [*map(os.close, closed)],
    )
    end(process, expected={0} if reader in (subprocess.PIPE, subprocess.DEVNULL) else {0, 1})
    check_same(folder, name, kind)
    shutil.rmtree(top)


def _gone() -> int:
    """The end of a pipe that nobody reads."""
    read, write = os.pipe()
    os.close(read)
    return write
