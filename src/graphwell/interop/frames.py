"""Data frames of pandas, polars and Arrow: labels put beside the rows."""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from graphwell.io.cells import NEW_NAMES


def with_labels(frame: Any, clf: Any) -> Any:
    """Return a data frame with what a fit found for each of its rows, in the columns of `graphwell classify`.

    Parameters
    ----------
    frame : DataFrame of pandas or polars, or Table of Arrow
        The rows that `clf` was fitted on, in their order. It is not changed.
    clf : fitted classifier

    Returns
    -------
    frame
        Of the same library, with ``graphwell_label``, ``graphwell_score``, ``graphwell_reachable`` and
        ``graphwell_given``; label and score are missing where no label reaches a row. Columns of an earlier
        fit are replaced.

    Examples
    --------
    >>> import pandas
    >>> from graphwell import DiffuseInterfaceClassifier
    >>> pets = pandas.DataFrame({"weight": [4.0, 5.0, 28.0, 30.0]})
    >>> clf = DiffuseInterfaceClassifier(n_neighbors=1, random_state=0).fit(pets, ["cat", None, None, "dog"])
    >>> with_labels(pets, clf)["graphwell_label"].tolist()
    ['cat', 'cat', 'dog', 'dog']
    """
    check_is_fitted(clf)
    library = type(frame).__module__.partition(".")[0]
    if library not in ("pandas", "polars", "pyarrow") or not hasattr(frame, "columns"):
        raise ValueError(f"A data frame of pandas, polars or Arrow is expected, got {type(frame).__name__}.")
    if len(frame) != len(clf.transduction_):
        raise ValueError(
            f"The frame has {len(frame):,} rows, but the fit was of {len(clf.transduction_):,}; "
            "give the rows of the fit, or use predict for others."
        )
    reachable = np.asarray(clf.reachable_)
    labels = [label if r else None for label, r in zip(clf.transduction_.tolist(), reachable, strict=True)]
    scores = np.where(reachable, clf.label_distributions_.max(axis=1), np.nan)
    values = (labels, scores.tolist(), reachable.tolist(), np.asarray(clf._given).tolist())
    columns: dict[str, Any] = dict(zip(NEW_NAMES, values, strict=False))
    if library == "pandas":
        return frame.assign(**columns)
    if library == "polars":
        return frame.drop(NEW_NAMES, strict=False).hstack(type(frame)(columns))
    frame = frame.drop_columns([name for name in NEW_NAMES if name in frame.column_names])
    for name, column in columns.items():
        frame = frame.append_column(name, [column])
    return frame
