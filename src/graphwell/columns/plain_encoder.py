"""A table of any columns as a matrix: what `TableEncoder` does."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np

from graphwell._types import FloatArray
from graphwell.columns.cells import Cells, ColumnCells
from graphwell.columns.encoders import (
    WANT_A_SCALE,
    BooleanEncoder,
    CategoryEncoder,
    DateEncoder,
    Encoder,
    NumberEncoder,
)
from graphwell.columns.fate import Fate, left_out, looks_like_truth, numbers_the_rows, recodes_labels
from graphwell.columns.look import WORDS_OF_A_TEXT, Look, look_at
from graphwell.columns.names import NAMES_SHOWN, hint
from graphwell.columns.scale import shift_and_factor
from graphwell.columns.text import TextEncoder
from graphwell.errors import OptionError, Sentence, in_short
from graphwell.io.tables.cells import TEXT, is_text

MISSING_RULES = ("fill", "keep")


class PlainEncoder:
    """`TableEncoder`, which documents it, without scikit-learn, which takes long to import."""

    fates_: tuple[Fate, ...]
    encoders_: dict[str, Encoder]
    kinds_: tuple[str, ...]

    def __init__(
        self,
        features: Sequence[str] | None = None,
        drop: Sequence[str] = (),
        as_number: Sequence[str] = (),
        as_category: Sequence[str] = (),
        decimal: str | None = None,
        missing: str = "fill",
        standardise: bool = False,
    ) -> None:
        self.features = features
        self.drop = drop
        self.as_number = as_number
        self.as_category = as_category
        self.decimal = decimal
        self.missing = missing
        self.standardise = standardise

    def fit(self, X: Any, y: Any = None) -> Self:
        """Look at every column.

        Parameters
        ----------
        X : data frame, or mapping from names to columns
        y : array of text, optional
            Known labels, empty where unknown: a column that repeats them is left out.
        """
        cells = ColumnCells(X)
        self._fit(cells, y)
        if self._is_mixed():
            self._fit_scale(self._encoded(cells))
        return self

    def fit_transform(self, X: Any, y: Any = None) -> FloatArray:
        """Look at every column, and return the matrix."""
        cells = ColumnCells(X)
        self._fit(cells, y)
        matrix = self._encoded(cells)
        if self._is_mixed():
            self._fit_scale(matrix)
        return self._scaled(matrix)

    def _fit(self, cells: Mapping[str, Cells], y: Any) -> None:
        labels = None if y is None else np.asarray(y, dtype=TEXT)
        self._check(cells)
        fates: dict[str, Fate] = {}
        encoders: dict[str, Encoder] = {}
        seen: dict[tuple[str, int], list[str]] = {}
        for name in cells:
            fates[name], encoder = self._fitted(name, cells, labels, seen)
            if encoder is not None:
                encoders[name] = encoder
        if not encoders:
            raise _nothing_left(list(fates.values()))
        self.fates_ = tuple(fates.values())
        self.encoders_ = encoders
        self.kinds_ = tuple(kind for encoder in encoders.values() for kind in encoder.kinds)
        self.n_features_in_ = len(cells)
        self.shift_: FloatArray | None = None
        self.factor_: FloatArray | None = None

    def _encoded(self, cells: Mapping[str, Cells]) -> FloatArray:
        """The matrix, in single precision where all columns are; one column is in memory beside it."""
        X, first = np.empty((0, 0), dtype=np.float32), 0
        for name, encoder in self.encoders_.items():
            block = encoder.encode(cells[name])
            if first == 0:
                X = np.empty((len(block), len(self.kinds_)), dtype=block.dtype)
            X = X.astype(np.result_type(X, block), copy=False)
            X[:, first : first + block.shape[1]] = block
            first += block.shape[1]
        return X

    def _is_mixed(self) -> bool:
        """Whether numbers are to be standardised, as columns of other kinds stand beside them."""
        numbers = np.isin(self.kinds_, WANT_A_SCALE)
        return self.standardise and bool(numbers.any()) and not numbers.all()

    def _fit_scale(self, X: FloatArray) -> None:
        """Mean and inverse spread of the numbers, 0 and 1 for columns that have their scale."""
        self.shift_, self.factor_ = shift_and_factor(X, np.array(self.kinds_))

    def _scaled(self, X: FloatArray) -> FloatArray:
        """The matrix in its scale, changed in place."""
        if self.factor_ is not None:
            X -= self.shift_
            X *= self.factor_
        return X

    @property
    def outputs_(self) -> tuple[str, ...]:
        """Names of the columns of the matrix."""
        return tuple(name for encoder in self.encoders_.values() for name in encoder.names)

    def _fitted(
        self, name: str, cells: Mapping[str, Cells], labels: Any, seen: dict[tuple[str, int], list[str]]
    ) -> tuple[Fate, Encoder | None]:
        """What becomes of a column, and its encoder if it is used."""
        if name in self.drop or (self.features is not None and name not in self.features):
            return left_out(name, "", "as asked"), None
        column = cells[name]
        wanted = "number" if name in self.as_number else "category" if name in self.as_category else None
        asked = wanted is not None or self.features is not None
        look = look_at(column, wanted, self.decimal)
        if look.missing.all():
            if wanted == "number":
                problem = "{field} {}: the column holds no number; its first cell is {!r}."
                raise OptionError("as_number", problem, name, str(column.text[0]))
            return left_out(name, "empty", "it holds no value"), None
        fate = None if asked else _why_left_out(name, look, column, cells, labels)
        if fate is None and not asked:
            fate = self._copied(name, look, cells, seen)
        if fate is not None:
            return fate, None
        encoder = _encoder(name, look, self.missing == "fill")
        if encoder is None:
            return left_out(name, "text", "no two of its texts share a word"), None
        fate = _used(name, look, column, encoder, self.missing == "fill")
        if not asked and labels is not None and look.kind != "text" and recodes_labels(column, labels):
            said = (
                fate.became.template + "; one value for each class: {drop} leaves it out if it is the truth"
            )
            fate = replace(fate, became=Sentence(said, fate.became.values), warns=True)
        return fate, encoder

    def _copied(
        self, name: str, look: Look, cells: Mapping[str, Cells], seen: dict[tuple[str, int], list[str]]
    ) -> Fate | None:
        """The fate of a column with the same cells as an earlier one, which is read again to make sure."""
        alike = seen.setdefault((look.kind, digest(look.values)), [])
        may_be_nan = look.values.dtype.kind in "fM"
        for other in alike:
            earlier = look_at(cells[other], None, self.decimal).values
            if np.array_equal(look.values, earlier, equal_nan=may_be_nan):
                return left_out(name, look.kind, "a copy of {!r}", other)
        alike.append(name)
        return None

    def _check(self, cells: Mapping[str, Cells]) -> None:
        if self.missing not in MISSING_RULES:
            raise ValueError(
                f"missing must be one of {', '.join(MISSING_RULES)}; got {in_short(self.missing)}."
            )
        for field in ("features", "drop", "as_number", "as_category"):
            for name in getattr(self, field) or ():
                if name not in cells:
                    raise OptionError(
                        field, "{field} {}: there is no such column; {}", name, hint(name, cells)
                    )
        both = sorted(set(self.as_number) & set(self.as_category))
        if both:
            raise OptionError("as_number", "{field} {}: {as_category} names the column too.", both[0])


def _why_left_out(name: str, look: Look, column: Cells, names: Mapping[str, Any], labels: Any) -> Fate | None:
    if not name:
        return left_out(name, look.kind, "it has no name")
    truth = looks_like_truth(name, names, column, labels)
    if truth is not None:
        return left_out(name, look.kind, truth + "; {features} uses it after all", warns=True)
    known = look.values[~look.missing]
    if not look.missing.any() and bool((known == known[0]).all()):
        return left_out(name, look.kind, "it has one value only")
    why = numbers_the_rows(name, look, column)
    return None if why is None else left_out(name, look.kind, why)


def digest(values: Any) -> int:
    """A number that equal columns share; different ones hardly ever do.

    Examples
    --------
    >>> digest(np.array([0.0, np.nan])) == digest(np.array([-0.0, np.nan], dtype=np.float32))
    True
    """
    if is_text(values):
        return hash(tuple(values.tolist()))
    if values.dtype.kind == "M":
        return hash(values.astype("datetime64[s]").tobytes())
    return hash((np.nan_to_num(values.astype(np.float64)) + 0.0).tobytes())


def _encoder(name: str, look: Look, fill: bool) -> Encoder | None:
    if look.kind == "text":
        known = look.values[~look.missing].tolist()
        words = sum(len(str(cell).split()) for cell in known)
        return TextEncoder.fit(name, look, words >= WORDS_OF_A_TEXT * len(known))
    makers: dict[str, Any] = {"boolean": BooleanEncoder, "category": CategoryEncoder, "date": DateEncoder}
    made: Encoder = makers.get(look.kind, NumberEncoder).fit(name, look, fill)
    return made


def _used(name: str, look: Look, cells: Cells, encoder: Encoder, fill: bool) -> Fate:
    """The fate of a column that is used: what it became, and what its cells are like."""
    kinds, values = _became(look, encoder)
    n_missing, n_known = int(cells.missing.sum()), int((~cells.missing).sum())
    if n_missing:
        marked = any(made.endswith("missing") for made in encoder.names)
        done = "" if not fill or look.kind == "text" else ", marked" if marked else ", filled in"
        kinds, values = kinds + "; {:,} missing" + done, (*values, n_missing)
    if len(look.bad) and look.kind != "category":
        first = int(look.bad[0])
        said = "; {:,} of {:,} cells are {}s; row {} is {!r}"
        what = (n_known - len(look.bad), n_known, look.kind, first + 1, str(cells.text[first]))
        return Fate(name, look.kind, Sentence(kinds + said, (*values, *what)), warns=True)
    return Fate(name, look.kind, Sentence(kinds, values))


def _became(look: Look, encoder: Encoder) -> tuple[str, tuple[Any, ...]]:
    if look.kind == "category":
        return "{} indicators", (len(encoder.names),)
    if look.kind == "text":
        return "{} numbers", (len(encoder.names),)
    if look.kind == "date":
        return "days" + ", ".join(["", *(p for p, _ in encoder.periods)]), ()  # type: ignore[attr-defined]
    return ("one feature" if look.kind == "number" else "yes or no"), ()


def _nothing_left(fates: Sequence[Fate]) -> OptionError:
    looked_at = [fate for fate in fates if fate.kind] or fates
    why = "; ".join(f"{fate.name} ({fate.became})" for fate in looked_at[:NAMES_SHOWN])
    if not fates:
        return OptionError("features", "There is no column that rows could be compared by.")
    return OptionError("features", "There is no column that rows could be compared by: {}.", why)
