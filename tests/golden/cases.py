"""Results through the public face that must not change unless somebody means them to.

Each case returns arrays by name. Features are whole numbers, or drawn from a seeded
generator and rounded, so that no matrix library has a say in their bits.
"""

import contextlib
import csv
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_sample_image, load_wine

import graphwell as gw

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
SHORT = gw.Annealed(2.0, 0.5, ratio=0.7, sweeps=20)
Output = dict[str, Any]


# Fits


def fitted(X: Any, y: Any, **parameters: Any) -> Output:
    """Labels, scores and offsets of a fit; of the graph alone, unless models are asked for."""
    clf = gw.DiffuseInterfaceClassifier(**{"random_state": 0, "models": None, **parameters})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of clusters that were joined by a bridge
        clf.fit(X, y)
    return {
        "labels": np.asarray(clf.transduction_),
        "scores": np.asarray(clf.label_distributions_),
        "offsets": np.asarray(clf.result_.offsets),
    }


def some_labels(truth: Any, per_class: int, seed: int = 0) -> Any:
    return gw.datasets.sample_labels(truth, per_class=per_class, random_state=seed)


def three_moons(**parameters: Any) -> Output:
    X, truth = gw.datasets.make_three_moons(random_state=0)
    return fitted(X, some_labels(truth, 25), **parameters)


def digits(
    per_class: int = 5, seed: int = 0, as_X: Callable[[Any], Any] = np.asarray, **parameters: Any
) -> Output:
    X, truth = load_digits(return_X_y=True)
    return fitted(as_X(X), some_labels(truth, per_class, seed), **parameters)


def in_three_blocks(X: Any) -> Any:
    import dask.array as da

    return da.from_array(X, chunks=((600, 600, 597), 64))


def table(load: Callable[..., Any], per_class: int, **parameters: Any) -> Output:
    """A table of scikit-learn, with class names as labels and None for unknown."""
    data = load()
    names = np.array([str(name) for name in data.target_names], dtype=object)
    given = some_labels(data.target, per_class)
    return fitted(data.data, np.where(given >= 0, names[given], None), **parameters)


def precomputed(features: bool = False, **parameters: Any) -> Output:
    X, truth = load_digits(return_X_y=True)
    W = gw.Graph.from_features(X, n_neighbors=7).W
    y = some_labels(truth, 10, seed=1)
    if not features:
        return fitted(W, y, metric="precomputed", **parameters)
    clf = gw.DiffuseInterfaceClassifier(metric="precomputed", random_state=0, **parameters).fit(
        W, y, features=X
    )
    return {"labels": clf.transduction_, "scores": clf.label_distributions_}


def with_weights() -> Output:
    X, truth = load_iris(return_X_y=True)
    weights = 1.0 + np.arange(len(X)) % 3
    clf = gw.DiffuseInterfaceClassifier(models=None, random_state=0)
    clf.fit(X, some_labels(truth, 4), sample_weight=weights)
    return {"labels": clf.transduction_, "scores": clf.label_distributions_}


