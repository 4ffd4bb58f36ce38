"""Record golden results, or compare two versions bit by bit.

``python -m tests.golden [NAME ...]`` records all results, or those whose names begin so; a commit of its own
says why. ``--gpu`` records those of a GPU. ``python -m tests.golden --against COMMIT`` runs every case on
this tree and on COMMIT, on this machine, and compares all bits: run it for every change that only moves or
renames.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from tests.golden import cases, recorded

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__)
    parser.add_argument("names", nargs="*", help="beginnings of names; all cases if none is given")
    parser.add_argument("--gpu", action="store_true", help="the cases that need a GPU")
    parser.add_argument("--against", metavar="COMMIT", help="compare all bits with those of another commit")
    parser.add_argument(
        "--bits", action="store_true", help="print hashes of all bits as JSON, one case a line"
    )
    options = parser.parse_args()
    if options.against:
        return against(options.against, options.names)
    chosen = {
        name: case
        for name, case in (cases.ON_GPU if options.gpu else cases.everywhere()).items()
        if not options.names or name.startswith(tuple(options.names))
    }
    with ExitStack() as stack:
        if any(name in cases.ON_DASK for name in chosen):
            stack.enter_context(cases.small_cluster())
        if not options.bits:
            recorded.save(chosen)
            return 0
        for name, case in chosen.items():
            print(json.dumps([name, recorded.bits(case())]), flush=True)
    return 0


def against(commit: str, names: list[str]) -> int:
    """Run the cases of this tree on the package of both commits; 1 if any bit differs."""
    with tempfile.TemporaryDirectory() as folder:
        other = Path(folder) / "other"
        subprocess.run(["git", "worktree", "add", "--detach", "--quiet", other, commit], cwd=ROOT, check=True)
        try:
            now, before = _bits_of(ROOT, names), _bits_of(other, names)
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", other], cwd=ROOT, check=True)
    differing = [name for name in now if now[name] != before.get(name)]
    for name in differing:
        print(f"differs: {name}")
    print(f"{len(now) - len(differing)} of {len(now)} results have the same bits as {commit}")
    return 1 if differing else 0


def _bits_of(tree: Path, names: list[str]) -> Mapping[str, Mapping[str, str]]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tree / "src"), str(ROOT)])}
    done = subprocess.run(
        [sys.executable, "-m", "tests.golden", "--bits", *names],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return dict(json.loads(line) for line in done.stdout.splitlines() if line.startswith("["))


if __name__ == "__main__":
    raise SystemExit(main())
