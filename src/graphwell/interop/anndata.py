"""Cells of AnnData labelled in place, in the habits of scanpy; the library itself need not be imported."""

import warnings
from typing import Any

import numpy as np

from graphwell import __version__
from graphwell._unknown import is_known
from graphwell.errors import warn_user
from graphwell.estimators.diffuse import DiffuseInterfaceClassifier
from graphwell.graph import Graph
from graphwell.io.anndata_files import CONNECTIVITIES, usual_representation


def annotate(
    adata: Any,
    known: str,
    key_added: str = "graphwell",
    *,
    use_rep: str | None = None,
    **parameters: Any,
) -> DiffuseInterfaceClassifier:
    """Label every cell of an AnnData from those that have a label, in place.

    The graph is ``obsp["connectivities"]`` where scanpy made one, and is built from ``obsm["X_pca"]`` or
    another representation otherwise.

    Parameters
    ----------
    adata : anndata.AnnData
        A view is copied first, with a warning. In backed mode the labels are in memory until it is written.
    known : str
        Column of `obs` with the known labels; missing ones are unknown, and what `unknown` names.
    key_added : str
        ``obs[key_added]`` gets the labels, as a categorical; ``obs[key_added + "_score"]`` their scores;
        ``obs[key_added + "_given"]`` whether they were given; ``obsm[key_added + "_scores"]`` the scores of
        all classes; ``uns[key_added]`` the parameters, the classes and how the fit ended. Cells that no label
        reaches have none.
    use_rep : str, optional
        Representation to compare cells by: a key of `obsm`, or ``"X"``. The graph in `obsp` is then not used.
    **parameters
        Of `DiffuseInterfaceClassifier`: ``random_state=0``, ``class_prior=...``, ``unknown=...``.

    Returns
    -------
    DiffuseInterfaceClassifier
        The fitted classifier: `doubtful` names the cells to look at.

    Examples
    --------
    >>> import anndata, pandas
    >>> cells = anndata.AnnData(np.array([[0.0], [0.1], [5.0], [5.2]], dtype=np.float32))
    >>> cells.obs["known"] = pandas.Categorical(["T cell", None, None, "B cell"])
    >>> _ = annotate(cells, "known", n_neighbors=1, random_state=0)
    >>> list(cells.obs["graphwell"])
    ['T cell', 'T cell', 'B cell', 'B cell']
    """
    if not all(hasattr(adata, name) for name in ("obs", "obsm", "obsp", "uns", "is_view")):
        raise ValueError(f"annotate takes an AnnData, got {type(adata).__name__}.")
    if known not in adata.obs:
        raise ValueError(f"obs has no column {known!r}; it has {', '.join(map(str, adata.obs.columns))}.")
    if key_added == known:
        raise ValueError(f"key_added is {known!r}, the column of the known labels; give another name.")
    if adata.isbacked and adata.is_view:
        raise ValueError("adata is a view of a file, which cannot be written into; give adata.to_memory().")
    X, chosen = _graph_or_features(adata, use_rep)
    clf = DiffuseInterfaceClassifier(**parameters).fit(X, np.asarray(adata.obs[known], dtype=object))
    if adata.is_view:
        warn_user("adata is a view of another AnnData; it becomes a copy of its own, which gets the labels.")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Trying to modify attribute")  # that a view becomes a copy
        _write(adata, clf, known, key_added, {"known": known, **chosen, **parameters})
    return clf


def _graph_or_features(adata: Any, use_rep: str | None) -> tuple[Any, dict[str, str]]:
    """The graph of scanpy, or the features to build one from; and what was chosen."""
    if use_rep is None and CONNECTIVITIES in adata.obsp:
        return Graph.from_affinity(adata.obsp[CONNECTIVITIES]), {"obsp": CONNECTIVITIES}
    has_counts = adata.X is not None
    name = use_rep or usual_representation(adata.obsm, adata.n_vars, has_counts, "name one with use_rep")
    if name != "X" and name not in adata.obsm:
        raise ValueError(f"obsm has no {name!r}; it has {', '.join(adata.obsm) or 'nothing'}.")
    found = adata.X if name == "X" else adata.obsm[name]
    if hasattr(found, "to_memory"):  # it lies in a file
        found = found.to_memory()
    is_usable = hasattr(found, "iloc") or hasattr(found, "tocsr")
    return (found if is_usable else np.asarray(found)), {"use_rep": name}


def _write(adata: Any, clf: Any, known: str, key: str, params: dict[str, Any]) -> None:
    import pandas

    column, classes = adata.obs[known], clf.classes_.tolist()
    codes = np.where(clf.reachable_, np.searchsorted(clf.classes_, clf.transduction_), -1)
    order = list(column.cat.categories) if hasattr(column, "cat") else []  # plots keep their order
    order = [name for name in order if name in classes]
    order += [name for name in classes if name not in order]
    labels = [*classes, None]
    adata.obs[key] = pandas.Categorical([labels[code] for code in codes], categories=order)
    adata.obs[f"{key}_score"] = np.where(clf.reachable_, clf.label_distributions_.max(axis=1), np.nan)
    adata.obs[f"{key}_given"] = is_known(column, clf.unknown)
    adata.obsm[f"{key}_scores"] = np.asarray(clf.label_distributions_)
    storable = (bool, int, float, str)
    adata.uns[key] = {
        "params": {k: v if isinstance(v, storable) else repr(v) for k, v in params.items() if v is not None},
        "classes": np.array([str(name) for name in classes]),
        "status": clf.result_.status.value,
        "n_unreachable": int((~clf.reachable_).sum()),
        "calibrated": bool(clf.calibrated_),
        "version": __version__,
    }
    colors = adata.uns.get(f"{known}_colors")
    if colors is not None and len(colors) == len(order):  # otherwise a class had no label, and colours shift
        adata.uns[f"{key}_colors"] = colors
