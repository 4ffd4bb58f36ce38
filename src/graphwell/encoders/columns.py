"""Columns of each kind as numbers.

A column of few values counts less than a standardised number, and different categories are never further
apart however rare they are: steps would cut the graph into layers that other columns know nothing of.
"""

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from graphwell._rows import by_columns
from graphwell._types import BoolArray, FloatArray
from graphwell.encoders.kinds import Cells, Look, look_at
from graphwell.errors import warn_user

FEW_CELLS = 3
FEW_ROWS = 0.02
"""Up to so many missing cells, or this share of the rows, their absence is no column of its own."""
MOST_APART = 2.0
"""Largest square of the scale of indicators: two standard deviations between a half and the other half."""
WORTH_OF_CATEGORIES = 0.5
WORTH_OF_STEPS = 0.7
"""What categories, and a few different numbers, count in the place of a standardised number: chosen on ten
label sets of penguins and three of each of 24 tables of KEEL."""
WANT_A_SCALE = ("number", "step")
"""Kinds of columns that come in their own units."""
FEW_LEVELS = 5
GLANCE = 1000
YEAR, DAY = 365.2425, 1.0


class Encoder(Protocol):
    """A fitted column: turns its cells into columns of numbers.

    The kinds of what it makes: "number" wants a scale; so does "step", one of few numbers, and should then
    count `WORTH_OF_STEPS`; "indicator", "cycle" and "text" have their scale.
    """

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns that it makes."""
        ...

    @property
    def kinds(self) -> tuple[str, ...]:
        """What each of them holds."""
        ...

    def encode(self, cells: Cells) -> FloatArray:
        """Return a column of numbers for each name."""
        ...


def matters(missing: BoolArray) -> bool:
    """Whether so many cells are missing that their absence may mean something.

    Examples
    --------
    >>> matters(np.arange(100) < 3), matters(np.arange(100) < 4)
    (False, True)
    """
    return int(missing.sum()) > max(FEW_CELLS, FEW_ROWS * len(missing))


@dataclass(frozen=True)
class NumberEncoder:
    """Numbers as they are; a missing one is `fill`, and a second column says where it was missing.

    Attributes
    ----------
    name : str
    decimal : str
    fill : float
        NaN to leave cells missing.
    told : bool
        Whether there is a column that says where cells were missing.
    steps : bool
        Whether there are a few different numbers only.
    """

    name: str
    decimal: str
    fill: float
    told: bool
    steps: bool

    @classmethod
    def fit(cls, name: str, look: Look, fill: bool) -> "NumberEncoder":
        """The median fills missing cells."""
        middle = float(np.median(look.values[~look.missing])) if fill else np.nan
        known = look.values[~look.missing]
        steps = all(len(np.unique(values)) <= FEW_LEVELS for values in (known[:GLANCE], known))
        return cls(name, look.decimal, middle, fill and matters(look.missing), steps)

    @property
    def names(self) -> tuple[str, ...]:
        """The column, and the one that says where it was missing."""
        return (self.name, f"{self.name} missing") if self.told else (self.name,)

    @property
    def kinds(self) -> tuple[str, ...]:
        """A number, or one of few values; and an indicator."""
        return ("step" if self.steps else "number", "indicator")[: len(self.names)]

    def encode(self, cells: Cells) -> FloatArray:
        """Return the numbers."""
        look = look_at(cells, "number", self.decimal)
        values = look.values
        if look.missing.any():
            values = np.where(look.missing, values.dtype.type(self.fill), values)
        return np.column_stack([values, look.missing]) if self.told else values[:, None]


@dataclass(frozen=True)
class CategoryEncoder:
    """An indicator for each category, so scaled that the column counts half as much as a standardised number.

    Attributes
    ----------
    name : str
    categories : tuple of str
    scale : float
    fill : int
        Category that a missing cell counts as; -1 for a missing value, -2 for one of its own.
    joined : tuple of str
        Spellings of a category that differ in case or blanks; the first such, none if there are none.
    """

    name: str
    categories: tuple[str, ...]
    scale: float
    fill: int
    joined: tuple[str, ...] = ()

    @classmethod
    def fit(cls, name: str, look: Look, fill: bool) -> "CategoryEncoder":
        """Categories in the order of the alphabet."""
        found, counts, joined = _joined(*np.unique(look.values[~look.missing], return_counts=True))
        own = fill and matters(look.missing)
        every = np.append(counts, look.missing.sum()) if own else counts
        place = -2 if own else int(counts.argmax()) if fill else -1
        return cls(name, found, indicator_scale(every), place, joined)

    @property
    def names(self) -> tuple[str, ...]:
        """A name for each category."""
        words = (*self.categories, "missing") if self.fill == -2 else self.categories
        return tuple(f"{self.name}={word}" for word in words)

    @property
    def kinds(self) -> tuple[str, ...]:
        """All are indicators."""
        return ("indicator",) * len(self.names)

    def encode(self, cells: Cells) -> FloatArray:
        """Return the indicators; a category that was not there in the fit has none."""
        places_of = {_folded(word): place for place, word in enumerate(self.categories)}
        words, which = np.unique(cells.text, return_inverse=True)
        places = np.array([places_of.get(_folded(word), -1) for word in words.tolist()], dtype=int)[which]
        known = (places >= 0) & ~cells.missing
        self._warn_of_new(cells.text[~known & ~cells.missing])
        block = np.zeros((len(places), len(self.names)))
        block[known, places[known]] = self.scale
        if self.fill == -1:
            block[cells.missing] = np.nan
        else:
            block[cells.missing, len(self.categories) if self.fill == -2 else self.fill] = self.scale
        return block

    def _warn_of_new(self, words: Any) -> None:
        if len(words):
            warn_user(
                f"{len(words):,} rows have a category in {self.name!r} that no fitted row has "
                f"({str(words[0])!r}, say); they are compared by the other columns."
            )


def _folded(word: str) -> str:
    """A category without case and further blanks."""
    return " ".join(word.split()).casefold()


def _joined(words: Any, counts: Any) -> tuple[tuple[str, ...], Any, tuple[str, ...]]:
    """Categories under their most frequent spelling, their counts, and spellings that were joined."""
    groups: dict[str, list[int]] = {}
    for place, word in enumerate(words.tolist()):
        groups.setdefault(_folded(word), []).append(place)
    names = [str(words[max(group, key=lambda place: counts[place])]) for group in groups.values()]
    totals = np.array([counts[group].sum() for group in groups.values()])
    order = sorted(range(len(names)), key=lambda place: names[place])
    several = next(
        ([str(words[place]) for place in group] for group in groups.values() if len(group) > 1), []
    )
    return tuple(names[place] for place in order), totals[order], tuple(several)


@dataclass(frozen=True)
class BooleanEncoder:
    """One column of -1/2 for no and 1/2 for yes.

    Attributes
    ----------
    name : str
    fill : float
        What a missing cell counts as; NaN to leave it missing.
    """

    name: str
    fill: float
    told: bool

    @classmethod
    def fit(cls, name: str, look: Look, fill: bool) -> "BooleanEncoder":
        """The more frequent answer fills missing cells, or 0 where many are missing."""
        told = fill and matters(look.missing)
        usual = WORTH_OF_CATEGORIES if float(np.nanmean(look.values)) > 0.5 else -WORTH_OF_CATEGORIES
        return cls(name, np.nan if not fill else 0.0 if told else usual, told)

    @property
    def names(self) -> tuple[str, ...]:
        """The column itself, and the one that says where it was missing."""
        return (self.name, f"{self.name} missing") if self.told else (self.name,)

    @property
    def kinds(self) -> tuple[str, ...]:
        """Indicators."""
        return ("indicator",) * len(self.names)

    def encode(self, cells: Cells) -> FloatArray:
        """Return -1/2 and 1/2."""
        look = look_at(cells, "boolean")
        values = np.full(len(look.missing), self.fill)
        values[~look.missing] = WORTH_OF_CATEGORIES * (2.0 * look.values[~look.missing].astype(float) - 1.0)
        return np.column_stack([values, look.missing]) if self.told else values[:, None]


@dataclass(frozen=True)
class DateEncoder:
    """Days since the first date; and where in the year, or in the day, where that varies.

    Attributes
    ----------
    name : str
    origin : numpy.datetime64
    fill : float
        Days that a missing cell counts as; NaN to leave it missing.
    periods : tuple of (str, float)
        Names and lengths, in days, of what returns.
    """

    name: str
    origin: np.datetime64
    fill: float
    periods: tuple[tuple[str, float], ...]

    @classmethod
    def fit(cls, name: str, look: Look, fill: bool) -> "DateEncoder":
        """Seasons count from dates of more than a year on, and hours where there are times of day."""
        times = look.values[~look.missing]
        days = (times - times.min()) / np.timedelta64(1, "D")
        returning = []
        if days.max() > YEAR:
            returning.append(("season", YEAR))
        if (times != times.astype("datetime64[D]")).any():
            returning.append(("hour", DAY))
        middle = float(np.median(days)) if fill else np.nan
        return cls(name, times.min(), middle, tuple(returning))

    @property
    def names(self) -> tuple[str, ...]:
        """Days, then sine and cosine of what returns."""
        turns = [f"{self.name} {period} {part}" for period, _ in self.periods for part in ("sin", "cos")]
        return (f"{self.name} days", *turns)

    @property
    def kinds(self) -> tuple[str, ...]:
        """A number, then cycles."""
        return ("number", *("cycle",) * (2 * len(self.periods)))

    def encode(self, cells: Cells) -> FloatArray:
        """Return the days, and the cycles."""
        times = look_at(cells, "date").values
        days = (times - self.origin) / np.timedelta64(1, "D")
        start = (self.origin - self.origin.astype("datetime64[Y]")) / np.timedelta64(1, "D")
        days = np.where(np.isnat(times), self.fill, days)
        angles = [2 * np.pi * (days + start) / length for _, length in self.periods]
        return np.column_stack([days, *(turn(angle) for angle in angles for turn in (np.sin, np.cos))])


def indicator_scale(counts: Any) -> float:
    """Scale of the indicators of categories, which are so frequent.

    The root mean square distance of two rows is half that of a standardised number, and different rows are
    never further apart than the even halves of a table would be.

    Examples
    --------
    >>> round(indicator_scale(np.array([5, 5])), 4), round(indicator_scale(np.array([1, 1, 1, 1])), 4)
    (0.7071, 0.5774)
    """
    shares = counts / counts.sum()
    differ = 1.0 - float((shares**2).sum())
    return (
        WORTH_OF_CATEGORIES * float(np.sqrt(min(MOST_APART, 1.0 / differ)))
        if differ > 0
        else WORTH_OF_CATEGORIES
    )


MOST_WORDS = 50_000
SMALLEST_VARIANCE = 1e-12
WORD_DIRECTIONS = 50
LETTER_DIRECTIONS = 30


@dataclass(frozen=True)
class TextEncoder:
    """Texts by the words in them, names by their letters: leading directions of tf-idf, rows of length 1.

    Two texts without a word in common lie as far apart as two rows do on average in a standardised number.

    Attributes
    ----------
    name : str
    vectors, directions : scikit-learn transformers
    """

    name: str
    vectors: Any = field(repr=False)
    directions: Any = field(repr=False)

    @classmethod
    def fit(cls, name: str, look: Look, words: bool) -> "TextEncoder | None":
        """Learn the words, or groups of two to four letters; None where no two cells share any."""
        from sklearn.decomposition import TruncatedSVD
        from sklearn.feature_extraction.text import TfidfVectorizer

        which = (
            {"token_pattern": r"(?u)\b\w\w+\b"} if words else {"analyzer": "char_wb", "ngram_range": (2, 4)}
        )
        vectors = TfidfVectorizer(sublinear_tf=True, min_df=2, max_features=MOST_WORDS, **which)
        texts = np.where(look.missing, "", look.values).tolist()
        try:
            counted = vectors.fit_transform(texts)
        except ValueError:  # every word is found in one cell only
            return None
        components = min(WORD_DIRECTIONS if words else LETTER_DIRECTIONS, min(counted.shape) - 1)
        varied = counted.multiply(counted).sum() / len(texts) - (np.asarray(counted.mean(axis=0)) ** 2).sum()
        if components < 1 or varied < SMALLEST_VARIANCE:
            return None
        return cls(name, vectors, TruncatedSVD(components, random_state=0).fit(counted))

    @property
    def names(self) -> tuple[str, ...]:
        """A number for each direction."""
        return tuple(f"{self.name} {i + 1}" for i in range(self.directions.n_components))

    @property
    def kinds(self) -> tuple[str, ...]:
        """All are of the text."""
        return ("text",) * len(self.names)

    def encode(self, cells: Cells) -> FloatArray:
        """Return the directions; an empty text, or one of new words alone, is zero."""
        from sklearn.preprocessing import normalize

        texts = np.where(cells.missing, "", cells.text).tolist()
        return np.asarray(normalize(self.directions.transform(self.vectors.transform(texts))))


def shift_and_factor(rows: FloatArray, kinds: Any, scale: str = "standard") -> tuple[FloatArray, FloatArray]:
    """Shift and factor of each column; few different numbers count less, other kinds stay as they are.

    Parameters
    ----------
    rows : array of shape (n, d)
        NaN where unknown.
    kinds : array of shape (d,)
        Kind of each column, as in `graphwell.TableEncoder`.
    scale : {"standard", "robust"}
        By mean and standard deviation, or by median and the range of the middle half.

    Examples
    --------
    >>> shift_and_factor(np.array([[1.0, 30.0], [3.0, 10.0]]), np.array(["number", "indicator"]))
    (array([2., 0.]), array([1., 1.]))
    """
    middle, spread = by_columns(_standard if scale == "standard" else _robust, rows)
    rounding = len(rows) * np.finfo(np.float64).eps * np.abs(middle)
    worth = np.where(kinds == "step", WORTH_OF_STEPS, 1.0)
    numbers = np.isin(kinds, WANT_A_SCALE)
    factor = worth / np.where(spread > rounding, spread, 1.0)
    return np.where(numbers, middle, 0.0), np.where(numbers, factor, 1.0)


def _standard(columns: FloatArray) -> FloatArray:
    precise = np.asarray(columns, dtype=np.float64)  # sums in single precision lose what they add
    return np.stack([np.nanmean(precise, axis=0), np.nanstd(precise, axis=0)])


def _robust(columns: FloatArray) -> FloatArray:
    low, middle, high = np.nanpercentile(np.asarray(columns, dtype=np.float64), [25, 50, 75], axis=0)
    return np.stack([middle, high - low])
