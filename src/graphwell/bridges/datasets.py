"""Datasets of Hugging Face, read by their own methods; the library itself need not be imported."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwell.errors import in_short


def from_dataset(dataset: Any, label: str = "label", columns: Sequence[str] | None = None) -> tuple[Any, Any]:
    """Features and labels of a dataset of Hugging Face, as `fit` takes them.

    Parameters
    ----------
    dataset : datasets.Dataset
        Selections and shuffles of it are honoured.
    label : str
        Column of the labels. A `ClassLabel` becomes the names of its classes, its -1 and None are unknown.
    columns : list of str, optional
        Columns to compare rows by; all others than `label` by default.

    Returns
    -------
    X : array or pyarrow.Table
        An array if there is one column and it holds a vector for each row, an embedding say; else a table.
    y : array of shape (n,)
        None where the label is unknown.

    Notes
    -----
    Texts are best embedded first::

        rows = datasets.load_dataset("imdb", split="train").map(embed)
        X, y = gw.from_dataset(rows, columns=["embedding"])
    """
    if isinstance(dataset, dict):
        parts = ", ".join(map(repr, dataset))
        raise ValueError(f"This holds several datasets, {parts}; give one of them.")
    if not all(hasattr(dataset, name) for name in ("features", "column_names", "with_format")):
        raise ValueError(f"A Dataset of Hugging Face is expected, got {type(dataset).__name__}.")
    chosen = _chosen(dataset.column_names, label, columns)
    for name in (label, *chosen):
        if name not in dataset.column_names:
            raise ValueError(f"The dataset has no column {name!r}; it has {', '.join(dataset.column_names)}.")
    if not chosen:
        raise ValueError(f"The dataset has no column beside {label!r} to compare rows by.")
    table = dataset.with_format("arrow")[:]
    return _features(table.select(chosen)), _labels(table.column(label), dataset.features[label])


def _chosen(names: Sequence[str], label: str, columns: Any) -> list[str]:
    """Names of the columns to compare rows by."""
    if columns is None:
        return [name for name in names if name != label]
    if isinstance(columns, str) or not isinstance(columns, Sequence):
        raise ValueError(f"columns must be a list of names, got {in_short(columns)}.")
    return list(columns)


def _features(table: Any) -> Any:
    """The one column of vectors as a matrix, everything else as it is."""
    if table.num_columns > 1 or "list" not in str(table.column(0).type):
        return table
    rows = table.column(0).to_pylist()
    lengths = {len(row) if row is not None else 0 for row in rows}
    if len(lengths) > 1:
        raise ValueError(
            f"The vectors of {table.column_names[0]!r} have different lengths, "
            f"{min(lengths)} to {max(lengths)}; give each row one of the same length."
        )
    try:
        return np.array(rows, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"The vectors of {table.column_names[0]!r} must hold numbers alone.") from error


def _labels(column: Any, feature: Any) -> Any:
    names = getattr(feature, "names", None)
    given = column.to_pylist()
    values = np.empty(len(given), dtype=object)
    values[:] = given if names is None else [_name(code, names) for code in given]
    return values


def _name(code: Any, names: Sequence[str]) -> str | None:
    if code is not None and (not isinstance(code, int) or code >= len(names)):
        raise ValueError(f"A label is {code!r}, but the classes are numbered 0 to {len(names) - 1}.")
    return None if code is None or code < 0 else names[code]
