"""Attack graphwell: ``python -m torture [names...] [--hours H] [--seed 0] [--replay NAME SEED]``."""

import argparse
import os
import sys
import time
from pathlib import Path

from torture.attack import NAMES, Outcome, find, run


def main(arguments: list[str] | None = None) -> int:
    """Run attacks, print one table; 1 if anything was lost."""
    chosen = _parser().parse_args(arguments)
    if chosen.replay:
        find(chosen.replay[0]).attempt(int(chosen.replay[1]))
        print("survived")
        return 0
    outcomes = [Outcome(find(name)) for name in chosen.names or NAMES]
    until = float("inf") if chosen.hours is None else time.monotonic() + 3600 * chosen.hours
    for number in range(1 if chosen.hours is None else sys.maxsize):
        for outcome in outcomes:
            count = chosen.count or outcome.attack.count
            if time.monotonic() < until:
                first = chosen.seed + number * count
                outcome.add(run(outcome.attack, first, count, chosen.processes, until))
                print(line(outcome), flush=True)
        if time.monotonic() >= until:
            break
    text = table(outcomes)
    print("\n" + text)
    if chosen.out is not None:
        chosen.out.write_text(text + "\n")
    return 1 if any(outcome.lost for outcome in outcomes) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m torture", description="Attack graphwell.")
    attacks = f"attacks: {', '.join(NAMES)}; all by default"
    parser.add_argument("names", nargs="*", metavar="name", help=attacks)
    parser.add_argument("--hours", type=float, help="go on with further seeds until they are over")
    parser.add_argument("--count", type=int, help="attempts of each, in place of its own number")
    parser.add_argument("--seed", type=int, default=0, help="of the first attempt of each")
    parser.add_argument(
        "--processes", type=int, default=os.cpu_count() or 1, help="at once; all cores by default"
    )
    parser.add_argument("--replay", nargs=2, metavar=("name", "seed"), help="make one attempt again, here")
    parser.add_argument("--out", type=Path, help="file for the table")
    return parser


def line(outcome: Outcome) -> str:
    """One attack as a row of the table."""
    lost = len(outcome.lost)
    seeds = ", ".join(map(str, list(outcome.lost)[:5])) + (" ..." if lost > 5 else "")
    tried = f"{outcome.tried:,} | {outcome.tried - lost:,} | {lost} | {seeds or outcome.not_possible}"
    return f"| {outcome.attack.name} | {outcome.attack.what} | {tried} |"


def table(outcomes: list[Outcome]) -> str:
    """All attacks, and below it what was lost, with the seed that makes it again."""
    rows = [
        "| attack | what is tried | tried | survived | lost | seeds |",
        "|---|---|---|---|---|---|",
        *map(line, outcomes),
        f"| all | | {sum(o.tried for o in outcomes):,} | {sum(o.tried - len(o.lost) for o in outcomes):,} "
        f"| {sum(len(o.lost) for o in outcomes)} | |",
    ]
    for outcome in outcomes:
        for seed, reason in list(outcome.lost.items())[:5]:
            rows += ["", f"Lost: `python -m torture --replay {outcome.attack.name} {seed}`: {reason}"]
    return "\n".join(rows)


if __name__ == "__main__":
    sys.exit(main())  # noqa: TID251 (a program ends with a code)