def far_apart() -> Output:
    """Four clusters without a link between them, labels in two."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(240, 3)).round(3) + 100.0 * np.repeat(np.arange(4), 60)[:, None]
    y = np.full(240, -1)
    y[[0, 1, 60, 61]] = [0, 0, 1, 1]
    return fitted(X, y)


def mnist(**parameters: Any) -> Output:
    """All of MNIST as sums of 4 x 4 pixels: enough rows for the approximate search."""
    images, truth = gw.datasets.load_mnist(SHARED / "mnist")
    pooled = images.reshape(-1, 7, 4, 7, 4).sum(axis=(2, 4), dtype=np.int64).reshape(len(images), 49)
    return fitted(pooled.astype(np.float32), some_labels(truth, 5), **parameters)


def uci(name: str, per_class: int, **parameters: Any) -> Output:
    with np.load(SHARED / "uci" / f"{name}.npz") as data:
        X, truth = data["X"], data["y"]
    return fitted(X, some_labels(truth, per_class), **parameters)


def cora() -> Output:
    with np.load(SHARED / "graphs" / "cora.npz") as data:
        W, features = (
            sparse.csr_array(
                (np.ones(len(data[f"{part}indices"])), data[f"{part}indices"], data[f"{part}indptr"]), shape
            )
            for part, shape in (("", (len(data["y"]),) * 2), ("f_", tuple(data["f_shape"])))
        )
        y = some_labels(data["y"], 5)
    clf = gw.DiffuseInterfaceClassifier(metric="precomputed", random_state=0).fit(W, y, features=features)
    return {"labels": clf.transduction_, "scores": clf.label_distributions_}


def binary() -> Output:
    X, truth = gw.datasets.make_two_moons(random_state=0)
    clf = gw.BinaryInterfaceClassifier().fit(X, some_labels(truth, 10))
    return {"labels": clf.transduction_, "scores": clf.label_distributions_}


def method(name: str) -> Output:
    X, truth = load_digits(return_X_y=True)
    chosen = gw.methods()[name]
    clf = chosen.classifier(**chosen.parameters)
    if "random_state" in clf.get_params():
        clf.set_params(random_state=0)
    clf.fit(X[:600], some_labels(truth[:600], 5))
    return {"labels": clf.transduction_, "scores": clf.label_distributions_}


# Data frames


def messy_frame(n: int = 240) -> tuple[pd.DataFrame, pd.Series]:
    """Numbers of several units, categories, dates, texts, gaps; and the class of each row."""
    rng = np.random.default_rng(3)
    number = rng.integers(3, size=n)
    weight = (rng.normal(size=n) + 3.0 * number).round(3)
    words = [
        ["red fox runs", "blue whale swims"],
        ["green tree grows", "old oak stands"],
        ["fast car drives"] * 2,
    ]
    frame = pd.DataFrame(
        {
            "weight": np.where(rng.random(n) < 0.1, np.nan, weight),
            "income": (1000.0 * rng.lognormal(size=n) * (1 + number)).round(),
            "kind": np.array(["north", "south", "east"])[np.where(rng.random(n) < 0.8, number, 0)],
            "since": pd.Timestamp("2020-01-01")
            + pd.to_timedelta(rng.integers(900, size=n) + 400 * number, unit="D"),
            "member": rng.random(n) < 0.2 + 0.3 * number,
            "note": [
                f"{words[c][int(k)]} {'often' if k else 'seldom'}"
                for c, k in zip(number, rng.integers(2, size=n), strict=True)
            ],
            "constant": 7,
        }
    )
    return frame, pd.Series(np.array(["ant", "bee", "cat"])[number])


def frame_labels(truth: pd.Series, per_class: int) -> pd.Series:
    """The first labels of each class, None for the rest."""
    return truth.where(truth.groupby(truth).cumcount() < per_class, None)


def frame_fit(per_class: int = 8, **parameters: Any) -> Output:
    frame, truth = messy_frame()
    return fitted(frame, frame_labels(truth, per_class), **parameters)


def predicted(frame: bool = False) -> Output:
    """Labels and probabilities of rows that were not fitted."""
    if frame:
        rows, truth = messy_frame()
        clf = gw.DiffuseInterfaceClassifier(random_state=0).fit(rows[:200], frame_labels(truth[:200], 8))
        new = rows[200:]
    else:
        X, digit = load_digits(return_X_y=True)
        clf = gw.DiffuseInterfaceClassifier(models=None, random_state=0)
        clf.fit(X[:1500], some_labels(digit[:1500], 5))
        new = X[1500:]
    return {"labels": clf.predict(new), "scores": clf.predict_proba(new)}


def encoded() -> Output:
    frame, _ = messy_frame()
    encoder = gw.TableEncoder().fit(frame)
    return {
        "matrix": np.asarray(encoder.transform(frame), dtype=float),
        "names": encoder.get_feature_names_out(),
    }


def annotated() -> Output:
    import anndata

    X, truth = load_digits(return_X_y=True)
    given = some_labels(truth, 5)
    names = np.where(given >= 0, given.astype(str), None)
    cells = anndata.AnnData(
        X.astype(np.float32), obs=pd.DataFrame({"known": names}, index=[f"c{i}" for i in range(len(X))])
    )
    gw.annotate(cells, "known", use_rep="X", models=None, random_state=0)
    return {"labels": np.asarray(cells.obs["graphwell"].astype(str))}


# Queries and clusters


def suggested(n: int = 10, per_class: int = 0, **parameters: Any) -> Output:
    X, truth = load_digits(return_X_y=True)
    y = some_labels(truth, per_class) if per_class else None
    return {"rows": np.asarray(list(gw.suggest(X, y, n=n, **parameters)))}


def clustered(X: Any, n_clusters: int) -> Output:
    return {"labels": gw.DiffuseInterfaceClustering(n_clusters, random_state=0).fit_predict(X)}


# Pictures


def segmented(image: Any, seeds: Any, **parameters: Any) -> Output:
    result = gw.Segmenter(image, **parameters).segment(seeds).result
    return {"labels": result.labels, "offsets": result.offsets}


def grey(noise: float = 0.1, **parameters: Any) -> Output:
    image, truth = gw.datasets.make_grey_image(noise=noise, random_state=0)
    return segmented(image, some_labels(truth.ravel(), 20).reshape(truth.shape), **parameters)


def photograph(name: str, **parameters: Any) -> Output:
    """A photograph of scikit-learn at a quarter of its size, with two strokes."""
    image = load_sample_image(name)[::4, ::4]
    seeds = np.full(image.shape[:2], -1)
    seeds[5:8, 10:60], seeds[70:73, 60:110] = 0, 1
    return segmented(image, seeds, **parameters)


def many_channels() -> Output:
    rng = np.random.default_rng(1)
    truth = (np.arange(60)[:, None] // 20 + np.zeros((60, 50), dtype=int)) % 3
    image = (np.eye(3, 7)[truth] + 0.3 * rng.normal(size=(60, 50, 7))).round(3)
    return segmented(image, some_labels(truth.ravel(), 6).reshape(truth.shape))


def volume() -> Output:
    rng = np.random.default_rng(2)
    z, y, x = np.ogrid[:16, :24, :24]
    truth = ((z - 8) ** 2 + (y - 12) ** 2 + (x - 12) ** 2 < 50).astype(int)
    image = (truth + 0.3 * rng.normal(size=truth.shape)).round(3)
    seeds = some_labels(truth.ravel(), 15).reshape(truth.shape)
    return {"labels": gw.segment(image, seeds, channel_axis=None)}


def marked(name: str) -> Output:
    """A photograph that a person marked: 255 means unknown."""
    from PIL import Image

    image, marks = (
        np.asarray(Image.open(SHARED / "marked" / f"{name}{end}")) for end in (".jpg", "_sparse.png")
    )
    return {"labels": gw.segment(image, np.where(marks == 255, -1, marks.astype(int)))}


# Files that the program writes


def program(*arguments: Any) -> None:
    """Run the program as a person would."""
    subprocess.run([sys.executable, "-m", "graphwell", *map(str, arguments)], check=True, capture_output=True)


def classified(
    write: Callable[[pd.DataFrame, Path], None],
    ending: str,
    *options: Any,
    per_class: int = 8,
    judged: bool = False,
) -> Output:
    """What ``graphwell classify`` makes of a table: header, labels, scores and all other cells."""
    if not judged:  # a second for each of many files
        options = (*options, "--set", "models=none")
    frame, truth = messy_frame()
    frame["class"] = frame_labels(truth, per_class)
    frame.insert(0, "name", [f"row {i}" for i in range(len(frame))])
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder) / f"table{ending}", Path(folder) / "out.csv"
        write(frame, path)
        program("classify", path, "--label", "class", "--id", "name", "-o", out, "--seed", 0, *options)
        text = out.read_text(encoding="utf-8")
    header, *rows = csv.reader(text.splitlines(), delimiter=max(",;", key=text.count))
    at = {name: i for i, name in enumerate(header)}
    added = [i for i, name in enumerate(header) if name.startswith("graphwell_")]
    return {
        "header": header,
        "labels": [row[at["graphwell_label"]] for row in rows],
        "scores": np.array([float(row[at["graphwell_score"]].replace(",", ".")) for row in rows]).round(3),
        "cells": [cell for row in rows for i, cell in enumerate(row) if i not in added],
    }


def with_commas(frame: pd.DataFrame, path: Path) -> None:
    frame.to_csv(path, index=False, sep=";", decimal=",", encoding="latin-1")


def to_csv(frame: pd.DataFrame, path: Path) -> None:
    frame.to_csv(path, index=False)


def uneven(frame: pd.DataFrame, path: Path) -> None:
    to_csv(frame[(frame["kind"] != "east") | (frame.index % 8 == 0)], path)


def many_columns(frame: pd.DataFrame, path: Path) -> None:
    noise = np.random.default_rng(4).normal(size=(len(frame), 120)).round(3)
    to_csv(pd.concat([frame, pd.DataFrame(noise).add_prefix("noise ")], axis=1), path)


ANYWHERE: dict[str, Callable[[], Output]] = {
    "fit: three moons": three_moons,
    "fit: three moons, the paper's descent": partial(three_moons, start="random", schedule=SHORT),
    "fit: three moons, fixed epsilon": partial(three_moons, schedule=gw.Fixed(1.0, sweeps=100)),
    "fit: digits": digits,
    "fit: digits, one label per class": partial(digits, per_class=1),
    "fit: digits, twenty labels per class": partial(digits, per_class=20),
    "fit: digits, class sizes": partial(digits, class_prior=[0.1] * 10),
    "fit: digits, nearest start": partial(digits, start="nearest", schedule=SHORT),
    "fit: digits, judged": partial(digits, models="auto"),
    "fit: digits, another seed": partial(digits, random_state=7, seed=3),
    "fit: digits, single precision": partial(digits, as_X=lambda X: X.astype(np.float32)),
    "fit: digits, sparse": partial(digits, as_X=sparse.csr_array),
    "fit: digits, cosine": partial(digits, metric="cosine"),
    "fit: digits, other neighbours": partial(digits, n_neighbors=6, scale_neighbor=4),
    "fit: wine, names": partial(table, load_wine, 4, models="auto"),
    "fit: breast cancer, many labels": partial(table, load_breast_cancer, 30, models="auto"),
    "fit: iris, one label per class": partial(table, load_iris, 1),
    "fit: iris, weights": with_weights,
    "fit: clusters far apart": far_apart,
    "fit: precomputed": precomputed,
    "fit: precomputed with features": partial(precomputed, features=True),
    "fit: frame": partial(frame_fit, models="auto"),
    "fit: frame, few labels": partial(frame_fit, per_class=3, models="auto"),
    "fit: frame, the graph alone": frame_fit,
    "fit: binary": binary,
    "encode: frame": encoded,
    "annotate: digits": annotated,
    "predict: digits": predicted,
    "predict: frame": partial(predicted, frame=True),
    **{
        f"method: {name}": partial(method, name)
        for name in ("laplace", "poisson", "spreading", "nearest", "mbo")
    },
    "suggest: from nothing": suggested,
    "suggest: from labels": partial(suggested, per_class=2),
    "suggest: margin": partial(suggested, per_class=2, strategy="margin"),
    "suggest: communities": partial(suggested, per_class=2, strategy="communities"),
    "cluster: digits": lambda: clustered(load_digits().data, 10),
    "cluster: moons": lambda: clustered(gw.datasets.make_three_moons(random_state=0)[0], 3),
    "cluster: wine": lambda: clustered(load_wine().data, 3),
    "segment: grey": grey,
    "segment: grey, noisy": partial(grey, noise=0.3),
    "segment: grey, smoothing": partial(grey, smoothing=2.0),
    "segment: china": partial(photograph, "china.jpg"),
    "segment: flower": partial(photograph, "flower.jpg"),
    "segment: seven channels": many_channels,
    "segment: volume": volume,
    "classify: CSV": partial(classified, to_csv, ".csv", judged=True),
    "classify: decimal commas": partial(classified, with_commas, ".csv"),
    "classify: tabs": partial(classified, lambda f, p: f.to_csv(p, index=False, sep="\t"), ".tsv"),
    "classify: Parquet": partial(classified, lambda f, p: f.to_parquet(p), ".parquet"),
    "classify: spreadsheet": partial(classified, lambda f, p: f.to_excel(p, index=False), ".xlsx"),
    "classify: few labels": partial(classified, to_csv, ".csv", per_class=2),
    "classify: uneven": partial(classified, uneven, ".csv"),
    "classify: 120 columns of noise": partial(classified, many_columns, ".csv"),
}
ON_SHARED_DATA: dict[str, Callable[[], Output]] = {
    # No models beside the graph: scikit-learn's logistic regression differs by 1e-5 between processors here.
    "fit: mnist": mnist,
    "fit: segment": partial(uci, "segment", 5, models="auto"),
    "fit: letter": partial(uci, "letter", 20),
    "fit: cora with features": cora,
    "segment: marked by a person": partial(marked, "two_teddy"),
}
ON_DASK: dict[str, Callable[[], Output]] = {
    "dask: digits": partial(digits, as_X=in_three_blocks),
    "dask: class sizes": partial(digits, as_X=in_three_blocks, class_prior=[0.1] * 10),
    "dask: nearest start": partial(digits, as_X=in_three_blocks, start="nearest", schedule=SHORT),
}
ON_GPU: dict[str, Callable[[], Output]] = {
    "gpu: three moons": partial(three_moons, device="cuda"),
    "gpu: digits": partial(digits, device="cuda"),
    "gpu: class sizes": partial(digits, class_prior=[0.1] * 10, device="cuda"),
    "gpu: nearest start": partial(digits, start="nearest", schedule=SHORT, device="cuda"),
    "gpu: judged": partial(digits, models="auto", device="cuda"),
    "gpu: precomputed": partial(precomputed, device="cuda"),
    "gpu: picture": partial(grey, device="cuda"),
}


def everywhere() -> dict[str, Callable[[], Output]]:
    """All cases that need no GPU; those on shared data where it is there."""
    return {**ANYWHERE, **(ON_SHARED_DATA if SHARED.is_dir() else {}), **ON_DASK}


@contextlib.contextmanager
def small_cluster() -> Iterator[None]:
    """Two Dask workers inside this process."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None) as cluster,
        Client(cluster),
    ):
        yield
