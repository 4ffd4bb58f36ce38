"""Error against the share of labelled points, from each start."""

from collections.abc import Sequence

import graphwell as gw
from graphwell._types import IntArray
from graphwell.experiments.methods import Case, Schedule, run_paper
from graphwell.experiments.record import Counter, Run, of_line

SHARES = (1, 2, 3, 4, 5, 7, 10)
"""Per cent of all points."""

STARTS = ("random", "nearest", "diffusion")


def run_shares(
    name: str,
    graph: gw.Graph,
    truth: IntArray,
    data_set: int | None,
    schedule: Schedule,
    shares: Sequence[int],
    label_sets: Sequence[int],
    counter: Counter,
) -> list[Run]:
    """Run every start once for each share and label set, equally many labels per class."""
    done = []
    n_classes = int(truth.max()) + 1
    for share in shares:
        per_class = max(1, round(share / 100 * len(truth) / n_classes))
        for start in STARTS:
            for label_set in label_sets:
                given = gw.datasets.sample_labels(truth, per_class, random_state=label_set)
                case = Case(graph, truth, given, data_set, label_set)
                done.append(run_paper(share_key(name, share, start), case, schedule, label_set, start)[0])
            counter()
    return done


def share_key(name: str, share: int, start: str) -> str:
    """Key of the line of one share and start.

    Examples
    --------
    >>> share_key("mnist", 5, "random")
    'mnist.labels-05-random'
    """
    return f"{name}.labels-{share:02d}-{start}"


def errors_by_share(runs: Sequence[Run], name: str, start: str, shares: Sequence[int]) -> list[list[float]]:
    """Errors in per cent, one list per share."""
    return [[100 * run.error for run in of_line(runs, share_key(name, share, start))] for share in shares]
