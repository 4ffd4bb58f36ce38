"""Columns of text as numbers."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from graphwell._types import FloatArray
from graphwell.columns.cells import Cells
from graphwell.columns.look import Look

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
