"""What a way to segment pictures hands back."""

from dataclasses import dataclass

from graphwell._types import BoolArray, FloatArray
from graphwell.solve.result import Result


@dataclass(frozen=True, eq=False)
class Answer:
    """Classes by number, with what is told about them.

    Attributes
    ----------
    result : Result
    score : array
        How sure each pixel is, from 0 to 1.
    reachable : array
        False where no seed reaches.
    is_first : bool
        Whether no call before could be gone on from.
    seconds : dict
        Time of each stage.
    """

    result: Result
    score: FloatArray
    reachable: BoolArray
    is_first: bool
    seconds: dict[str, float]
