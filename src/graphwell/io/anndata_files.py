"""Cells of AnnData, in `.h5ad` files and folders of Zarr: `obs`, and a representation to compare cells by.

Only what is needed is read: the counts themselves are not touched. The only module that imports anndata.
"""

import math
import shutil
import warnings
from collections.abc import Collection
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

import numpy as np

from graphwell.errors import OptionError
from graphwell.io.arrays import opened_zarr, require_zarr
from graphwell.io.cells import NEW_NAMES, NewColumns, Table, checked, typed
from graphwell.io.text import Reading
from graphwell.memory import check_fits

SUFFIXES = (".h5ad", ".zarr")
USUAL = "X_pca"
DRAWINGS = ("X_umap", "X_tsne", "X_draw_graph_fa", "X_draw_graph_fr", "X_diffmap")
"""Representations for the eye, which distances must not be read off."""
GENES_AS_THEY_ARE = 50  # up to so many columns `X` itself is compared, as scanpy does
CONNECTIVITIES = "connectivities"  # the graph in `obsp` that `scanpy.pp.neighbors` makes
BYTES_PER_LINK = 16
COPIES = 3  # the representation is read, made dense, and cut into columns
TEXT_OF_PANDAS_3 = "allow_write_nullable_strings"
"""The setting of anndata, from its version 0.12 on, that lets text be written which may be missing."""


def read_h5ad(path: Path, options: Reading) -> Table:
    """Read `obs`, one representation of the cells, and the graph of scanpy."""
    require_anndata()
    import h5py

    try:
        opened = h5py.File(path, "r")
    except OSError as error:
        raise ValueError(
            f"{path} cannot be read as an .h5ad file: it is damaged or something else."
        ) from error
    with opened as stored:
        try:
            return _table(path, stored)
        except OptionError:
            raise
        except (OSError, KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path} cannot be read as an .h5ad file: a part of it is damaged.") from error


def read_zarr(path: Path, options: Reading) -> Table:
    """Read the same from a folder of Zarr."""
    require_both()
    with opened_zarr(path) as stored:
        return _table(path, stored)


def _table(path: Path, stored: Any) -> Table:
    """The table of an opened file."""
    import pandas
    from anndata.io import read_elem

    if "obs" not in stored or "var" not in stored:
        raise OptionError("table", "{} is no file of AnnData: it has no obs and var.", path)
    obs = read_elem(stored["obs"])
    try:
        n_variables = len(read_elem(stored["var"]))
        chosen = usual_representation(list(stored.get("obsm", ())), n_variables, "X" in stored)
    except ValueError as error:
        raise OptionError("table", "{}: {}", path, error) from error
    where = stored["X"] if chosen == "X" else stored["obsm"][chosen]
    shape = getattr(where, "shape", None)  # of what is dense; of sparse matrices, and of data frames
    if shape is None:
        shape = where.attrs.get("shape", (len(obs), len(where.attrs.get("column-order", ()))))
    check_fits(path, COPIES * 8 * math.prod(map(int, shape)))
    matrix = read_elem(where)
    matrix = np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix)
    if matrix.dtype != np.float32:
        matrix = matrix.astype(np.float64, copy=False)
    affinity = stored.get("obsp", {}).get(CONNECTIVITIES)
    if affinity is not None:
        links = affinity if hasattr(affinity, "shape") else affinity["data"]
        check_fits(path, COPIES * BYTES_PER_LINK * math.prod(links.shape))
        affinity = read_elem(affinity)
    features = tuple(f"{chosen}{place}" for place in range(matrix.shape[1]))
    frame = pandas.concat(
        [obs.rename(columns=str), pandas.DataFrame(matrix, index=obs.index, columns=features)], axis=1
    ).reset_index(drop=True)
    frame.insert(0, "obs_names", obs.index, allow_duplicates=True)
    return checked(Table(path, frame, obs, usual_features=features, usual_affinity=affinity))


def usual_representation(
    obsm: Collection[str],
    n_variables: int,
    has_X: bool,
    advice: str = f"keep one representation under the name {USUAL}",
) -> str:
    """What cells are compared by: principal components, the one other ``X_...``, or few genes as they are."""
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


