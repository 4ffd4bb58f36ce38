"""Odd parameters, rows and labels; odd tables, cells and classifiers of other libraries."""

import math
import random
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

import graphwell as gw
from torture.attack import Attack, Lost
from torture.files import answers_or_tells

HUGE = 10**30
ODD: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 7, HUGE, 0.5, 2.5, math.nan, math.inf, -math.inf, 1e300, 1e-300, "", "x",
    "2", "auto", "nearest", "random", "cosine", "precomputed", "labels", b"x", [], [1], (1, 2), {},
    {0: 0.5, 1: 0.5}, {"a": "b"}, np.ones(2), np.array("x"), 1j, range(3),
    [(0, 5)], [(1, -5)], [(1.0, 2)], [(1e9, 1)], [None],
)  # fmt: skip
NOT_HUGE = {"max_iter", "n_eigenvectors", "diffusion_steps", "n_jobs"}


def fit_odd_parameters(seed: int) -> None:
    """Fit with one to three odd parameters on rows and labels that may be odd too."""
    rng = random.Random(seed)
    X, y = _rows(rng), _labels(rng)
    if rng.random() < 0.1:
        answers_or_tells(lambda: gw.segment(X, np.where(np.arange(len(X)) < 9, 1, -1)[:, None]))
        return
    method = rng.choice(list(gw.methods().values()))
    names = list(method.classifier().get_params())
    odd = {name: rng.choice(ODD) for name in rng.sample(names, min(len(names), rng.randint(0, 3)))}
    odd = {name: value for name, value in odd.items() if not (name in NOT_HUGE and value is HUGE)}
    fitted = answers_or_tells(lambda: method(**{"n_jobs": 1, **odd}).fit(X, y))
    if fitted is not None and not np.isfinite(fitted.label_distributions_).all():
        raise Lost(f"scores that are no numbers: {method.name}, {odd}")


def _rows(rng: random.Random) -> Any:
    X = np.random.default_rng(rng.randrange(50)).normal(
        size=(rng.choice((1, 2, 5, 30, 60)), rng.choice((1, 3, 12)))
    )
    if rng.random() < 0.3:
        X[rng.randrange(len(X)), 0] = rng.choice((math.nan, math.inf, 1e200, 1e150, -1e100, 1e-320, 0.0))
    if rng.random() < 0.1:
        X[:] = X[0]
    return rng.choice(
        (X, X, X, X.astype(np.float32), X.tolist(), X[:, 0], X.astype(str), np.asfortranarray(X))
    )


def _labels(rng: random.Random) -> Any:
    n = rng.choice((30, 30, 60, 5))
    y = np.where(np.arange(n) < 8, np.arange(n) % rng.choice((1, 2, 3)), -1)
    odd = (
        y,
        y,
        y,
        y.astype(float),
        [None if v < 0 else str(v) for v in y],
        y[:3],
        np.full(n, -1),
        [(1, 2)] * n,
        None,
    )
    return rng.choice(odd)


N = 12
ODD_CELLS: tuple[Any, ...] = (
    None, True, -1, 0, 0.5, 10**30, math.nan, math.inf, 1e300, "x", "3", b"x", [], (1, 2), {}, {1: 2}, 1j,
    np.float64(2), np.array([1.0, 2.0]), np.array("x"), print, np,
)  # fmt: skip

Chance: TypeAlias = Any
"""A `random.Random` whose choices are of any type."""


def fit_from_elsewhere(seed: int) -> None:
    """Send something odd of another library, and fit on what arrives."""
    rng = random.Random(seed)
    library = LIBRARIES[seed % len(LIBRARIES)]
    answers_or_tells(lambda: library(rng))


def _fitted(X: Any, y: Any = None, **parameters: Any) -> gw.DiffuseInterfaceClassifier:
    y = np.where(np.arange(N) < 4, np.arange(N) % 2, -1) if y is None else y
    fitted = gw.DiffuseInterfaceClassifier(n_jobs=1, random_state=0, n_neighbors=3, **parameters).fit(X, y)
    if not np.isfinite(fitted.label_distributions_).all():
        raise Lost("scores that are no numbers")
    return fitted


