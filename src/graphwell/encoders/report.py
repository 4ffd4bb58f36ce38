"""The column report: the treatment of each column, and why some are left out."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np

from graphwell._types import BoolArray
from graphwell.encoders.kinds import WORDS_OF_A_TEXT, Cells, Look, are_people, has_digit
from graphwell.errors import Sentence, Words, in_python

NAMES_SHOWN = 8
# In smaller tables, numbers that count the rows may well be a feature.
ROWS_TO_JUDGE = 10
NEARLY_ALL = 0.9
# With fewer labels, a column may agree with them by chance.
LABELS_TO_JUDGE = 5
LABELS_TO_SEE_A_CODE = 10
CALLED_TRUTH = " truth groundtruth gt target class label labels y ytrue truelabel trueclass "
CALLED_ID = " id uuid guid index key rowid rownumber unnamed0 "


@dataclass(frozen=True)
class Treatment:
    """Treatment of a column.

    Attributes
    ----------
    name : str
    kind : str
        What it holds: number, boolean, category, text, date, empty; or a role, such as label.
    became : Sentence
        What was done with it, in a few words.
    used : bool
        Whether rows are compared by it.
    warns : bool
        Whether the user should look at it.
    """

    name: str
    kind: str
    became: Sentence
    used: bool = True
    warns: bool = False

    def __str__(self) -> str:
        return f"{self.name}: {self.kind}, {self.became.worded(in_python)}"

    def to_json(self, words: Words = in_python) -> dict[str, Any]:
        """Return values that JSON can hold."""
        return {"name": self.name, "kind": self.kind, "became": self.became.worded(words), "used": self.used}


def left_out(name: str, kind: str, why: str, *values: Any, warns: bool = False) -> Treatment:
    """The treatment of a column that rows are not compared by."""
    return Treatment(name, kind, Sentence("left out: " + why, values), used=False, warns=warns)


def column_note(treatment: Treatment) -> Sentence:
    """A sentence on a column that a user should know."""
    begin = "The column {!r} was " if not treatment.used else "The column {!r}: "
    return Sentence(f"{begin}{treatment.became.template}.", (treatment.name, *treatment.became.values))


def why_left_out(name: str, look: Look, cells: Cells, names: Iterable[str], labels: Any) -> Treatment | None:
    """The treatment of a column that says nothing, or too much; None if rows are compared by it."""
    if not name:
        return left_out(name, look.kind, "it has no name")
    is_coordinate = _plain(name) == "y" and any(_plain(other) == "x" for other in names)
    truth = None
    if labels is not None and _repeats(cells, labels):
        truth = "it equals the labels wherever they are given"
    elif f" {_plain(name)} " in CALLED_TRUTH and not is_coordinate:
        truth = "its name says that it is the truth"
    if truth is not None:
        return left_out(name, look.kind, truth + "; {features} uses it after all", warns=True)
    known = look.values[~look.missing]
    if not look.missing.any() and bool((known == known[0]).all()):
        return left_out(name, look.kind, "it has one value only")
    why = _numbers_the_rows(name, look, cells)
    return None if why is None else left_out(name, look.kind, why)


def recodes_labels(cells: Cells, labels: Any) -> bool:
    """Whether a column has a word of its own for each class, and no other: it may be the truth in a code."""
    given: BoolArray = labels != ""
    classes = np.unique(labels[given])
    if given.sum() < LABELS_TO_SEE_A_CODE or len(classes) < 2 or cells.missing.any():
        return False
    pairs = set(zip(cells.text_of(given).tolist(), labels[given].tolist(), strict=True))
    return len(pairs) == len(classes) == len({word for word, _ in pairs}) == len(np.unique(cells.text))


def _numbers_the_rows(name: str, look: Look, cells: Cells) -> str | None:
    """Why a column tells rows apart and nothing else: a counter, or an identifier; None if it is neither.

    Whole numbers are a counter where they fill a range without gaps, each once; other ones are identifiers if
    the column is called so. Different words are identifiers unless they are texts.
    """
    n = len(look.missing)
    if n < ROWS_TO_JUDGE or look.kind not in ("number", "text"):
        return None
    if look.kind == "text":
        return _tell_rows_apart(cells.text[~look.missing].tolist())
    if look.missing.any():
        return None
    low, high = float(look.values.min()), float(look.values.max())
    whole = np.isfinite([low, high]).all() and bool((look.values == np.rint(look.values)).all())
    if not whole or high - low < n - 1:
        return None
    if high - low == n - 1:
        counts = np.bincount((look.values - low).astype(np.int64), minlength=n)
        return "it counts the rows" if (counts == 1).all() else None
    called = f" {_plain(name)} " in CALLED_ID or _plain(name).endswith("id")
    return "every row has its own" if called and len(np.unique(look.values)) == n else None


def _plain(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum())


def _tell_rows_apart(text: list[str]) -> str | None:
    """Why cells name the rows: all different, and short or alike but for digits; codes; people."""
    distinct = set(text)
    if len(distinct) == len(text):
        if sum(len(cell.split()) for cell in text) < WORDS_OF_A_TEXT * len(text):
            return "every row has its own"
        letters = {"".join(c for c in cell if not c.isdigit()) for cell in text}
        if 20 * len(letters) < len(text):
            return "every row has its own"
    codes = sum(has_digit(cell) and len(cell.split()) == 1 for cell in distinct)
    if len(distinct) >= NEARLY_ALL * len(text) and codes >= NEARLY_ALL * len(distinct):
        return "nearly every row has its own code"
    return "names of people; {features} uses them after all" if are_people([*distinct]) else None


def _repeats(cells: Cells, labels: Any) -> bool:
    """Whether a column says the same as the labels wherever they are given; 1 and 1.0 are one label."""
    given: BoolArray = labels != ""
    if given.sum() < LABELS_TO_JUDGE or cells.values.dtype.kind == "M":
        return False
    here, said = cells.text_of(given), labels[given]
    if len(np.unique(said)) < 2:
        return False
    return bool((here == said).all()) or all(map(_same, here.tolist(), said.tolist()))


def _same(a: str, b: str) -> bool:
    try:
        return float(a) == float(b)
    except ValueError:
        return a.casefold() == b.strip().casefold()


def listed(names: Sequence[str]) -> str:
    """Name a few, count the rest."""
    shown = ", ".join(names[:NAMES_SHOWN])
    return shown if len(names) <= NAMES_SHOWN else f"{shown} and {len(names) - NAMES_SHOWN} more"


def hint(name: str, names: Iterable[str] | Mapping[str, Any]) -> str:
    """Names that may have been meant."""
    every = list(names)
    meant = {known.casefold(): known for known in reversed(every)}
    close = get_close_matches(name.casefold(), meant, n=1, cutoff=0.7)
    return f"did you mean {meant[close[0]]!r}?" if close else f"its columns are {listed(every)}."
