"""What an attack is, and how attempts are made: in processes of their own, since they may kill them."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib import import_module

HUNG_AFTER = 240.0
"""Seconds after which an attempt counts as hung, unless its attack says otherwise."""


def patience(seconds: float) -> float:
    """So many seconds of an idle machine: more where others use it too, by the load of the last minute.

    Examples
    --------
    >>> patience(2.0) >= 2.0
    True
    """
    return seconds * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


class Lost(AssertionError):  # noqa: N818 (it is what an attempt ends with)
    """An attempt that was not survived, in a sentence."""


class NotPossibleHere(Exception):  # noqa: N818 (nothing is wrong)
    """What the machine lacks for an attack, in a sentence."""


@dataclass(frozen=True)
class Attack:
    """One kind of attack.

    Attributes
    ----------
    name, what : str
        A word, and what is tried.
    attempt : callable
        Makes one attempt from a seed; raises `Lost`, or anything else, if it is not survived.
    count : int
        Attempts of a default run.
    alone : bool
        Whether attempts are made one after the other, because each fills the machine.
    hung_after : float
        Seconds of an idle machine after which an attempt counts as hung.
    """

    name: str
    what: str
    attempt: Callable[[int], object]
    count: int
    alone: bool = False
    hung_after: float = HUNG_AFTER


@dataclass
class Outcome:
    """How often an attack was tried, what was lost, by seed, and why nothing could be tried."""

    attack: Attack
    tried: int = 0
    lost: dict[int, str] = field(default_factory=dict)
    not_possible: str = ""

    def add(self, other: "Outcome") -> None:
        """Take in the outcome of further attempts."""
        self.tried += other.tried
        self.lost |= other.lost
        self.not_possible = self.not_possible or other.not_possible


CHAPTERS = {
    "tables": "files", "pictures": "files", "checkpoints": "files", "matrices": "arrays",
    "parameters": "parameters", "arrays": "arrays", "journals": "pages", "interop": "parameters",
    "threads": "processes", "properties": "properties", "kills": "faults", "interrupts": "faults",
    "discs": "faults", "permissions": "faults", "clocks": "faults", "terminals": "faults", "pages": "pages",
    "caches": "faults", "forks": "processes", "workers": "processes", "clusters": "processes",
}  # fmt: skip
"""The file of each attack, in the order in which they are made."""
NAMES = tuple(CHAPTERS)


def find(name: str) -> Attack:
    """Return an attack by its name; one that is not listed has a file of its own."""
    chapter = import_module(f"torture.{CHAPTERS.get(name, name)}")
    found: Attack = next(attack for attack in chapter.ATTACKS if attack.name == name)
    return found


def run(
    attack: Attack, first_seed: int, count: int, processes: int = 1, until: float = float("inf")
) -> Outcome:
    """Make so many attempts, shared among processes; none begins after the monotonic clock says `until`."""
    parts = min(count, 1 if attack.alone else processes)
    ends = [first_seed + count * part // parts for part in range(parts + 1)]
    outcome = Outcome(attack)
    with ThreadPoolExecutor(parts) as pool:
        for found in pool.map(lambda first, end: _run(attack, first, end, until), ends[:-1], ends[1:]):
            outcome.add(found)
    return outcome


def _run(attack: Attack, seed: int, end: int, until: float) -> Outcome:
    """Make attempts in one process; one that kills it is lost, and the next follows in another."""
    outcome = Outcome(attack)
    while seed < end and time.monotonic() < until and not outcome.not_possible:
        for told in _told_by_child(attack.name, seed, end, until - time.monotonic()):
            if "began" in told:
                seed = told["began"]
            elif "not_possible" in told:
                outcome.not_possible = told["not_possible"]
            else:
                outcome.tried += 1
                if told["lost"]:
                    outcome.lost[told["seed"]] = told["lost"]
                    print(f"lost: {attack.name} {told['seed']}: {told['lost']}", file=sys.stderr, flush=True)
        seed += 1
    return outcome


def _told_by_child(name: str, seed: int, end: int, seconds: float) -> Iterator[dict]:
    """Lines of a process that makes attempts; its own end is told as the last of them."""
    command = [sys.executable, "-m", "torture.child", name, str(seed), str(end), str(seconds)]
    errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 (a pipe that nobody reads would fill up)
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
    began = None
    assert child.stdout is not None
    for line in child.stdout:
        if not line.startswith("{"):
            continue
        told = json.loads(line)
        began = told.get("began")
        yield told
    child.wait()
    child.stdout.close()
    errors.seek(0)
    said = errors.read()
    errors.close()
    if began is not None:
        code = child.returncode
        how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        yield {"seed": began, "lost": f"the process ended with {how}: {' '.join(said.split())[-200:]}"}
