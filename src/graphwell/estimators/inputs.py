"""Input of a fit: data frames are encoded, foreign objects refused in a sentence that helps."""

from collections.abc import Iterator, Mapping
from os import PathLike
from typing import Any

import numpy as np

from graphwell._types import FloatArray
from graphwell.encoders.report import column_note
from graphwell.encoders.table import TableEncoder, refuse_extreme
from graphwell.errors import warn_user
from graphwell.estimators.labels import Labels

ADVICE = {
    "AnnData": "use graphwell.annotate(X, '...'), which takes the name of the column of the known labels, or "
    "give a matrix of it, X.obsm['X_pca'] say",
    "DataArray": "give X.values, with one row per sample",
    "Dataset": "give its samples as one array or data frame; of Hugging Face, np.array(X['embedding']) or "
    "X.to_pandas()",
    "DiGraph": "its edges have a direction, which affinities have not; give "
    "graphwell.Graph.from_affinity(networkx.to_scipy_sparse_array(X.to_undirected()))",
    "Graph": "give graphwell.Graph.from_affinity(networkx.to_scipy_sparse_array(X)), or "
    "X.get_adjacency_sparse() of igraph",
    "Data": "give torch_geometric.utils.to_scipy_sparse_matrix(X.edge_index) as a precomputed "
    "graph, and its x as features",
    "Series": "one column is X.to_frame()",
    "LazyFrame": "give X.collect()",
}
"""Replacements for objects of other libraries, by the name of their type; of others, an array."""


def refuse_foreign(X: Any) -> None:
    """Refuse what holds no rows of features, with the sentence that helps.

    Examples
    --------
    >>> refuse_foreign("data.csv")
    Traceback (most recent call last):
    ValueError: X is the text 'data.csv', not rows of features; read the file first, with
    graphwell.read_table say, or use `graphwell classify`.
    """
    what, advice = _named(X)
    if advice is not None:
        raise ValueError(f"X is {what}, not rows of features; {advice}.")
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        raise ValueError(
            f"X has {int(np.ma.getmaskarray(X).sum()):,} masked cells; fill them in with X.filled(...), "
            "or give a data frame, whose missing cells are filled in."
        )
    if isinstance(X, np.ndarray) and X.dtype.kind in "OUT":
        _refuse_text(X)
    elif isinstance(X, list | tuple) and X and isinstance(X[0], list | tuple):
        _refuse_text(np.array(X[:1], dtype=object))


def _refuse_text(X: Any) -> None:
    """Say where words belong; an array of numbers written as text passes."""
    try:
        X.astype(float)
    except ValueError:
        raise ValueError(
            "X is an array that holds text; give a data frame, whose columns may hold words and dates."
        ) from None
    except (TypeError, OverflowError):
        return  # other objects get the sentence of scikit-learn, huge integers that of features


def encoded_frame(
    X: Any, labels: Labels | None = None, encoder: TableEncoder | None = None
) -> tuple[TableEncoder, FloatArray]:
    """The encoder of a data frame and its matrix, with a warning for each column to look at."""
    encoder, names = TableEncoder(standardise=True) if encoder is None else encoder, None
    if labels is not None:
        names = np.array([*map(str, labels.classes.tolist()), ""], dtype=object)[labels.codes]
    matrix = encoder.fit_transform(X, names)
    refuse_extreme(matrix, encoder.get_feature_names_out())
    for treatment in encoder.treatments_:
        if treatment.warns:
            # Its options are those of an encoder before the classifier.
            warn_user(
                column_note(treatment),
                python_words=lambda field, _: f"graphwell.TableEncoder({field}=...) in a pipeline",
            )
    return encoder, matrix


def _named(X: Any) -> tuple[str, str | None]:
    """A sentence on the type of X and its replacement; None if it may hold rows."""
    if isinstance(X, str | bytes | PathLike):
        read = "read the file first, with graphwell.read_table say, or use `graphwell classify`"
        return f"the {'text' if isinstance(X, str | bytes) else 'path'} {str(X)!r}", read
    if isinstance(X, Mapping) and not hasattr(X, "shape"):  # some sparse matrices are mappings too
        return "a mapping", "give a data frame, pandas.DataFrame(X) say"
    if isinstance(X, list | tuple) and X and isinstance(X[0], str):
        return "a list of text", "give its vectors, graphwell.encode(X), or a data frame with a column of it"
    if isinstance(X, set | frozenset):
        return "a set, which has no order", "give a list of rows"
    if isinstance(X, Iterator | range):
        return (
            f"a {type(X).__name__}, whose items are made one by one",
            "give an array, numpy.array(list(X)) say",
        )
    if X is None:
        return "None", "give an array with one row per sample"
    foreign = type(X).__module__.partition(".")[0] not in ("graphwell", "numpy", "scipy", "builtins")
    name = next((cls.__name__ for cls in type(X).__mro__ if cls.__name__ in ADVICE), None)
    if foreign and name is not None:
        article = "an" if name[0] in "AEIOU" else "a"
        return f"{article} {name} of {type(X).__module__.partition('.')[0]}", ADVICE[name]
    return "", None
