"""Photographs and texts by encoders beside a logistic regression on the same vectors; wrong labels found.

The sets are those of `benchmarks.raw`, 1,000 rows of each. A tenth of the labels given is drawn anew: how
many of these are among as many worst-ranked rows, beside cleanlab.
"""

import tempfile
import time
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import graphwell as gw
from benchmarks.data import keel_table, load
from benchmarks.output import Options, resumed, show_frame
from benchmarks.raw import IMAGES, TEXTS, drawn
from graphwell._types import FloatArray, IntArray
from graphwell.encoders.encode import ENCODERS

PER_CLASS = (1, 5, 20)
FLIPPED_IN = ("digits", "optdigits", "mnist", "segment", "satimage", "vehicle", "phoneme")
LABELS_PER_CLASS, FLIPPED = 100, 0.1
MODELS = ("tfidf", "use", "pixels", "descriptors")
OURS, LEVEL = "graphwell", 0.5
PEERS = ("logistic", "logistic, standardised", "words, logistic")
"""On the same vectors, the same standardised, and on tf-idf of all words, which photographs do not have."""


def main(options: Options) -> None:
    """Measure what is not in encoders.jsonl yet, and print the tables."""
    pairs = [
        (name, encoder)
        for takes, names in (("texts", TEXTS), ("images", IMAGES))
        for name in names
        for encoder in MODELS
        if ENCODERS[encoder].takes == takes and ENCODERS[encoder].is_installed
    ]
    pairs += [(name, "") for name in FLIPPED_IN]
    jobs = [
        {"data": name, "encoder": encoder, "seed": seed}
        for name, encoder in pairs
        for seed in options.seeds or range(2 if options.quick else 5)
        if options.data is None or name in options.data
    ]
    report(resumed("encoders", measured, jobs, options))


def measured(data: str, encoder: str, seed: int) -> dict[str, Any]:
    """Per cent correct of each model by labels per class; or per cent of the flipped labels found."""
    return {"rates": found_labels(data, encoder, seed) if encoder else found_issues(data, seed)}


def found_labels(data: str, encoder: str, seed: int) -> dict[str, Any]:
    """Per cent correct by labels per class, and the seconds of the encoder."""
    X, y, words, seconds = encoded(data, encoder)
    rates = {}
    for per_class in PER_CLASS:
        given = gw.datasets.sample_labels(y, per_class, seed)
        known = given >= 0
        answers = {OURS: gw.DiffuseInterfaceClassifier(n_jobs=1, random_state=0).fit(X, given).transduction_}
        models = (LogisticRegression(max_iter=1_000), regression(), LogisticRegression(max_iter=1_000))
        for name, model, rows in zip(PEERS, models, (X, X, words), strict=True):
            if rows is not None:
                answers[name] = model.fit(rows[known], y[known]).predict(rows)
        correct = {name: 100 * float((labels == y)[~known].mean()) for name, labels in answers.items()}
        rates[str(per_class)] = {**correct, "seconds of the encoder": seconds}
    return rates


@lru_cache(maxsize=1)
def encoded(data: str, encoder: str) -> tuple[FloatArray, IntArray, Any, float]:
    """Vectors and classes of a set, tf-idf of the words if it is of texts, and the seconds of the encoder."""
    items, y = drawn(data)
    words = TfidfVectorizer(sublinear_tf=True).fit_transform(items) if data in TEXTS else None
    with tempfile.TemporaryDirectory() as folder:
        if data in IMAGES:
            from PIL import Image

            pictures, items = items, [Path(folder) / f"{number}.png" for number in range(len(items))]
            for path, values in zip(items, pictures, strict=True):
                Image.fromarray(np.uint8(values)).save(path)
        began = time.perf_counter()
        X = gw.encode(items, encoder)
    return X, y, words, round(time.perf_counter() - began, 2)


def found_issues(data: str, seed: int) -> dict[str, Any]:
    """Per cent of the flipped labels among as many worst-ranked rows."""
    from cleanlab.rank import get_label_quality_scores

    X, y = rows_of(data)
    rng = np.random.default_rng(seed)
    given = gw.datasets.sample_labels(y, min(LABELS_PER_CLASS, int(0.8 * np.bincount(y).min())), seed)
    known = np.flatnonzero(given >= 0)
    flipped = rng.choice(known, round(FLIPPED * len(known)), replace=False)
    given[flipped] = (given[flipped] + rng.integers(1, y.max() + 1, len(flipped))) % (y.max() + 1)
    issues = gw.DiffuseInterfaceClassifier(n_jobs=1, random_state=0).fit(X, given).label_issues_
    ranked = {OURS: issues["row"].to_numpy()}
    forest = RandomForestClassifier(300, random_state=0)
    for name, model in (("cleanlab, forest", forest), ("cleanlab, logistic", regression())):
        folds = StratifiedKFold(5, shuffle=True, random_state=0)
        predicted = cross_val_predict(model, X[known], given[known], cv=folds, method="predict_proba")
        ranked[name] = known[np.argsort(get_label_quality_scores(given[known], predicted), kind="stable")]
    n = len(flipped)
    return {
        "flipped": {name: 100 * gw.metrics.label_issue_scores(r, flipped, n)[1] for name, r in ranked.items()}
    }


def rows_of(name: str) -> tuple[FloatArray, IntArray]:
    """Rows and classes of a set with labels to flip."""
    if name in ("vehicle", "phoneme", "segment", "satimage"):
        return keel_table(name, 5_000)
    data = load(name)
    return data.X, data.y


def regression() -> Any:
    """A logistic regression on standardised columns."""
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1_000))


def is_level(rows: pd.DataFrame) -> Any:
    """Whether no model of the same vectors, and no words, are ahead of ours by more than half a point."""
    return rows[OURS] >= rows[[name for name in PEERS if name in rows]].max(axis=1) - LEVEL


def report(records: pd.DataFrame) -> None:
    """Print the means over label sets, and how many rows are best or level."""
    rows = pd.DataFrame(
        [
            {"data": record.data, "encoder": record.encoder, "labels per class": labels, **rates}
            for record in records.itertuples()
            for labels, rates in record.rates.items()
        ]
    )
    keys = ["data", "encoder", "labels per class"]
    means = rows.groupby(keys, sort=False).mean().reset_index()
    labelled, issues = (means[(means["encoder"] != "") == side] for side in (True, False))
    if len(labelled):
        labelled = labelled.dropna(axis=1, how="all")
        show_frame("Per cent correct, by encoder", labelled)
        level = is_level(labelled).mean()
        print(f"Best, or level to {LEVEL} points: {100 * level:.0f} % of the rows (bar: 80 %)")
    if len(issues):
        shown = issues.drop(columns=["encoder", "labels per class"]).dropna(axis=1)
        show_frame("Per cent of the flipped labels among as many worst-ranked rows", shown, 1)
