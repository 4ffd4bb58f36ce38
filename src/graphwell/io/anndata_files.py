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
from graphwell.io.arrays import changed_zarr, opened_zarr, require_zarr
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
        chosen = usual_representation(list(stored.get("obsm", ())), _n_rows(stored["var"]), "X" in stored)
    except ValueError as error:
        raise OptionError("table", "{}: {}", path, error) from error
    where = stored["X"] if chosen == "X" else stored["obsm"][chosen]
    check_fits(path, COPIES * 8 * math.prod(_shape(where)))
    matrix = read_elem(where)
    matrix = np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix)
    if matrix.dtype != np.float32:
        matrix = matrix.astype(np.float64, copy=False)
    affinity = stored.get("obsp", {}).get(CONNECTIVITIES)
    if affinity is not None:
        is_dense = hasattr(affinity, "shape")
        n_links = math.prod(affinity.shape) if is_dense else affinity["data"].shape[0]
        check_fits(path, COPIES * BYTES_PER_LINK * n_links)
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
    if table.path.suffix.lower() == ".zarr":
        shutil.copytree(table.path, folder, dirs_exist_ok=True)
        with changed_zarr(folder) as stored:
            _rewrite(stored, _labelled_obs(table, new))
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of AnnData: which version of Zarr it will write one day
            _new_anndata(table, new).write_zarr(folder)


def _labelled_obs(table: Table, new: NewColumns) -> Any:
    """The data frame of `obs` with the new columns; labels are a categorical, as in scanpy."""
    import pandas

    if table.path.suffix.lower() in SUFFIXES:
        obs = table.stored.drop(columns=[name for name in NEW_NAMES if name in table.stored])
    else:
        obs = pandas.DataFrame(_typed(table))
        obs.index = obs.index.astype(str)
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
    numbers = {name: column for name, column in _typed(table).items() if column.dtype.kind in "iuf"}
    matrix = np.column_stack([*numbers.values()]).astype(np.float64) if numbers else None
    made = require_anndata().AnnData(matrix, obs=_labelled_obs(table, new))
    made.var_names = list(numbers)
    return made


def _typed(table: Table) -> dict[str, Any]:
    columns = {name: typed(table.column(name)) for name in table.names if name not in NEW_NAMES}
    return {n: column.astype(object) if column.dtype.kind == "T" else column for n, column in columns.items()}


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
