"""Cells of AnnData, in `.h5ad` files: `obs`, and a representation to compare cells by."""

import math
import shutil
import warnings
from collections.abc import Collection
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

import numpy as np

from graphwell.errors import OptionError
from graphwell.io.cells import NEW_NAMES, NewColumns, Table, labelled_columns, table_of
from graphwell.io.files import decoding, optional
from graphwell.io.text import Reading
from graphwell.memory import check_fits

USUAL = "X_pca"
DRAWINGS = ("X_umap", "X_tsne", "X_draw_graph_fa", "X_draw_graph_fr", "X_diffmap")
"""Representations for the eye, which distances must not be read off."""
GENES_AS_THEY_ARE = 50  # up to so many columns `X` itself is compared, as scanpy does
CONNECTIVITIES = "connectivities"  # the graph in `obsp` that `scanpy.pp.neighbors` makes
COPIES = 2  # the file as it is, and the representation as a dense table
TEXT_OF_PANDAS_3 = "allow_write_nullable_strings"
"""The setting of anndata, from its version 0.12 on, that lets text be written which may be missing."""


def read_anndata(path: Path, options: Reading) -> Table:
    """Read `obs`, one representation of the cells, and the graph of scanpy; all else is kept for writing."""
    import h5py
    import pandas

    anndata = require_anndata()
    with decoding(path, "an .h5ad file"), h5py.File(path, "r") as stored:
        if "obs" not in stored or "var" not in stored:
            raise OptionError("table", "{} is no file of AnnData: it has no obs and var.", path)
        check_fits(path, COPIES * _n_bytes(stored))
        cells = anndata.io.read_elem(stored)
    try:
        chosen = usual_representation(cells.obsm, cells.n_vars, cells.X is not None)
    except ValueError as error:
        raise OptionError("table", "{}: {}", path, error) from error
    matrix = cells.X if chosen == "X" else cells.obsm[chosen]
    matrix = np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix)
    matrix = matrix if matrix.dtype == np.float32 else matrix.astype(np.float64, copy=False)
    features = tuple(f"{chosen}{place}" for place in range(matrix.shape[1]))
    block = pandas.DataFrame(matrix, index=cells.obs_names, columns=features)
    frame = pandas.concat([cells.obs.rename(columns=str), block], axis=1).reset_index(drop=True)
    columns = [("obs_names", pandas.Series(cells.obs_names))]
    columns += [(name, frame.iloc[:, place]) for place, name in enumerate(frame.columns)]
    table = table_of(path, columns, cells)
    return replace(table, usual_features=features, usual_affinity=cells.obsp.get(CONNECTIVITIES))


def _n_bytes(stored: Any) -> int:
    """Bytes that the arrays in a file declare."""
    if hasattr(stored, "keys"):
        return sum(_n_bytes(stored[name]) for name in stored.keys())  # noqa: SIM118 (no mapping)
    return math.prod(stored.shape) * int(stored.dtype.itemsize)


def usual_representation(
    obsm: Collection[str],
    n_variables: int,
    has_X: bool,
    advice: str = f"keep one representation under the name {USUAL}",
) -> str:
    """Columns that cells are compared by: principal components, the only ``X_...``, or a few genes."""
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


def write_anndata(table: Table, new: NewColumns, path: Path, file: IO[bytes]) -> None:
    """Write the cells that the table came in with the new columns in `obs`, or a table's numbers as `X`."""
    import pandas

    anndata = require_anndata()
    columns = labelled_columns(table, new)
    if isinstance(table.stored, anndata.AnnData):
        cells = table.stored
        obs = cells.obs.drop(columns=[name for name in NEW_NAMES if name in cells.obs])
        for name in new.by_name():
            obs[name] = columns[name].to_numpy()
    else:
        obs = pandas.DataFrame(columns).set_index(pandas.RangeIndex(table.n_rows).astype(str))
        numbers = obs[[name for name in obs if name not in NEW_NAMES]].select_dtypes("number")
        cells = anndata.AnnData(numbers.to_numpy(np.float64) if numbers.shape[1] else None, obs=obs)
        cells.var_names = list(numbers)
    # Labels are a categorical, as in scanpy, in the order of the given ones.
    labels = [name or None for name in new.label.tolist()]
    found = {name for name in labels if name is not None}
    like = getattr(getattr(obs.get(new.like), "cat", None), "categories", ())
    order = [name for name in map(str, like) if name in found]
    obs["graphwell_label"] = pandas.Categorical(labels, categories=order + sorted(found - set(order)))
    cells.obs = obs
    settings = anndata.settings
    known = hasattr(settings, TEXT_OF_PANDAS_3)
    with (
        settings.override(**{TEXT_OF_PANDAS_3: True}) if known else nullcontext(),
        warnings.catch_warnings(action="ignore"),  # of anndata: which version of Zarr it will write one day
        TemporaryDirectory() as folder,
    ):
        copy = Path(folder) / "cells.h5ad"  # HDF5 needs a file of its own
        cells.write_h5ad(copy)
        with copy.open("rb") as written:
            shutil.copyfileobj(written, file)


def require_anndata() -> Any:
    """Return anndata, or say how to install it."""
    return optional("anndata", "Files of AnnData", "anndata")
