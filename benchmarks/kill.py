"""Whether a killed run ends with the file of one that was not.

Runs `graphwell classify --checkpoint` on a made-up table, kills it (SIGKILL), starts it again with the same
arguments each time, and compares every file it ends with, byte for byte, with that of a run without a
checkpoint. Every other kill comes at a moment drawn evenly from the length of a whole run, the others while
the descent is under way. A run that ends before its moment comes is compared and begun anew. Runs start at
random, as in the paper, since the descent is longest then.

    python benchmarks/kill.py --rows 200000 --kills 10
"""

import argparse
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from graphwell import datasets


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=None, help="of the moments; drawn anew by default")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        kill_and_compare(Path(folder), options.rows, options.kills, np.random.default_rng(options.seed))


def kill_and_compare(folder: Path, rows: int, kills: int, rng: np.random.Generator) -> None:
    X, truth = datasets.make_three_moons(rows // 3, dim=4, random_state=0)
    np.savez(folder / "table.npz", X=X, y=datasets.sample_labels(truth, 20, random_state=0))
    began = time.perf_counter()
    finish(start(folder, "whole.npz"))
    seconds = time.perf_counter() - began
    print(f"{rows:,} rows; a whole run takes {seconds:.1f} s")
    done = compared = 0
    while done < kills:
        process = start(folder, "out.npz", "--checkpoint", "run")
        began = time.perf_counter()
        wait_for_the_moment(process, folder, in_descent=done % 2 == 1, seconds=seconds, rng=rng)
        if process.poll() is not None:
            compared += end_of_run(folder, process)
            continue
        process.send_signal(signal.SIGKILL)
        process.wait()
        done += 1
        moment = time.perf_counter() - began
        print(f"kill {done}: after {moment:.2f} s, {steps_saved(folder)} steps saved in all")
        assert not (folder / "out.npz").exists() or same(folder)
    compared += end_of_run(folder, start(folder, "out.npz", "--checkpoint", "run"))
    print(f"{done} kills, {compared} ended runs, all with the bytes of the uninterrupted one")


def wait_for_the_moment(
    process: subprocess.Popen, folder: Path, *, in_descent: bool, seconds: float, rng: np.random.Generator
) -> None:
    before = steps_saved(folder)
    while in_descent and process.poll() is None and steps_saved(folder) == before:
        time.sleep(0.01)
    try:
        process.wait(timeout=rng.uniform(0, 0.1 * seconds if in_descent else seconds))
    except subprocess.TimeoutExpired:
        return


def start(folder: Path, out: str, *options: str) -> subprocess.Popen:
    command = [
        sys.executable,
        "-m",
        "graphwell",
        "classify",
        "table.npz",
        "--label",
        "y",
        "-o",
        out,
        "--quiet",
    ]
    return subprocess.Popen([*command, *options], cwd=folder)


def finish(process: subprocess.Popen) -> None:
    if process.wait() not in (0, 1):
        raise SystemExit(f"a run ended with exit code {process.returncode}")


def end_of_run(folder: Path, process: subprocess.Popen) -> int:
    finish(process)
    if not same(folder):
        raise SystemExit("the resumed run ended with other labels")
    (folder / "out.npz").unlink()
    (folder / "run").unlink()
    return 1


def same(folder: Path) -> bool:
    return (folder / "out.npz").read_bytes() == (folder / "whole.npz").read_bytes()


def steps_saved(folder: Path) -> int:
    if not (folder / "run").exists():
        return 0
    with np.load(folder / "run") as saved:
        return len(saved["energies"])


if __name__ == "__main__":
    main()
