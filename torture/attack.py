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
from typing import Any, TypeVar

Attempt = TypeVar("Attempt", bound=Callable[[int], object])


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

    `attempt` makes one attempt from a seed, and raises `Lost`, or anything else, if it is not survived.
    `count` is that of a default run. Attempts that fill the machine are made `alone`, one after the other.
    One that takes more than `hung_after` seconds of an idle machine hangs.
    """

    name: str
    what: str
    attempt: Callable[[int], object]
    count: int
    alone: bool = False
    hung_after: float = 240.0


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
    "tables": "files", "pictures": "files", "bombs": "files", "changing": "files",
    "old": "arrays", "matrices": "arrays", "parameters": "arrays", "arrays": "arrays", "range": "arrays",
    "order": "arrays", "classes": "arrays", "journals": "pages", "threads": "processes",
    "kills": "faults", "interrupts": "faults", "discs": "faults", "permissions": "faults",
    "terminals": "faults", "pages": "pages", "annotators": "pages", "forks": "processes",
    "workers": "processes",
}  # fmt: skip
"""The file of each attack, in the order in which they are made."""
NAMES = tuple(CHAPTERS)


_DECLARED: dict[str, Attack] = {}


def attack(name: str, what: str, count: int, **options: Any) -> Callable[[Attempt], Attempt]:
    """Declare a function of a seed as an attack; the arguments are those of `Attack`."""

    def declare(attempt: Attempt) -> Attempt:
        _DECLARED[name] = Attack(name, what, attempt, count, **options)
        return attempt

    return declare


def find(name: str) -> Attack:
    """Return an attack by its name; one that is not listed has a file of its own."""
    import_module(f"torture.{CHAPTERS.get(name, name)}")
    return _DECLARED[name]


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
        for line in _lines_of_child(attack.name, seed, end, until - time.monotonic()):
            if "began" in line:
                seed = line["began"]
            elif "not_possible" in line:
                outcome.not_possible = line["not_possible"]
            else:
                outcome.tried += 1
                if line["lost"]:
                    outcome.lost[line["seed"]] = line["lost"]
                    print(f"lost: {attack.name} {line['seed']}: {line['lost']}", file=sys.stderr, flush=True)
        seed += 1
    return outcome


def _lines_of_child(name: str, seed: int, end: int, seconds: float) -> Iterator[dict]:
    """What a process that makes attempts writes, and how it ended if that was in the middle of one."""
    program = f"from torture.attack import make_attempts; make_attempts({name!r}, {seed}, {end}, {seconds!r})"
    command = [sys.executable, "-c", program.replace("inf)", "float('inf'))")]
    began = None
    with tempfile.TemporaryFile("w+") as errors:  # a pipe that nobody reads would fill up
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True) as child:
            assert child.stdout is not None
            for text in child.stdout:
                if text.startswith("{"):
                    line = json.loads(text)
                    began = line.get("began")
                    yield line
        errors.seek(0)
        said = " ".join(errors.read().split())[-200:]
    if began is not None:
        code = child.returncode
        how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        yield {"seed": began, "lost": f"the process ended with {how}: {said}"}


def make_attempts(name: str, seed: int, end: int, seconds: float) -> None:
    """In the child: make attempts from one seed after the other, with a line on each."""
    attack, until = find(name), time.monotonic() + seconds
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    for number in range(seed, end):
        _write({"began": number})
        signal.setitimer(signal.ITIMER_REAL, patience(attack.hung_after))
        try:
            attack.attempt(number)
            lost = ""
        except NotPossibleHere as reason:
            return _write({"not_possible": str(reason)})
        except Lost as error:
            lost = str(error)
        except Exception as error:
            lost = f"{type(error).__name__}: {error}"
        signal.setitimer(signal.ITIMER_REAL, 0)
        _write({"seed": number, "lost": lost[:500]})
        if time.monotonic() > until:
            break
    return None


def _write(line: dict) -> None:
    """Write a line at once, whatever happens next."""
    os.write(1, (json.dumps(line) + "\n").encode())