def _anndata(rng: Chance) -> None:
    import anndata
    import pandas as pd
    from scipy import sparse

    X = np.random.default_rng(rng.randrange(9)).normal(size=(N, 3)).astype(np.float32)
    X[0, 0] = rng.choice((0, 0, 0, math.nan, math.inf))
    cells = anndata.AnnData(rng.choice((X, X, sparse.csr_matrix(X), X[:, :0], None)), shape=None)
    names = ["a", "b", "a", "b", *[None] * (N - 4)]
    odd = (
        names,
        names,
        names,
        pd.Categorical(names),
        [None] * N,
        list(range(N)),
        [*names[:-1], ODD_CELLS[9]],
    )
    if cells.n_obs == N:
        cells.obs["known"] = rng.choice(odd)
    if rng.random() < 0.3 and cells.n_obs == N:
        ring = sparse.csr_matrix(np.roll(np.eye(N), 1, axis=1) * rng.choice((1.0, 1.0, -1.0, math.nan)))
        cells.obsp["connectivities"] = ring
    if rng.random() < 0.3 and cells.n_obs == N:
        cells.obsm["X_pca"] = X.astype(rng.choice(("f4", "f8", "i4")))
    known = rng.choice(("known", "known", "known", "other", 5, None))
    rep = rng.choice((None, None, "X", "X_pca", "other", 5))
    seen = cells[::2] if rng.random() < 0.2 else cells
    key = rng.choice(("graphwell", "graphwell", "known", "", 5))
    gw.annotate(seen, known, key, use_rep=rep, n_neighbors=2, n_jobs=1, random_state=0)


def _frames(rng: Chance) -> None:
    import pandas as pd
    import polars

    column = [rng.random() for _ in range(N)]
    names = rng.choice(
        (["a", "b"], ["a", "a"], [0, 1], [0, "a"], [None, "a"], [("a", 1), ("b", 2)], ["", " "])
    )
    frame = pd.DataFrame(np.column_stack([column, column]))
    frame.columns = pd.Index(names, tupleize_cols=rng.random() < 0.5)
    frame[frame.columns[0]] = rng.choice((frame.iloc[:, 0], "text", pd.NA, pd.Timestamp("2020"), 1j))
    odd = rng.choice(
        (frame, frame, frame, frame.iloc[:, :0], polars.DataFrame({"x": column}), frame.iloc[:, 0])
    )
    fitted = _fitted(odd)
    gw.with_labels(rng.choice((odd, odd, frame[:3], *ODD_CELLS)), fitted)
    fitted.predict(rng.choice((odd, frame[::-1], frame.iloc[:, ::-1], frame.iloc[:, :1], frame[:0])))


class _Teller:
    """A classifier of somebody else, which says what it likes."""

    def __init__(self, said: Any = None) -> None:
        self.said = said

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """As scikit-learn's clones need it."""
        return {"said": self.said}

    def set_params(self, **_: Any) -> "_Teller":
        """As scikit-learn's clones need it."""
        return self

    def fit(self, X: Any, y: Any) -> "_Teller":
        """Learn nothing."""
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X: Any) -> Any:
        """Say it."""
        plain = np.full((len(X), len(self.classes_)), 1 / len(self.classes_))
        return plain if self.said is None else self.said(plain)


SAYINGS: tuple[Callable[[Any], Any] | None, ...] = (
    None, lambda p: p * np.nan, lambda p: -p, lambda p: p * 0, lambda p: 9 * p, lambda p: p[:, :1],
    lambda p: p[:1], lambda p: p.tolist(), lambda p: p.astype(str), lambda p: "x", lambda p: None,
    lambda p: p + 1j,
)  # fmt: skip


def _evidence(rng: Chance) -> None:
    X = np.random.default_rng(rng.randrange(9)).normal(size=(40, 2))
    y = np.where(np.arange(40) < rng.choice((2, 8, 30)), np.arange(40) % rng.choice((1, 2, 3)), -1)
    voice = (
        _Teller(rng.choice(SAYINGS))
        if rng.random() < 0.7
        else rng.choice((*ODD_CELLS, "logistic", _Teller, []))
    )
    fitted = _fitted(X, y, evidence=rng.choice((voice, voice, [voice])))
    if not np.isfinite(fitted.predict_proba(X[:5])).all():
        raise Lost("scores of new rows that are no numbers")


LIBRARIES = (_anndata, _frames, _evidence)


ATTACKS = (
    Attack(
        "parameters", "odd parameters, rows and labels for every method", fit_odd_parameters, count=30_000
    ),
    Attack(
        "interop", "odd cells and tables of other libraries; odd evidence", fit_from_elsewhere, count=1_200
    ),
)
