"""The part of the graph with the most rows in doubt, asked at its centre.

The graph is cut into about as many communities as there will be questions. Labels spread between them as in
`graphwell.solve.multilevel`, but leak away on the way: a community that hangs together with a labelled one by
many edges takes its class over, one that stands by itself stays in doubt.

    doubt of a part = rows * (1 - share of its likeliest class)

Without any label that is the size of a part: the first questions are the centres of the largest communities.
Later ones go to parts without a label, to parts whose labels disagree, and to parts between classes.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from graphwell._counted import counted
from graphwell._types import FloatArray, IntArray
from graphwell.active.centres import central_rows
from graphwell.active.parts import Parts
from graphwell.active.registry import strategy
from graphwell.active.situation import Situation
from graphwell.active.suggestions import Question

LEAK = 0.002
"""Share of its volume by which each part is tied to no class at all."""
MOST_PARTS = 500


@strategy("communities", "the centre of the part of the graph with the most rows in doubt")
def most_in_doubt(situation: Situation, n: int) -> list[Question]:
    """The centres of the parts with the most rows in doubt, each supposing the answers to those before."""
    parts = situation.parts(min(MOST_PARTS, situation.n_asked + n))
    doubt = PartDoubt.of(situation, parts)
    chosen, reasons = [], []
    for _ in range(min(n, len(doubt.kept))):
        place = int(doubt.rows.argmax())
        if doubt.rows[place] <= 0:
            break
        chosen.append(int(doubt.kept[place]))
        reasons.append(doubt.reason(place, situation))
        doubt = doubt.after_asking(place)
    rows = central_rows(situation, parts, chosen)
    return [Question(int(row), reason) for row, reason in zip(rows, reasons, strict=True) if row >= 0]


@dataclass(frozen=True, eq=False)
class PartDoubt:
    """The largest parts, and how many of their rows are in doubt.

    Attributes
    ----------
    kept : array of shape (n_kept,)
        Numbers of these parts.
    sizes, volumes : arrays of shape (n_kept,)
        Rows of each part, and the sum of their degrees.
    between : array of shape (n_kept, n_kept)
        Weights between the parts.
    sources : array of shape (n_kept, n_sources)
        Number of labels of each class; then one column for each question whose answer is not known yet.
    can_ask : array of shape (n_kept,)
    """

    kept: IntArray
    sizes: FloatArray
    volumes: FloatArray
    between: FloatArray
    sources: FloatArray
    can_ask: FloatArray

    @classmethod
    def of(cls, situation: Situation, parts: Parts) -> "PartDoubt":
        """What the labels leave in doubt."""
        kept = np.argsort(-parts.sizes, kind="stable")[: 2 * MOST_PARTS]
        W = parts.W
        volumes = (W @ np.ones(W.shape[0]))[kept]
        between = W[kept][:, kept].toarray()
        np.fill_diagonal(between, 0.0)
        labels, known = situation.labels, situation.labels >= 0
        sources = np.zeros((len(parts.sizes), situation.n_classes))
        np.add.at(sources, (parts.of_rows[known], labels[known]), 1.0)
        can_ask = np.bincount(parts.of_rows[situation.open], minlength=len(parts.sizes)) > 0
        return cls(kept, parts.sizes[kept], volumes, between, sources[kept], can_ask[kept].astype(float))

    @cached_property
    def shares(self) -> FloatArray:
        """How much each part belongs to each source; what is missing to 1 has leaked away."""
        volumes = np.maximum(self.volumes, 1e-9 * self.volumes.max(initial=1.0))  # isolated rows have none
        pull = self.sources * volumes[:, None]
        system = np.diag(self.between.sum(axis=1) + pull.sum(axis=1) + LEAK * volumes) - self.between
        return np.asarray(np.linalg.solve(system, pull))

    @property
    def rows(self) -> FloatArray:
        """Rows of each part that are in doubt; none where nothing can be asked."""
        return self.sizes * (1 - self.shares.max(axis=1, initial=0.0)) * self.can_ask

    def after_asking(self, place: int) -> "PartDoubt":
        """The doubt once a part has an answer, which may be a new class."""
        answer = np.zeros((len(self.kept), 1))
        answer[place] = 1.0
        sources = np.hstack([self.sources, answer])
        return PartDoubt(
            self.kept, self.sizes, self.volumes, self.between, sources, self.can_ask * (1 - answer[:, 0])
        )

    def reason(self, place: int, situation: Situation) -> str:
        """Why a part is asked about, in a few words."""
        n_classes, rows = situation.n_classes, counted(int(self.sizes[place]), "row")
        inside = np.flatnonzero(self.sources[place, :n_classes])
        if len(inside) > 1:
            names = " and ".join(situation.names[c] for c in inside[:2])
            return f"labels {names} in one group, {rows}"
        if len(inside) == 1:
            return f"group of {situation.names[inside[0]]}, {rows}"
        near = self.shares[place, :n_classes]
        best = np.argsort(-near, kind="stable")[:2]
        if len(best) == 2 and near[best[1]] > 0.25:
            return f"group between {situation.names[best[0]]} and {situation.names[best[1]]}, {rows}"
        return f"{'largest ' if place == self.largest else ''}group without a label, {rows}"

    @property
    def largest(self) -> int:
        """The largest part, if nothing has been answered or asked in any; else none."""
        return -1 if self.sources.any() else int(self.sizes.argmax())
