"""Odd parameters, arrays of odd types and libraries, pickled fits, sparse matrices whose numbers lie."""

import math
import pickle
import random
import re
import warnings
from decimal import Decimal
from typing import Any

import numpy as np
from scipy import sparse

import graphwell as gw
from graphwell import DiffuseInterfaceClassifier, Graph
from graphwell.active import Session, suggest
from torture.attack import Lost, attack
from torture.files import answers_or_tells, mutated

N = 30
TYPES = (
    "f8", ">f8", "f4", "f2", "g", "c16", "?", "i1", ">i8", "u8", "O", "U8", "S8", "M8[s]", "m8[s]", "V8", "T",
)  # fmt: skip
SPARSE = ("csr", "csc", "coo", "bsr", "lil", "dok", "dia")


class Subclass(np.ndarray):
    """An array with another name."""


class Exported:
    """An array that only DLPack can read, and that may lie about where it is or lend one capsule twice."""

    def __init__(self, array: np.ndarray, rng: random.Random) -> None:
        self.array, self.device = array, rng.choice(((1, 0), (1, 0), (1, 0), (2, 0), (7, 1), None, "x"))
        self.capsule = array.__dlpack__() if rng.random() < 0.3 else None

    def __dlpack_device__(self) -> Any:
        return self.device

    def __dlpack__(self, **_: Any) -> Any:
        return self.array.__dlpack__() if self.capsule is None else self.capsule


@attack("arrays", "arrays of odd types, layouts and libraries; pickled fits", count=3000)
def fit_odd_arrays(seed: int) -> None:
    """Fit, ask and pickle with odd arrays in every place that takes one."""
    rng = random.Random(seed)
    X, y = _plain(rng)
    place = rng.choice(("X", "X", "y", "both", "weights", "features", "suggest", "session", "new", "pickle"))
    made = gw.DiffuseInterfaceClassifier(n_jobs=1, models=None, random_state=0)
    odd_X, odd_y = _odd(X, rng), _odd(y, rng)
    if place == "suggest":
        answers_or_tells(lambda: suggest(odd_X, odd_y, n=3, n_jobs=1))
    elif place == "session":
        answers_or_tells(lambda: _session(X, odd_y, rng))
    elif place == "weights":
        answers_or_tells(lambda: made.fit(X, y, sample_weight=_odd(np.abs(X[:, 0]), rng)))
    elif place == "features":
        graph = gw.Graph.from_features(X, 4, 4, n_jobs=1)
        answers_or_tells(lambda: made.fit(graph, y, features=odd_X))
    elif place == "new":
        made.fit(X, y)
        answers_or_tells(lambda: made.predict_proba(odd_X))
    elif place == "pickle":
        _unpickle(made.fit(X, y), X, rng)
    else:
        _fit(made, X if place == "y" else odd_X, y if place == "X" else odd_y)


