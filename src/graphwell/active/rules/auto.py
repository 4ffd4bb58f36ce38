"""The default: parts of the graph first, then parts and borders in turn.

As long as there are fewer than four answers for each class that was met, it asks for the parts of the graph
with the most rows in doubt. From then on every other question goes to the smallest margin: borders are worth
asking about once the classes are known, but whoever asks about nothing else never meets what lies elsewhere.
What the benchmark says about that is told in ``docs/asking.md``.
"""

from graphwell.active.apart import in_turn
from graphwell.active.registry import strategy
from graphwell.active.rules.communities import most_in_doubt
from graphwell.active.rules.margin import margin
from graphwell.active.situation import Situation
from graphwell.active.suggestions import Question

ANSWERS_PER_CLASS = 4
"""From so many on borders are asked about, too."""


@strategy("auto", "communities; from four answers per class on, communities and margin in turn")
def auto(situation: Situation, n: int) -> list[Question]:
    """Parts in doubt; later every other question at a border, whatever the size of the batches."""
    parts = most_in_doubt(situation, n)
    if situation.n_classes < 2 or situation.n_asked < ANSWERS_PER_CLASS * situation.n_classes:
        return parts
    both = [parts, margin(situation, n)]
    return in_turn(situation, both if situation.n_asked % 2 == 0 else both[::-1], n)
