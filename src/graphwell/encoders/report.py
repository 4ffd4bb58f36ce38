"""The column report: what became of each column, and why some are left out."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np

from graphwell._types import BoolArray
from graphwell.encoders.kinds import WORDS_OF_A_TEXT, Cells, Look
from graphwell.errors import Sentence, Words, in_python

NAMES_SHOWN = 8
ROWS_TO_JUDGE = 10
"""In smaller tables, numbers that count the rows may well be a feature."""
NEARLY_ALL = 0.9
LABELS_TO_JUDGE = 5
"""With fewer labels, a column may agree with them by chance."""
LABELS_TO_SEE_A_CODE = 10
CALLED_TRUTH = (
    "truth",
    "groundtruth",
    "gt",
    "target",
    "class",
    "label",
    "labels",
    "y",
    "ytrue",
    "truelabel",
    "trueclass",
)
CALLED_ID = ("id", "uuid", "guid", "index", "key", "rowid", "rownumber", "unnamed0")


@dataclass(frozen=True)
class Treatment:
    """What became of a column.

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
        """Return values that JSON can hold.

        Examples
        --------
        >>> Treatment("size", "number", Sentence("as it is")).to_json()
        {'name': 'size', 'kind': 'number', 'became': 'as it is', 'used': True}
        """
        return {"name": self.name, "kind": self.kind, "became": self.became.worded(words), "used": self.used}


def grouped(treatments: Sequence[Treatment], words: Words = in_python) -> dict[tuple[str, str], list[str]]:
    """Names of the columns that hold the same kind of thing and became the same, in order."""
    groups: dict[tuple[str, str], list[str]] = {}
    for treatment in treatments:
        groups.setdefault((treatment.kind, treatment.became.worded(words)), []).append(
            treatment.name or "(no name)"
        )
    return groups


def left_out(name: str, kind: str, why: str, *values: Any, warns: bool = False) -> Treatment:
    """The treatment of a column that rows are not compared by."""
    return Treatment(name, kind, Sentence("left out: " + why, values), used=False, warns=warns)


def column_note(treatment: Treatment) -> Sentence:
    """What a user should know about a column, in a sentence.

    Examples
    --------
    >>> str(column_note(left_out("kind", "category", "its name says that it is the truth")))
    "The column 'kind' was left out: its name says that it is the truth."
    """
    begin = "The column {!r} was " if not treatment.used else "The column {!r}: "
    return Sentence(f"{begin}{treatment.became.template}.", (treatment.name, *treatment.became.values))


def looks_like_truth(name: str, names: Mapping[str, Any], cells: Cells, labels: Any) -> str | None:
    """Why a column looks like the truth: its name, or that it repeats the labels; None if it does not.

    Examples
    --------
    >>> looks_like_truth("Truth", {}, Cells(np.arange(3.0)), None)
    'its name says that it is the truth'
    """
    if labels is not None and _repeats(cells, labels):
        return "it equals the labels wherever they are given"
    plain = _plain(name)
    is_coordinate = plain == "y" and any(_plain(other) == "x" for other in names)
    return "its name says that it is the truth" if plain in CALLED_TRUTH and not is_coordinate else None


def recodes_labels(cells: Cells, labels: Any) -> bool:
    """Whether a column has a word of its own for each class, and no other: it may be the truth in a code.

    Examples
    --------
    >>> words = np.array(["a", "b"] * 5 + [""], dtype=np.dtypes.StringDType())
    >>> recodes_labels(Cells(np.array([7, 9] * 5 + [7])), words)
    True
    """
    given: BoolArray = labels != ""
    classes = np.unique(labels[given])
    if given.sum() < LABELS_TO_SEE_A_CODE or len(classes) < 2 or cells.missing.any():
        return False
    pairs = set(zip(cells.text_of(given).tolist(), labels[given].tolist(), strict=True))
    return len(pairs) == len(classes) == len({word for word, _ in pairs}) == len(np.unique(cells.text))


def numbers_the_rows(name: str, look: Look, cells: Cells) -> str | None:
    """Why a column tells rows apart and nothing else: a counter, or an identifier; None if it is neither.

    Whole numbers are a counter where they fill a range without gaps, each once; other ones are identifiers if
    the column is called so. Different words are identifiers unless they are texts.
    """
    n = len(look.missing)
    if n < ROWS_TO_JUDGE or look.missing.any() or look.kind not in ("number", "text"):
        return None
    if look.kind == "text":
        if _are_names(cells.text):
            return "every row has its own"
        return "nearly every row has its own code" if _are_nearly_unique_codes(cells.text) else None
    low, high = float(look.values.min()), float(look.values.max())
    whole = np.isfinite([low, high]).all() and bool((look.values == np.rint(look.values)).all())
    if not whole or high - low < n - 1:
        return None
    if high - low == n - 1:
        counts = np.bincount((look.values - low).astype(np.int64), minlength=n)
        return "it counts the rows" if (counts == 1).all() else None
    called = _plain(name) in CALLED_ID or _plain(name).endswith("id")
    return "every row has its own" if called and len(np.unique(look.values)) == n else None


def _plain(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum())


def _are_names(text: Any) -> bool:
    """Whether cells are all different, and short, or alike but for digits."""
    if len(np.unique(text)) < len(text):
        return False
    words = [str(cell).split() for cell in text.tolist()]
    if sum(map(len, words)) < WORDS_OF_A_TEXT * len(words):
        return True
    letters = {"".join(c for c in str(cell) if not c.isdigit()) for cell in text.tolist()}
    return 20 * len(letters) < len(text)


def _are_nearly_unique_codes(text: Any) -> bool:
    """Whether cells are single words with digits, and hardly one comes twice."""
    distinct = np.unique(text).tolist()
    codes = sum(any(c.isdigit() for c in cell) and len(cell.split()) == 1 for cell in distinct)
    return len(distinct) >= NEARLY_ALL * len(text) and codes >= NEARLY_ALL * len(distinct)


def _repeats(cells: Cells, labels: Any) -> bool:
    """Whether a column says the same as the labels wherever they are given."""
    given: BoolArray = labels != ""
    if given.sum() < LABELS_TO_JUDGE or cells.values.dtype.kind == "M":
        return False
    here, said = cells.text_of(given), labels[given]
    if (here == said).all():
        return len(np.unique(said)) > 1
    return len(np.unique(said)) > 1 and all(map(_same, here.tolist(), said.tolist()))


def _same(a: str, b: str) -> bool:
    """1 and 1.0 are one label, and so are Cat and cat."""
    try:
        return float(a) == float(b)
    except ValueError:
        return a.casefold() == b.strip().casefold()


def listed(names: Sequence[str]) -> str:
    """Name a few, count the rest.

    Examples
    --------
    >>> listed(["a", "b"])
    'a, b'
    >>> listed([str(i) for i in range(100)])
    '0, 1, 2, 3, 4, 5, 6, 7 and 92 more'
    """
    shown = ", ".join(names[:NAMES_SHOWN])
    return shown if len(names) <= NAMES_SHOWN else f"{shown} and {len(names) - NAMES_SHOWN} more"


def hint(name: str, names: Iterable[str]) -> str:
    """What else a name may have meant.

    Examples
    --------
    >>> hint("lable", ["label", "x"])
    "did you mean 'label'?"
    """
    every = list(names)
    close = get_close_matches(name, every, n=1)
    return f"did you mean {close[0]!r}?" if close else f"its columns are {listed(every)}."
