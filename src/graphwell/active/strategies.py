"""Query strategies: functions of a `Query` and a number of rows, the four that did best in `benchmarks ask`.

``docs/benchmarks.md`` has figures. A user's own function is given in place of a name.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from graphwell._checks import one_of
from graphwell._random import stream
from graphwell._types import FloatArray
from graphwell.active.communities import central_rows
from graphwell.active.query import Query, Question
from graphwell.errors import counted

DEFAULT = "auto"
ANSWERS_PER_CLASS = 4
"""From so many on `auto` asks about borders, too, chosen on even seeds of `benchmarks ask`."""
LEAK = 0.002
"""Share of its volume by which a community is tied to no class, chosen on even seeds of `benchmarks ask`."""
MOST_COMMUNITIES = 500

Strategy: TypeAlias = Callable[[Query, int], list[Question]]
"""Returns at most so many different rows that may be asked, best first."""


def at_random(query: Query, n: int) -> list[Question]:
    """Open rows at random: an unbiased sample, and what every other strategy is compared with."""
    rng = stream(query.random_state, f"questions after {query.n_asked}")
    return [Question(int(row), "at random") for row in rng.permutation(np.flatnonzero(query.open))[:n]]


def margin(query: Query, n: int) -> list[Question]:
    """Rows at borders, where the two largest shares differ least, apart from each other.

    Before two classes are known there is no border: the centres of communities.
    """
    if query.n_classes < 2:
        return most_in_doubt(query, n)
    two = np.partition(query.shares, -2, axis=1)[:, -2:]
    return [Question(int(row), border(query, int(row))) for row in query.batch(-(two[:, 1] - two[:, 0]), n)]


def border(query: Query, row: int) -> str:
    """The two classes that a row lies between, in words."""
    first, second = np.argsort(-query.shares[row], kind="stable")[:2]
    return f"border between {query.names[first]} and {query.names[second]}"


def most_in_doubt(query: Query, n: int) -> list[Question]:
    """The centres of the communities with the most rows in doubt, each supposing the answers to those before.

    The graph is cut into about as many communities as there will be questions. Labels spread between them,
    but leak away on the way: a community with many edges to a labelled one takes its class over, one that
    stands by itself stays in doubt.

        rows in doubt = size * (1 - share of the likeliest class)

    Without any label that is the size of a community.
    """
    communities = query.communities(min(MOST_COMMUNITIES, query.n_asked + n))
    n_all, known = len(communities.sizes), query.labels >= 0
    kept = np.argsort(-communities.sizes, kind="stable")[: 2 * MOST_COMMUNITIES]
    sizes, between = communities.sizes[kept], communities.W[kept][:, kept].toarray()
    np.fill_diagonal(between, 0.0)
    volumes = (communities.W @ np.ones(n_all))[kept]
    volumes = np.maximum(volumes, 1e-9 * volumes.max(initial=1.0))  # isolated rows have none
    counts = np.zeros((n_all, query.n_classes))
    np.add.at(counts, (communities.of_rows[known], query.labels[known]), 1.0)
    sources = counts[kept]  # labels of each class; then a column for each question without an answer yet
    can_ask = (np.bincount(communities.of_rows[query.open], minlength=n_all) > 0)[kept].astype(float)
    chosen, reasons = [], []
    for _ in range(min(n, len(kept))):
        pull = sources * volumes[:, None]
        system = np.diag(between.sum(axis=1) + pull.sum(axis=1) + LEAK * volumes) - between
        shares = np.linalg.solve(system, pull)
        doubt = sizes * (1 - shares.max(axis=1, initial=0.0)) * can_ask
        place = int(doubt.argmax())
        if doubt[place] <= 0:
            break
        reason = reason_to_ask(sources[place], shares[place], query.names)
        is_largest = not sources.any() and place == int(sizes.argmax())
        reasons.append(f"{'largest ' if is_largest else ''}{reason}, {counted(int(sizes[place]), 'row')}")
        chosen.append(int(kept[place]))
        can_ask[place] = 0.0
        sources = np.hstack([sources, (np.arange(len(kept)) == place)[:, None].astype(float)])
    rows = central_rows(query, communities, chosen)
    return [Question(int(row), reason) for row, reason in zip(rows, reasons, strict=True) if row >= 0]


def reason_to_ask(labels: FloatArray, shares: FloatArray, names: Sequence[str]) -> str:
    """The labels in a community, or the classes it lies between, in words."""
    inside = np.flatnonzero(labels[: len(names)])
    if len(inside) > 1:
        return f"labels {names[inside[0]]} and {names[inside[1]]} in one group"
    if len(inside) == 1:
        return f"group of {names[inside[0]]}"
    best = np.argsort(-shares[: len(names)], kind="stable")[:2]
    if len(best) == 2 and shares[best[1]] > 0.25:
        return f"group between {names[best[0]]} and {names[best[1]]}"
    return "group without a label"


def auto(query: Query, n: int) -> list[Question]:
    """Communities in doubt; later every other question at a border, whatever the size of the batches.

    Borders are worth asking about once the classes are known, but asking about nothing else never meets what
    lies elsewhere.
    """
    questions = most_in_doubt(query, n)
    if query.n_classes < 2 or query.n_asked < ANSWERS_PER_CLASS * query.n_classes:
        return questions
    both = [questions, margin(query, n)]
    return query.in_turn(both if query.n_asked % 2 == 0 else both[::-1], n)


STRATEGIES: dict[str, Strategy] = {
    DEFAULT: auto,
    "communities": most_in_doubt,
    "margin": margin,
    "random": at_random,
}


def strategies() -> tuple[str, ...]:
    """Names of the query strategies, the default first.

    Examples
    --------
    >>> strategies()
    ('auto', 'communities', 'margin', 'random')
    """
    return tuple(STRATEGIES)


def find_strategy(strategy: Any) -> tuple[str, Strategy]:
    """Name and function of a strategy that is given as one of them."""
    if callable(strategy):
        return getattr(strategy, "__name__", type(strategy).__name__), strategy
    return strategy, STRATEGIES[one_of("strategy", strategy, STRATEGIES)]