@attack("order", "rows, classes and columns in another order: the same bits", count=1000)
def fit_in_another_order(seed: int) -> None:
    """Fit the same rows twice, the second time permuted and with other names of classes."""
    rng = np.random.default_rng(seed)
    n, n_classes = int(np.exp(rng.uniform(np.log(6), np.log(400)))), int(rng.integers(1, 7))
    truth = rng.integers(n_classes, size=n)
    X = rng.normal(size=(n, int(rng.integers(1, 9)))) + rng.uniform(0, 4) * truth[:, None]
    X = X.round(1) if rng.random() < 0.4 else X  # ties
    X[rng.random(n) < 0.2] = X[0]  # copies
    y = np.where(rng.random(n) < rng.uniform(0.05, 0.6), truth, -1)
    y[rng.integers(n)] = 0
    order, columns, names = rng.permutation(n), rng.permutation(X.shape[1]), rng.permutation(n_classes)
    other = np.where(y < 0, -1, names[y])
    made = gw.DiffuseInterfaceClassifier(
        models=None if seed % 5 else "auto", n_jobs=1 + seed % 2, random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        labels, scores, classes = _found(made, X, y)
        moved = _found(made, X[order][:, columns], other[order])
    at = np.searchsorted(moved[2], names[classes])
    twins = {tuple(sorted(map(bytes, X[y == c]))) for c in classes}
    if len(twins) == len(classes) and not (
        (names[labels[order]] == moved[0]).all() and (scores[order] == moved[1][:, at]).all()
    ):
        raise Lost("labels or scores depend on the order of rows, columns or classes")


def _found(made: DiffuseInterfaceClassifier, X: Any, y: Any) -> tuple[Any, Any, Any]:
    made.fit(X, y)
    return made.transduction_, made.label_distributions_, made.classes_


def _plain(rng: random.Random) -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(rng.randrange(20)).normal(size=(N, rng.choice((1, 3, 8))))
    return X, np.where(np.arange(N) < 9, np.arange(N) % 3, -1)


def _odd(array: np.ndarray, rng: random.Random) -> Any:
    """The array in another type, layout or library."""
    kind = rng.randrange(10)
    if kind < 3:
        return _typed(array, rng.choice(TYPES))
    if kind == 3:
        return array.view(Subclass) if rng.random() < 0.5 else array.view(np.ma.MaskedArray)
    if kind == 4:
        array = array.copy()
        array.flags.writeable = False
        return np.asfortranarray(array) if rng.random() < 0.5 else array[::-1][::-1]
    if kind == 5:
        return Exported(_typed(array, rng.choice(("f8", "f4", "i4", "?", "c16"))), rng)
    if kind == 6:
        return sparse.coo_array(array).asformat(rng.choice(SPARSE if array.ndim == 2 else ("coo", "csr")))
    if kind == 7:
        return array[..., None] if rng.random() < 0.5 else array[: rng.randrange(N)]
    if kind == 8:
        return rng.choice((array.tolist(), np.ascontiguousarray(array).data, iter(array), list(array)))
    return rng.choice(
        (None, print, np, N, "x" * N, b"x" * N, {1: 2}, [Decimal(1)] * N, [[]] * N, np.float64(1))
    )


def _typed(array: np.ndarray, name: str) -> np.ndarray:
    typed = np.dtypes.StringDType() if name == "T" else np.dtype(name)
    try:
        return array.astype(typed)
    except (TypeError, ValueError):
        return np.zeros(array.shape, dtype=typed)


def _fit(made: Any, X: Any, y: Any) -> None:
    fitted = answers_or_tells(lambda: made.fit(X, y))
    if fitted is not None and not np.isfinite(fitted.label_distributions_).all():
        raise Lost("scores that are no numbers")


def _session(X: np.ndarray, y: Any, rng: random.Random) -> None:
    session = Session(X, y, n_jobs=1)
    row = rng.choice((0, -1, N, 5, "x", None, 1.5, np.int64(3)))
    session.answer(row, rng.choice((0, 1, None, "a", np.nan, [1])))
    session.suggest(2)
    session.fit()


def _unpickle(fitted: Any, X: np.ndarray, rng: random.Random) -> None:
    """Damaged numbers in a pickle of a fit: told, or scores for new rows."""
    state = fitted.__getstate__()
    name = rng.choice([name for name, value in state.items() if isinstance(value, np.ndarray)])
    content = state[name].tobytes()
    damaged = mutated(content, rng)[: len(content)].ljust(len(content), b"\0")
    values = np.frombuffer(damaged, dtype=state[name].dtype).reshape(state[name].shape)
    values = values[: rng.choice((len(values), len(values), 3))]
    again = answers_or_tells(lambda: _restored(type(fitted), {**state, name: values}))
    if again is not None:
        answers_or_tells(lambda: (again.predict_proba(X), again.doubtful(3)))


def _restored(kind: type, state: dict[str, Any]) -> Any:
    made = kind()
    made.__setstate__(state)
    return pickle.loads(pickle.dumps(made))


@attack("range", "numbers near the ends of the range, in rows and in given graphs", count=3000)
def fit_far_numbers(seed: int) -> None:
    """Fit rows or a graph of some size: a sentence, or numbers; the labels of rows do not depend on it."""
    rng = random.Random(seed)
    (X, y), size, kind = _plain(rng), 2.0 ** rng.randint(-1074, 1023), rng.randrange(5)
    made = gw.DiffuseInterfaceClassifier(n_jobs=1, models=None, random_state=0)
    far = X.copy()
    with np.errstate(all="ignore"):
        if kind < 2:
            far *= size
        elif kind == 2:
            far[rng.randrange(N)] *= size
        elif kind == 3:
            far[:, 0] += size
        else:
            made, far = made.set_params(metric="precomputed"), Graph.from_features(X, 4, 4).W * size
    fitted = answers_or_tells(lambda: made.fit(far, y))
    if fitted is not None and not np.isfinite(fitted.label_distributions_).all():
        raise Lost("scores that are no numbers")
    if kind < 2 and 1e-100 < size < 1e100:
        expected = gw.DiffuseInterfaceClassifier(n_jobs=1, models=None, random_state=0).fit(X, y)
        if fitted is None or (fitted.transduction_ != expected.transduction_).any():
            raise Lost(f"other labels for rows times {size:g}")


@attack("classes", "10,000 classes", count=1, alone=True)
def fit_many_classes(seed: int) -> None:
    """Fit 10,000 classes with a label each, and 2,000 rows beside one of them."""
    rng = np.random.default_rng(seed)
    truth = np.arange(12_000) % 10_000
    X = 100 * rng.normal(size=(10_000, 6))[truth] + rng.normal(size=(12_000, 6))
    y = np.where(np.arange(12_000) < 10_000, truth, -1)
    fitted = answers_or_tells(lambda: DiffuseInterfaceClassifier(models=None, n_jobs=2).fit(X, y))
    if fitted is not None and (fitted.transduction_ == truth).mean() < 0.9:
        raise Lost(f"{(fitted.transduction_ == truth).mean():.1%} of the rows have their class")


@attack("old", "pickles of other versions: a sentence, or the same labels", count=300)
def use_old(seed: int) -> None:
    """Open what another version may have written: modules that there are not, and values that lack."""
    rng = random.Random(seed)
    X, y = _plain(rng)
    fitted = gw.DiffuseInterfaceClassifier(n_jobs=1, models=None, random_state=0).fit(X, y)
    if seed % 2:
        content = pickle.dumps(fitted)
        module = rng.choice(sorted(set(re.findall(rb"graphwell\.[a-z_.]*[a-z]", content))))
        content = content.replace(module, module[:-1] + (b"x" if module[-1:] != b"x" else b"y"))
        again = answers_or_tells(lambda: pickle.loads(content))
    else:
        predictor, lacking = fitted._predictor, dict(vars(fitted._predictor))
        del lacking[rng.choice(list(lacking))]
        other = object.__new__(type(predictor))
        state = {**fitted.__getstate__(), "_predictor": other}
        again = answers_or_tells(lambda: (other.__setstate__(lacking), _restored(type(fitted), state))[1])
    if again is not None:
        found = answers_or_tells(lambda: again.predict(X))
        if found is not None and (found != fitted.predict(X)).any():
            raise Lost("other labels than before")


ODD_INDICES = (-1, 0, 1, 39, 40, 41, 10**6, 2**31 - 1, -(2**31))
FORMATS = ("csr", "csc", "bsr", "coo", "lil", "dia")
STORED = ("indices", "indptr", "data", "row", "col", "rows", "offsets")
VALUES = (np.nan, np.inf, -1.0, 1e300, 1e-320, 0.0)


@attack("matrices", "sparse matrices and pickled graphs with false indices", count=5000)
def fit_spoilt_matrix(seed: int) -> None:
    """Fit on a spoilt matrix or graph."""
    rng = random.Random(seed)
    y = np.where(np.arange(40) < 6, np.arange(40) % 2, -1)
    wrong = _spoilt_graph(rng) if rng.random() < 0.3 else _spoilt_matrix(rng)
    if wrong is None:
        return
    metric = rng.choice(("precomputed", "euclidean"))
    fitted = answers_or_tells(lambda: DiffuseInterfaceClassifier(metric=metric, n_jobs=1).fit(wrong, y))
    if fitted is not None and not set(fitted.transduction_) <= {0, 1}:
        raise Lost("labels that nobody gave")


def _chain(rng: random.Random) -> Any:
    ones = np.ones(39)
    chain = sparse.diags_array([ones, ones], offsets=[-1, 1], shape=(40, 40))
    return chain.asformat(rng.choice(FORMATS))


def _spoilt_matrix(rng: random.Random) -> Any:
    matrix = _chain(rng)
    for _ in range(rng.randint(1, 3)):
        names = [name for name in STORED if hasattr(matrix, name)]
        array = getattr(matrix, rng.choice(names))
        try:
            place = rng.randrange(len(array))
            array[place] = rng.choice(VALUES) if array.dtype.kind == "f" else rng.choice(ODD_INDICES)
        except (TypeError, ValueError, OverflowError):
            continue
    return matrix


def _spoilt_graph(rng: random.Random) -> Any:
    """A graph out of a pickle with changed arrays; None where it is refused."""
    graph = Graph.from_features(np.random.default_rng(0).normal(size=(40, 3)), 4, 4, n_jobs=1)
    state = graph.__getstate__()
    W = graph.W.copy()
    for name in ("indices", "indptr", "data"):
        array = getattr(W, name)
        if rng.random() < 0.4:
            array[rng.randrange(len(array))] = (
                rng.choice(ODD_INDICES) if array.dtype.kind == "i" else rng.choice(VALUES)
            )
    return answers_or_tells(lambda: _unpickled({**state, "W": W}))


def _unpickled(state: dict[str, Any]) -> Graph:
    graph = object.__new__(Graph)
    graph.__setstate__(state)
    again: Graph = pickle.loads(pickle.dumps(graph))
    return again


HUGE = 10**30
ODD_PARAMETERS: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 7, HUGE, 0.5, 2.5, math.nan, math.inf, -math.inf, 1e300, 1e-300, "", "x",
    "2", "auto", "nearest", "random", "cosine", "precomputed", "labels", b"x", [], [1], (1, 2), {},
    {0: 0.5, 1: 0.5}, {"a": "b"}, np.ones(2), np.array("x"), 1j, range(3),
    [(0, 5)], [(1, -5)], [(1.0, 2)], [(1e9, 1)], [None],
)  # fmt: skip
NOT_HUGE = {"max_iter", "n_eigenvectors", "diffusion_steps", "n_jobs"}


