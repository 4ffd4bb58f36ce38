"""What an attack is, and how attempts are made: in a process of their own, since they may kill it."""

import json
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module

HUNG_AFTER = 200.0
"""Seconds after which an attempt counts as hung."""


class Lost(AssertionError):  # noqa: N818 (it is what an attempt ends with)
    """An attempt that was not survived, in a sentence."""


@dataclass(frozen=True)
class Attack:
    """One kind of attack.

    Attributes
    ----------
    name, what : str
        A word, and what is tried.
    attempt : callable
        Makes one attempt from a seed; raises `Lost`, or anything else, if it is not survived.
    share : float
        Of the time of a whole run.
    most : int
        Attempts after which more would tell nothing new in a run of default length.
    """

    name: str
    what: str
    attempt: Callable[[int], object]
    share: float
    most: int = 10**9


@dataclass
class Outcome:
    """How often an attack was tried and what was lost, by seed."""

    attack: Attack
    tried: int = 0
    lost: dict[int, str] = field(default_factory=dict)


NAMES = (
    "tables", "pictures", "checkpoints", "matrices", "parameters", "threads", "kills", "interrupts",
    "discs", "caches", "forks", "workers",
)  # fmt: skip


def find(name: str) -> Attack:
    """Return an attack by its name, that of its file."""
    made: Attack = import_module(f"torture.{name}").ATTACK
    return made


def run(attack: Attack, first_seed: int, seconds: float) -> Outcome:
    """Make attempts until the time is over; one that kills its process is lost, and the next follows."""
    outcome, seed, until = Outcome(attack), first_seed, time.monotonic() + seconds
    while time.monotonic() < until and outcome.tried < attack.most:
        left = attack.most - outcome.tried
        for told in _told_by_child(attack.name, seed, left, until - time.monotonic()):
            if "began" in told:
                seed = told["began"]
                continue
            outcome.tried += 1
            if told["lost"]:
                outcome.lost[told["seed"]] = told["lost"]
        seed += 1
    return outcome


def _told_by_child(name: str, seed: int, most: int, seconds: float) -> Iterator[dict]:
    """Lines of a process that makes attempts; its own end is told as the last of them."""
    command = [sys.executable, "-m", "torture.child", name, str(seed), str(most), str(seconds)]
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
