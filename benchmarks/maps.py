"""How well a map keeps neighbours together, and what it costs, beside principal components and UMAP."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.data import Dataset, available
from benchmarks.output import Options, show_table, write_json
from graphwell._types import FloatArray
from graphwell.graph.layout import graph_map, principal_map

NEIGHBORS = 10
SAMPLE = 3000
COLUMNS = ["", "neighbours kept %", "trustworthiness", "10 nearest name the class %", "seconds"]


def from_graph(data: Dataset) -> FloatArray:
    return graph_map(data.graph, n_jobs=1)


def from_umap(data: Dataset) -> FloatArray:
    from umap import UMAP

    return UMAP(random_state=0, n_jobs=1).fit_transform(data.X)


MAPS: dict[str, Callable[[Dataset], FloatArray]] = {
    "principal components": lambda data: principal_map(data.X),
    "graph_map": from_graph,
    "umap-learn": from_umap,
}


def judged(data: Dataset, places: FloatArray) -> list[float]:
    """Neighbours kept, trustworthiness, and rows whose nearest in the map name their class."""
    from sklearn.manifold import trustworthiness
    from sklearn.neighbors import NearestNeighbors

    some = np.random.default_rng(1).permutation(len(data.X))[:SAMPLE]
    near = [
        NearestNeighbors(n_neighbors=NEIGHBORS + 1).fit(rows).kneighbors(rows[some], return_distance=False)
        for rows in (data.X, places)
    ]
    pairs = zip(near[0][:, 1:], near[1][:, 1:], strict=True)
    kept = np.mean([len(np.intersect1d(a, b)) / NEIGHBORS for a, b in pairs])
    named = [np.bincount(data.y[rows]).argmax() for rows in near[1][:, 1:]]
    trust = trustworthiness(data.X[some], places[some], n_neighbors=NEIGHBORS)
    return [100 * float(kept), float(trust), 100 * float(np.mean(named == data.y[some]))]


def measured(data: Dataset) -> dict[str, Any]:
    """Figures of every map; the graph is built before, and each is drawn once of few rows to compile it."""
    few, found = Dataset("few", data.X[:200], data.y[:200]), {}
    assert data.graph.n_vertices == len(data.y)
    for name, draw in MAPS.items():
        try:
            draw(few)
        except ImportError as error:
            print(f"{name} is left out: {error}")
            continue
        began = time.perf_counter()
        places = draw(data)
        seconds = time.perf_counter() - began
        found[name] = [*judged(data, places), seconds]
    return found


def main(options: Options) -> None:
    figures = {}
    for data in available(options.data or (["digits"] if options.quick else ["digits", "mnist"])):
        figures[data.name] = measured(data)
        formats = (".1f", ".4f", ".1f", ".2f")
        rows = [[m, *map(format, values, formats)] for m, values in figures[data.name].items()]
        show_table(f"Maps of {data.name}", COLUMNS, rows)
    write_json(options.out / "maps.json", figures)
