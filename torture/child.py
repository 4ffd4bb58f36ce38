"""The process in which attempts are made."""

import json
import os
import signal
import sys
import time

from torture.attack import Lost, NotPossibleHere, find, patience


def make_attempts(name: str, seed: int, end: int, seconds: float) -> None:
    """Make attempts from one seed after the other, telling of each on standard output."""
    attack, until = find(name), time.monotonic() + seconds
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    for number in range(seed, end):
        tell({"began": number})
        signal.setitimer(signal.ITIMER_REAL, patience(attack.hung_after))
        try:
            attack.attempt(number)
            lost = ""
        except NotPossibleHere as reason:
            return tell({"not_possible": str(reason)})
        except Lost as error:
            lost = str(error)
        except Exception as error:
            lost = f"{type(error).__name__}: {error}"
        signal.setitimer(signal.ITIMER_REAL, 0)
        tell({"seed": number, "lost": lost[:500]})
        if time.monotonic() > until:
            return None
    return None


def tell(what: dict) -> None:
    """Write one line at once, whatever happens next."""
    os.write(1, (json.dumps(what) + "\n").encode())


if __name__ == "__main__":
    make_attempts(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
