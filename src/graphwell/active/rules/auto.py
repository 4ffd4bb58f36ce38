"""The default: what the benchmark shows to be best.

It asks for the parts of the graph with the most rows in doubt, from the first question on. Strategies that
go to the borders between classes must know first that there are no others, and then gain on few sets only:
see ``docs/asking.md``. When there are so many labels that communities cannot be cut any finer, it goes over
to the smallest margin.
"""

from graphwell.active.registry import DEFAULT, strategy
from graphwell.active.rules.communities import MOST_PARTS, most_in_doubt
from graphwell.active.rules.margin import margin
from graphwell.active.situation import Situation
from graphwell.active.suggestions import Question


@strategy(DEFAULT, "communities; the margin once there are many hundred labels")
def auto(situation: Situation, n: int) -> list[Question]:
    """Parts in doubt while the graph can be cut finer than it is labelled, then borders."""
    many = situation.n_asked >= MOST_PARTS and situation.n_classes > 1
    return margin(situation, n) if many else most_in_doubt(situation, n)
