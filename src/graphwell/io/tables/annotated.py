"""Cells of AnnData as a table: the columns of `obs`, and a representation to compare cells by.

The only module that imports anndata.
"""

import math
from collections.abc import Collection
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from graphwell.errors import OptionError
from graphwell.io.tables.arrays import column_of
from graphwell.io.tables.base import NEW_NAMES, NewColumns, Table
from graphwell.io.tables.cells import typed
from graphwell.memory import check_fits

USUAL = "X_pca"
DRAWINGS = ("X_umap", "X_tsne", "X_draw_graph_fa", "X_draw_graph_fr", "X_diffmap")
"""Representations for the eye, which distances must not be read off."""
GENES_AS_THEY_ARE = 50
"""Up to so many columns `X` itself is compared, as scanpy does."""
CONNECTIVITIES = "connectivities"
"""The graph in `obsp` that `scanpy.pp.neighbors` makes."""
BYTES_PER_LINK = 16
NAMES_OF_CELLS = "obs_names"
TEXT_OF_PANDAS_3 = "allow_write_nullable_strings"
"""The setting of anndata, from its version 0.12 on, that lets text be written which may be missing."""
COPIES = 3
"""The representation is read, made dense, and cut into columns."""


@dataclass(frozen=True)
class AnnotatedTable(Table):
    """The columns of `obs`, the names of the cells before them, and the columns of a representation.

    Attributes
    ----------
    obs : pandas.DataFrame
    columns : dict
        The columns of the representation, by name.
    affinity : sparse matrix, optional
        The graph of scanpy.
    """

    obs: Any = field(repr=False)
    columns: dict[str, Any] = field(repr=False)
    affinity: Any = field(repr=False, default=None)

    @property
    def usual_features(self) -> tuple[str, ...]:
        """The representation; the columns of `obs` say how cells were measured, not what they are."""
        return tuple(self.columns)

    @property
    def usual_affinity(self) -> Any:
        """The graph that scanpy made, if it did."""
        return self.affinity

    def column(self, name: str) -> Any:
        """Return a column as text or numbers."""
        if name in self.columns:
            return self.columns[name]
        values = self.obs.index if name == NAMES_OF_CELLS else self.obs[name]
        gone = values.isna()
        return column_of([None if g else _plain(v) for v, g in zip(values, gone, strict=True)], str)


def annotated_table(path: Path, stored: Any) -> AnnotatedTable:
    """The table of an opened file; `obs`, one representation and the graph of scanpy are read."""
    if "obs" not in stored or "var" not in stored:
        raise OptionError("table", "{} is no file of AnnData: it has no obs and var.", path)
    obs = _read(stored["obs"])
    try:
        chosen = usual_representation(list(stored.get("obsm", ())), _n_variables(stored), "X" in stored)
    except ValueError as error:
        raise OptionError("table", "{}: {}", path, error) from error
    where = stored["X"] if chosen == "X" else stored["obsm"][chosen]
    check_fits(path, COPIES * 8 * math.prod(_shape(where)))
    matrix = _dense(_read(where))
    columns = {f"{chosen}{place}": matrix[:, place] for place in range(matrix.shape[1])}
    names = (NAMES_OF_CELLS, *map(str, obs.columns), *columns)
    return AnnotatedTable(path, names, len(obs), obs, columns, _affinity(path, stored))


def _affinity(path: Path, stored: Any) -> Any:
    """The graph of scanpy, if there is one."""
    found = stored.get("obsp", {}).get(CONNECTIVITIES)
    if found is None:
        return None
    n_links = math.prod(_shape(found)) if hasattr(found, "shape") else found["data"].shape[0]
    check_fits(path, COPIES * BYTES_PER_LINK * n_links)
    return _read(found)