# ------------------------------------------------------------------------------------------------- writing


def write_h5ad(table: Table, new: NewColumns, path: Path, file: IO[bytes]) -> None:
    """Write the file that the table came in, with the new columns in `obs`; or numbers as `X`."""
    require_anndata()
    import h5py

    with TemporaryDirectory() as folder:  # HDF5 needs a file of its own
        copy = Path(folder) / "cells.h5ad"
        if table.path.suffix.lower() == ".h5ad":
            shutil.copyfile(table.path, copy)
            with h5py.File(copy, "r+") as stored:
                _rewrite(stored, _labelled_obs(table, new))
        else:
            _new_anndata(table, new).write_h5ad(copy)
        with copy.open("rb") as written:
            shutil.copyfileobj(written, file)


def write_zarr(table: Table, new: NewColumns, path: Path, folder: Any) -> None:
    """Write the folder that the table came in, with the new columns in `obs`; or numbers as `X`."""
    with warnings.catch_warnings():
        # Of AnnData: which version of Zarr it will write one day; of zarr: its lists of what a group holds.
        warnings.simplefilter("ignore")
        if table.path.suffix.lower() != ".zarr":
            _new_anndata(table, new).write_zarr(folder)
            return
        shutil.copytree(table.path, folder, dirs_exist_ok=True)
        zarr = require_zarr()
        _rewrite(zarr.open_group(folder, mode="r+", use_consolidated=False), _labelled_obs(table, new))
        zarr.consolidate_metadata(folder)


def _labelled_obs(table: Table, new: NewColumns) -> Any:
    """The data frame of `obs` with the new columns; labels are a categorical, as in scanpy."""
    import pandas

    if table.path.suffix.lower() in SUFFIXES:
        obs = table.stored.drop(columns=[name for name in NEW_NAMES if name in table.stored])
    else:
        obs = _typed(table)
    for name, column in new.by_name().items():
        obs[name] = column.astype(object) if column.dtype.kind == "T" else column
    labels = [name or None for name in new.label.tolist()]
    found = {name for name in labels if name is not None}
    like = getattr(getattr(obs[new.like], "cat", None), "categories", ())
    order = [name for name in map(str, like) if name in found]  # that of the given labels
    order += sorted(found - set(order))
    obs["graphwell_label"] = pandas.Categorical(labels, categories=order)
    return obs


def _new_anndata(table: Table, new: NewColumns) -> Any:
    """An AnnData of any table: numbers are `X`, everything is in `obs`."""
    numbers = _typed(table).select_dtypes("number")
    matrix = numbers.to_numpy(dtype=np.float64) if numbers.shape[1] else None
    made = require_anndata().AnnData(matrix, obs=_labelled_obs(table, new))
    made.var_names = list(numbers)
    return made


def _typed(table: Table) -> Any:
    import pandas

    columns = {name: typed(table.column(name)) for name in table.names if name not in NEW_NAMES}
    columns = {n: c.astype(object) if c.dtype.kind == "T" else c for n, c in columns.items()}
    return pandas.DataFrame(columns, index=[str(row) for row in range(table.n_rows)])


def _rewrite(stored: Any, obs: Any) -> None:
    """Put another `obs` into an opened file; text may stay in the form that pandas 3 has it in."""
    settings = require_anndata().settings
    from anndata.io import write_elem

    known = hasattr(settings, TEXT_OF_PANDAS_3)
    with settings.override(**{TEXT_OF_PANDAS_3: True}) if known else nullcontext():
        write_elem(stored, "obs", obs)


def require_anndata() -> Any:
    """Return anndata, or say how to install it."""
    try:
        import anndata
    except ImportError as error:
        raise ImportError(
            'Files of AnnData need anndata, which is not installed: pip install "graphwell[anndata]"'
        ) from error
    return anndata


def require_both() -> None:
    """Say how to install anndata and zarr, where one is missing."""
    require_anndata()
    require_zarr()