@attack("parameters", "odd parameters, rows and labels for every method", count=30000)
def fit_odd_parameters(seed: int) -> None:
    """Fit with one to three odd parameters on rows and labels that may be odd too."""
    rng = random.Random(seed)
    X, y = _odd_rows(rng), _odd_labels(rng)
    if rng.random() < 0.1:
        answers_or_tells(lambda: gw.segment(X, np.where(np.arange(len(X)) < 9, 1, -1)[:, None]))
        return
    method = rng.choice(list(gw.methods().values()))
    names = list(method.classifier().get_params())
    odd = {name: rng.choice(ODD_PARAMETERS) for name in rng.sample(names, min(len(names), rng.randint(0, 3)))}
    odd = {name: value for name, value in odd.items() if not (name in NOT_HUGE and value is HUGE)}
    fitted = answers_or_tells(lambda: method(**{"n_jobs": 1, **odd}).fit(X, y))
    if fitted is not None and not np.isfinite(fitted.label_distributions_).all():
        raise Lost(f"scores that are no numbers: {method.name}, {odd}")


def _odd_rows(rng: random.Random) -> Any:
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


def _odd_labels(rng: random.Random) -> Any:
    n = rng.choice((30, 30, 60, 5))
    y = np.where(np.arange(n) < 8, np.arange(n) % rng.choice((1, 2, 3)), -1)
    names = [None if v < 0 else str(v) for v in y]
    return rng.choice((y, y, y, y.astype(float), names, y[:3], np.full(n, -1), [(1, 2)] * n, None))
