"""Columns of each kind as numbers, and their scale.

A column of few values counts less than a standardised number, and different categories are never further
apart however rare they are: steps would cut the graph into layers that other columns know nothing of.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any

import numpy as np

from graphwell._rows import by_columns
from graphwell._types import BoolArray, FloatArray
from graphwell.encoders.encode import better_encoder, encode
from graphwell.encoders.kinds import WORDS_OF_A_TEXT, Cells, Look, look_at
from graphwell.encoders.texts import word_directions
from graphwell.errors import Sentence, warn_user

FEW_CELLS = 3
# Up to so many missing cells, or this share of the rows, their absence is no column of its own.
FEW_ROWS = 0.02
# Largest square of the scale of indicators: two standard deviations between a half and the other half.
MOST_APART = 2.0
WORTH_OF_CATEGORIES = 0.5
# What categories, and a few different numbers, count in the place of a standardised number: chosen on ten
# label sets of penguins and three of each of 24 tables of KEEL.
WORTH_OF_STEPS = 0.7
# Kinds of columns that come in their own units.
WANT_A_SCALE = ("number", "step")
FEW_LEVELS = 5
FIRST_ROWS = 1000
YEAR, DAY = 365.2425, 1.0
SMALLEST_VARIANCE = 1e-12
WORD_DIRECTIONS = 50
LETTER_DIRECTIONS = 30
WORDS_OF_A_SENTENCE = (
    6.0  # Mean number of words from which on models of sentences say more than words; not tuned.
)
VECTOR_DIRECTIONS = 100


@dataclass(frozen=True)
class Encoder:
    """A fitted column: names and kinds of the columns of numbers that it becomes, and what makes them.

    Of kinds "number" wants a scale, and so does "step", one of few different numbers, which then counts
    `WORTH_OF_STEPS`; "indicator", "cycle" and "text" have their scale.
    """

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    encode: Callable[[Cells], FloatArray] = field(repr=False)
    became: Sentence
    joined: tuple[str, ...] = ()
    """Spellings of a category that differ in case or blanks; the first such."""
    codes: FloatArray | None = None
    """Code of each indicator of categories, for the single column that trees are given."""


def fitted(name: str, look: Look, of_texts: str = "tfidf") -> Encoder | None:
    """The encoder of a column, whose missing cells are filled; None if its texts share no word."""
    if look.kind == "text":
        return _texts(name, look, of_texts)
    makers = {"boolean": _booleans, "category": _categories, "date": _dates}
    return makers.get(look.kind, _numbers)(name, look)


def _matters(missing: BoolArray) -> bool:
    """Whether so many cells are missing that their absence may mean something."""
    return int(missing.sum()) > max(FEW_CELLS, FEW_ROWS * len(missing))


def _numbers(name: str, look: Look) -> Encoder:
    """Numbers as they are, the median in holes; a second column says where there were many."""
    known, told = look.values[~look.missing], _matters(look.missing)
    middle = float(np.median(known))
    few = all(len(np.unique(values)) <= FEW_LEVELS for values in (known[:FIRST_ROWS], known))
    names, kinds = (name, f"{name} missing"), ("step" if few else "number", "indicator")
    mostly_words = 2 * len(look.bad) > len(look.values)  # and numbers only because somebody said so
    made = partial(_filled_numbers, None if mostly_words else name, look.decimal, middle, told)
    return Encoder(names[: 1 + told], kinds[: 1 + told], made, Sentence("one feature"))


def _filled_numbers(name: str | None, decimal: str, fill: float, told: bool, cells: Cells) -> FloatArray:
    look = look_at(cells, "number", decimal)
    values = look.values
    if name is not None and 2 * len(look.bad) > len(values):
        example = str(cells.text[look.bad[0]])
        warn_user(
            f"{len(look.bad):,} of {len(values):,} cells of {name!r} are no numbers ({example!r}, say); "
            "they count as missing."
        )
    if look.missing.any():
        values = np.where(look.missing, values.dtype.type(fill), values)
    return np.column_stack([values, look.missing]) if told else values[:, None]


def _booleans(name: str, look: Look) -> Encoder:
    """One column of -1/2 and 1/2; the more frequent answer fills holes, or 0 where there are many."""
    told = _matters(look.missing)
    usual = WORTH_OF_CATEGORIES if float(np.nanmean(look.values)) > 0.5 else -WORTH_OF_CATEGORIES
    made = partial(_halves, 0.0 if told else usual, told)
    names = (name, f"{name} missing")[: 1 + told]
    return Encoder(names, ("indicator",) * len(names), made, Sentence("yes or no"))


def _halves(fill: float, told: bool, cells: Cells) -> FloatArray:
    look = look_at(cells, "boolean")
    values = np.full(len(look.missing), fill)
    values[~look.missing] = WORTH_OF_CATEGORIES * (2.0 * look.values[~look.missing].astype(float) - 1.0)
    return np.column_stack([values, look.missing]) if told else values[:, None]


# ---------------------------------------------------------------------------------------------- categories


def _categories(name: str, look: Look) -> Encoder:
    """An indicator for each category, in the order of the alphabet.

    Spellings that differ in case or blanks are one category, under the most frequent of them.
    """
    words, counts = np.unique(look.values[~look.missing], return_counts=True)
    groups: dict[str, list[int]] = {}
    for place, word in enumerate(words.tolist()):
        groups.setdefault(_folded(word), []).append(place)
    totals = {
        str(words[max(group, key=lambda place: counts[place])]): int(counts[group].sum())
        for group in groups.values()
    }
    found = sorted(totals)
    sizes = [totals[word] for word in found]
    several = next((group for group in groups.values() if len(group) > 1), [])
    own = _matters(look.missing)  # missing is a category of its own
    place = len(found) if own else int(np.argmax(sizes))
    # The root mean square distance of two rows is half that of a standardised number, and different rows are
    # never further apart than the even halves of a table would be.
    of_each = np.array([*sizes, look.missing.sum()] if own else sizes)
    differ = 1.0 - float(((of_each / of_each.sum()) ** 2).sum())
    scale = WORTH_OF_CATEGORIES * (float(np.sqrt(min(MOST_APART, 1.0 / differ))) if differ > 0 else 1.0)
    every = [*found, "missing"] if own else found
    return Encoder(
        tuple(f"{name}={word}" for word in every),
        ("indicator",) * len(every),
        partial(_indicators, name, tuple(found), len(every), scale, place),
        Sentence("{} indicators", (len(every),)),
        tuple(str(words[place]) for place in several),
        np.arange(1.0, len(every) + 1) / scale,
    )


def _indicators(
    name: str, categories: tuple[str, ...], width: int, scale: float, fill: int, cells: Cells
) -> FloatArray:
    """Indicators of the categories; a missing cell is the category `fill`."""
    places_of = {_folded(word): place for place, word in enumerate(categories)}
    words, which = np.unique(cells.text, return_inverse=True)
    places = np.array([places_of.get(_folded(word), -1) for word in words.tolist()], dtype=int)[which]
    known = (places >= 0) & ~cells.missing
    new = cells.text[~known & ~cells.missing]
    if len(new):
        warn_user(
            f"{len(new):,} rows have a category in {name!r} that no fitted row has "
            f"({str(new[0])!r}, say); they are compared by the other columns."
        )
    block = np.zeros((len(places), width))
    block[known, places[known]] = scale
    block[cells.missing, fill] = scale
    return block


def _folded(word: str) -> str:
    """A category without case and further blanks."""
    return " ".join(word.split()).casefold()


# ----------------------------------------------------------------------------------------- dates and texts


def _dates(name: str, look: Look) -> Encoder:
    """Days since the first date; sine and cosine of the season from a year on, and of the hour."""
    times = look.values[~look.missing]
    days = (times - times.min()) / np.timedelta64(1, "D")
    periods = {"season": YEAR} if days.max() > YEAR else {}
    if (times != times.astype("datetime64[D]")).any():
        periods["hour"] = DAY
    turns = [f"{name} {period} {part}" for period in periods for part in ("sin", "cos")]
    return Encoder(
        (f"{name} days", *turns),
        ("number", *("cycle",) * len(turns)),
        partial(_days, times.min(), float(np.median(days)), tuple(periods.values())),
        Sentence(", ".join(["days", *periods])),
    )


def _days(origin: Any, fill: float, periods: tuple[float, ...], cells: Cells) -> FloatArray:
    times = look_at(cells, "date").values
    start = (origin - origin.astype("datetime64[Y]")) / np.timedelta64(1, "D")
    days = np.where(np.isnat(times), fill, (times - origin) / np.timedelta64(1, "D"))
    angles = [2 * np.pi * (days + start) / length for length in periods]
    return np.column_stack([days, *(turn(angle) for angle in angles for turn in (np.sin, np.cos))])


def _texts(name: str, look: Look, encoder: str) -> Encoder | None:
    """Texts by an encoder or the words in them, names by groups of two to four letters: leading directions.

    Rows have length 1: two texts without a word in common lie as far apart as two rows do on average in a
    standardised number.
    """
    known = look.values[~look.missing].tolist()
    length = sum(len(str(cell).split()) for cell in known) / len(known)
    words, sentences = length >= WORDS_OF_A_TEXT, length >= WORDS_OF_A_SENTENCE
    texts = np.where(look.missing, "", look.values).tolist()
    order = sorted(range(len(texts)), key=texts.__getitem__)  # whatever the order of the rows
    if sentences and encoder != "tfidf":
        from sklearn.decomposition import TruncatedSVD

        vectors = _vectors(encoder, tuple(texts))[order]
        width = min(VECTOR_DIRECTIONS, len(vectors) - 1, vectors.shape[1])
        if width < 1:
            return None
        made = partial(_encoded, encoder, TruncatedSVD(width, random_state=0).fit(vectors))
        told = Sentence("{} numbers by the encoder {}", (width, encoder))
    else:
        which = (
            {"token_pattern": r"(?u)\b\w\w+\b"} if words else {"analyzer": "char_wb", "ngram_range": (2, 4)}
        )
        most = WORD_DIRECTIONS if words else LETTER_DIRECTIONS
        try:
            directions = word_directions([texts[place] for place in order], most, min_df=2, **which)
        except ValueError:  # every word is found in one cell only
            return None
        if getattr(directions[1], "explained_variance_", np.zeros(1)).sum() < SMALLEST_VARIANCE:
            return None
        width, made = directions[1].n_components, partial(_directions, directions)
        told, better = Sentence("{} numbers", (width,)), better_encoder("texts") if sentences else None
        if better is not None:
            told = Sentence("{} numbers by tfidf; {} brings a better encoder", (width, better))
    return Encoder(tuple(f"{name} {i + 1}" for i in range(width)), ("text",) * width, made, told)


def _encoded(encoder: str, directions: Any, cells: Cells) -> FloatArray:
    """The directions of what an encoder of texts says; an empty text is zero."""
    from sklearn.preprocessing import normalize

    vectors = _vectors(encoder, tuple(np.where(cells.missing, "", cells.text).tolist()))
    return np.where(cells.missing[:, None], 0.0, normalize(directions.transform(vectors)))


@lru_cache(maxsize=1)
def _vectors(encoder: str, texts: tuple[str, ...]) -> FloatArray:
    """Vectors of texts; those of the last column are kept, as they are asked for after the fit again."""
    return encode(list(texts), encoder)


def _directions(directions: Any, cells: Cells) -> FloatArray:
    return np.asarray(directions.transform(np.where(cells.missing, "", cells.text).tolist()))


# --------------------------------------------------------------------------------------------------- scale


def shift_and_factor(rows: FloatArray, kinds: Any, scale: str = "standard") -> tuple[FloatArray, FloatArray]:
    """Shift and factor of each column, by mean and deviation or, "robust", by median and quartiles.

    Few different numbers count less; columns of kinds that have their scale stay as they are.
    """
    middle, spread = by_columns(_standard if scale == "standard" else _robust, rows)
    rounding = len(rows) * np.finfo(np.float64).eps * np.abs(middle)
    worth = np.where(kinds == "step", WORTH_OF_STEPS, 1.0)
    numbers = np.isin(kinds, WANT_A_SCALE)
    factor = worth / np.where(spread > rounding, spread, 1.0)
    return np.where(numbers, middle, 0.0), np.where(numbers, factor, 1.0)


def _standard(columns: FloatArray) -> FloatArray:
    # Sums in single precision lose what they add; those of sorted numbers know no order of the rows.
    precise = np.sort(np.asarray(columns, dtype=np.float64), axis=0)
    return np.stack([np.nanmean(precise, axis=0), np.nanstd(precise, axis=0)])


def _robust(columns: FloatArray) -> FloatArray:
    low, middle, high = np.nanpercentile(np.asarray(columns, dtype=np.float64), [25, 50, 75], axis=0)
    return np.stack([middle, high - low])
