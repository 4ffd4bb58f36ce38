"""Attack graphwell: ``python -m torture [names...] [--minutes 15] [--seed 0] [--replay NAME SEED]``."""

import argparse
import sys
from pathlib import Path

from torture.attack import NAMES, Outcome, find, run


def main(arguments: list[str] | None = None) -> int:
    """Run attacks, print one table; 1 if anything was lost."""
    parser = argparse.ArgumentParser(prog="python -m torture", description="Attack graphwell.")
    parser.add_argument(
        "names", nargs="*", metavar="name", help=f"attacks: {', '.join(NAMES)}; all by default"
    )
    parser.add_argument("--minutes", type=float, default=15.0, help="for all of them together")
    parser.add_argument("--seed", type=int, default=0, help="of the first attempt of each")
    parser.add_argument("--replay", nargs=2, metavar=("name", "seed"), help="make one attempt again, here")
    parser.add_argument("--out", type=Path, help="file for the table")
    chosen = parser.parse_args(arguments)
    if chosen.replay:
        find(chosen.replay[0]).attempt(int(chosen.replay[1]))
        print("survived")
        return 0
    attacks = [find(name) for name in chosen.names or NAMES]
    whole = sum(attack.share for attack in attacks)
    outcomes = []
    for attack in attacks:
        outcomes.append(run(attack, chosen.seed, 60 * chosen.minutes * attack.share / whole))
        print(line(outcomes[-1]), flush=True)
    text = table(outcomes)
    print("\n" + text)
    if chosen.out is not None:
        chosen.out.write_text(text + "\n")
    return 1 if any(outcome.lost for outcome in outcomes) else 0


def line(outcome: Outcome) -> str:
    """One attack as a row of the table."""
    lost = len(outcome.lost)
    seeds = ", ".join(map(str, list(outcome.lost)[:5])) + (" ..." if lost > 5 else "")
    attack = outcome.attack
    return (
        f"| {attack.name} | {attack.what} | {outcome.tried:,} | {outcome.tried - lost:,} | {lost} | {seeds} |"
    )


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