def usual_representation(
    obsm: Collection[str],
    n_variables: int,
    has_X: bool,
    advice: str = f"keep one representation under the name {USUAL}",
) -> str:
    """What cells are compared by: principal components, the one other ``X_...``, or few genes as they are.

    Parameters
    ----------
    obsm : collection of str
        Names of the representations.
    n_variables : int
    has_X : bool
        Whether there is a matrix `X`.
    advice : str
        What can be done where it is not clear.

    Examples
    --------
    >>> usual_representation(["X_umap", "X_pca"], 20_000, True)
    'X_pca'
    >>> usual_representation(["X_umap"], 30, True)
    'X'
    """
    if USUAL in obsm:
        return USUAL
    others = [name for name in obsm if name.startswith("X_") and name not in DRAWINGS]
    if len(others) == 1:
        return others[0]
    if not others and has_X and n_variables <= GENES_AS_THEY_ARE:
        return "X"
    have = f"obsm has {', '.join(others)}" if others else f"there are {n_variables:,} variables"
    raise ValueError(
        f"It is not clear what to compare cells by: {have}; {advice}, or compute principal components "
        "first (scanpy.pp.pca)."
    )


def with_labels(table: Table, new: NewColumns) -> Any:
    """The data frame of `obs` with the new columns; labels are a categorical, as in scanpy."""
    import pandas

    if isinstance(table, AnnotatedTable):
        obs = table.obs.drop(columns=[name for name in NEW_NAMES if name in table.obs])
    else:
        obs = pandas.DataFrame({name: _for_pandas(column) for name, column in _typed(table).items()})
        obs.index = obs.index.astype(str)
    for name, column in new.by_name().items():
        obs[name] = _for_pandas(column)
    labels = [name or None for name in new.label.tolist()]
    found = {name for name in labels if name is not None}
    like = getattr(getattr(obs[new.like], "cat", None), "categories", ())
    order = [name for name in map(str, like) if name in found]  # that of the given labels
    order += sorted(found - set(order))
    obs["graphwell_label"] = pandas.Categorical(labels, categories=order)
    return obs


def new_annotated(table: Table, new: NewColumns) -> Any:
    """An AnnData of any table: numbers are `X`, everything is in `obs`."""
    anndata = require_anndata()
    numbers = {name: column for name, column in _typed(table).items() if column.dtype.kind in "iuf"}
    matrix = np.column_stack([*numbers.values()]).astype(np.float64) if numbers else None
    made = anndata.AnnData(matrix, obs=with_labels(table, new))
    made.var_names = list(numbers)
    return made


def _typed(table: Table) -> dict[str, Any]:
    return {name: typed(table.column(name)) for name in table.names if name not in NEW_NAMES}


def rewrite(stored: Any, obs: Any) -> None:
    """Put another `obs` into an opened file; text may stay in the form that pandas 3 has it in."""
    settings = require_anndata().settings
    from anndata.io import write_elem

    known = hasattr(settings, TEXT_OF_PANDAS_3)
    with settings.override(**{TEXT_OF_PANDAS_3: True}) if known else nullcontext():
        write_elem(stored, "obs", obs)


def _read(element: Any) -> Any:
    require_anndata()
    from anndata.io import read_elem

    return read_elem(element)


def _n_variables(stored: Any) -> int:
    return _n_rows(stored["var"])


def _n_rows(frame: Any) -> int:
    """Rows of a data frame in a file, by its index: an array, or several where names may be missing."""
    index = frame[frame.attrs["_index"]]
    if not hasattr(index, "shape"):
        index = index["codes" if "codes" in index else "values"]
    return int(index.shape[0])


def _shape(element: Any) -> tuple[int, ...]:
    """Shape of a matrix in a file: dense, sparse, or a data frame."""
    if hasattr(element, "shape"):
        return tuple(element.shape)
    if "shape" in element.attrs:
        return tuple(int(length) for length in element.attrs["shape"])
    return _n_rows(element), len(element.attrs["column-order"])


def _dense(matrix: Any) -> Any:
    if hasattr(matrix, "toarray"):
        matrix = matrix.toarray()
    matrix = np.asarray(matrix)
    return matrix if matrix.dtype == np.float32 else matrix.astype(np.float64, copy=False)


def _plain(value: Any) -> Any:
    """A cell as a value of Python."""
    return value.item() if isinstance(value, np.generic) else value


def _for_pandas(column: Any) -> Any:
    return column.astype(object) if column.dtype.kind == "T" else column


def require_anndata() -> Any:
    """Return anndata, or say how to install it."""
    try:
        import anndata
    except ImportError as error:
        raise ImportError(
            'Files of AnnData need anndata, which is not installed: pip install "graphwell[anndata]"'
        ) from error
    return anndata
