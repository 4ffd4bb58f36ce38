"""What the benchmark shows to be best: communities."""

from graphwell.active.registry import DEFAULT, strategy
from graphwell.active.situation import Situation
from graphwell.active.rules.communities import communities
from graphwell.active.suggestions import Question


@strategy(DEFAULT, "communities")
def auto(situation: Situation, n: int) -> list[Question]:
    return communities(situation, n)
