"""Numbers and labels at the ends of their ranges, and of odd types: fitted, or one sentence."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import graphwell as gw

rng = np.random.default_rng(0)
truth = rng.integers(2, size=40)
X = rng.normal(size=(40, 3)) + 3 * truth[:, None]
y = np.where(np.arange(40) % 3 == 0, truth, -1)
W = gw.Graph.from_features(X).W.toarray().astype(float)
HUGE = 10**400


def fitted(X, y, sample_weight=None, **parameters):
    clf = gw.DiffuseInterfaceClassifier(models=None, random_state=0, **parameters)
    return clf.fit(X, y, sample_weight=sample_weight)


def named(first, second, unknown=None):
    """Labels of two names."""
    labels = np.empty(40, dtype=object)
    labels[:] = [[first, second][k] if k >= 0 else unknown for k in y]
    return labels


@pytest.mark.parametrize("factor", [1e149, 1e-149, 1e-44])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_the_unit_of_the_rows_changes_no_label(factor, metric, form):
    expected = fitted(form(X), y, metric=metric).transduction_
    np.testing.assert_array_equal(fitted(form(X * factor), y, metric=metric).transduction_, expected)


@pytest.mark.parametrize(
    "rows",
    [
        X.astype(np.float16),
        X.astype(np.longdouble),
        (X * 1e17).astype(np.int64),
        (X * 1e-44).astype(np.float32),
        np.array([[Decimal(str(value)) for value in row] for row in X], dtype=object),
        pd.DataFrame(X).astype(object),
    ],
    ids=["half", "long double", "large integers", "below normal", "Decimal", "objects"],
)
def test_rows_of_odd_types_are_fitted(rows):
    np.testing.assert_array_equal(fitted(rows, y).transduction_, truth)


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (X + 1j, "X is complex"),
        ((X + 1j).tolist(), r"X is complex; give its parts as columns\.$"),
        ((X + 1j).astype(object), "X is complex"),
        (np.where(X > 5, np.nan, X), "X contains NaN"),
        (np.where(X > 5, np.inf, X), "infinity"),
        (X * 1e151, "values beyond 1e"),
        (X * 1e-151, "no value beyond 1e-150"),
        (np.array([[HUGE * int(value > 1) for value in row] for row in X], dtype=object), "values beyond 1e"),
        (X.astype(np.longdouble) * np.longdouble("1e400"), "too large"),
        (sparse.csr_array((40, 2**40)), "columns, and to project them takes about"),
    ],
)
def test_rows_out_of_range_get_a_sentence(rows, sentence):
    with pytest.raises(ValueError, match=sentence):
        fitted(rows, y)
    if "no value" not in sentence and "project" not in sentence:
        with pytest.raises(ValueError, match=sentence):
            fitted(X, y).predict(rows)


@pytest.mark.parametrize("models", [None, "auto"])
@pytest.mark.parametrize("form", [sparse.csr_array, pd.DataFrame])
def test_sparse_rows_and_frames_out_of_range_get_a_sentence(form, models):
    clf = gw.DiffuseInterfaceClassifier(models=models, n_jobs=1).fit(form(X), y)
    for ask in (clf.predict, clf.predict_proba, lambda rows: clf.fit(rows, y)):
        for odd in (-1e200, 1e300, 1e151):
            with pytest.raises(
                ValueError, match=r"X holds values beyond 1e\+150; rescale|is .*, too large to"
            ):
                ask(form(np.where(np.arange(40)[:, None] == 7, odd, X)))
        with pytest.raises(ValueError, match="complex"):
            ask(form(X + 1j))
    with pytest.raises(ValueError, match="no value beyond 1e-150: distances vanish; rescale the features"):
        clf.fit(form(1e-155 * X), y)
    assert len(clf.predict(form(1e-155 * X))) == len(X)  # the fitted rows give the scale


@pytest.mark.parametrize("form", [np.asarray, np.ndarray.tolist, sparse.csr_array, sparse.coo_matrix])
def test_complex_and_huge_graphs_are_refused_by_fit_and_predict(form):
    clf = fitted(np.ones((40, 40)), y, metric="precomputed")
    for ask in (clf.predict, lambda graph: clf.fit(graph, y), gw.Graph.from_affinity):
        with pytest.raises(ValueError, match=r"is complex; give real affinities, its absolute values say\.$"):
            ask(form(np.ones((40, 40)) + 0j))
        with pytest.raises(ValueError, match=r"holds values beyond 1e\+100; divide it"):
            ask(form(np.full((40, 40), 1e150)))


@pytest.mark.parametrize("exponent", [329, 30, -30, -900])
def test_affinities_of_any_unit_give_the_same_bits(exponent):
    expected = fitted(W, y, metric="precomputed")
    clf = fitted(W * 2.0**exponent, y, metric="precomputed")
    np.testing.assert_array_equal(clf.label_distributions_, expected.label_distributions_)


def test_huge_numbers_get_a_sentence_wherever_they_are():
    with pytest.raises(ValueError, match="values beyond 1e"):
        fitted(np.full((40, 40), HUGE, dtype=object), y, metric="precomputed")
    for weights in (np.full(40, HUGE, dtype=object), np.ones(40) + 1j):
        with pytest.raises(ValueError, match="one number per row"):
            fitted(X, y, weights)
    with pytest.raises(ValueError, match="sample_weight holds values beyond 1e"):
        fitted(X, y, np.full(40, 1e300))
    polars = pytest.importorskip("polars")
    wide = polars.DataFrame({"a": polars.Series([1, 2]).cast(polars.Int128), "b": [1, 2], "c": [3, 4]})
    with pytest.raises(ValueError, match="cannot read as numbers"):
        gw.Graph.from_features(wide)


@pytest.mark.parametrize(
    "labels",
    [
        named("a", "b", pd.NA),
        named(pd.Timestamp("2020"), pd.Timestamp("2021"), pd.NaT),
        np.where(y >= 0, np.array(["2020", "2021"], "datetime64[ns]")[y], np.datetime64("NaT", "ns")),
        named("a", "a\0"),
        named("a", "a\0").astype(np.dtypes.StringDType(na_object=None)),
        named("a", "\ud800"),
        named("\udcff", "\ud800"),
        named(2**53, 2**53 + 1, -1),
        named(pd.Timestamp("2020", tz="UTC"), pd.Timestamp("2021", tz="Asia/Tokyo")),
        np.where(y >= 0, y, np.nan).astype(np.float16),
    ],
)
def test_labels_of_odd_types_are_read(labels):
    clf, known = fitted(X, labels), y >= 0
    assert len(clf.classes_) == 2
    if getattr(labels[0], "tzinfo", None) is None:  # those of a zone are told in UTC
        assert (clf.transduction_[known] == np.array([*labels[known]], clf.classes_.dtype)).all()
        assert clf.score(X[known], labels[known]) == 1.0
    assert "labels given" in clf._repr_html_()


def test_columns_of_other_libraries_keep_their_integers():
    values = [None if k < 0 else 2**63 + int(k) for k in y]
    polars, arrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    for labels in (
        polars.Series(values, dtype=polars.UInt64),
        polars.Series(values, dtype=polars.Int128),
        arrow.array(values, arrow.uint64()),
    ):
        clf = fitted(X, labels)
        assert clf.classes_.tolist() == [2**63, 2**63 + 1]
        assert gw.metrics.accuracy_on_known(labels, clf.transduction_) == 1.0
    nullable = pd.Series(np.where(y >= 0, y, 0)).where(pd.Series(y >= 0)).astype("Int8")
    assert gw.metrics.accuracy_on_known(nullable, truth) == 1.0


def test_narrow_numbers_of_parameters_and_columns_are_compared_as_wide_ones():
    frame = pd.DataFrame(X.astype(np.float16)).add_prefix("f")
    np.testing.assert_array_equal(fitted(frame, y, fidelity=np.float16(30)).transduction_, truth)
    with pytest.raises(ValueError, match=r"got 1D array instead\. Reshape your data: .* one column\.$"):
        fitted(X[:, 0], y)


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        (named(2.0**53, 2**53 + 1), "cannot tell apart"),
        (named(10**30, 10**31, -1), "give text"),
        (named(HUGE, 1, -1), "give text"),
        (named(Decimal(1), Decimal(2), Decimal("sNaN")), "give text"),
        (named(1j, 2j), "complex"),
        (named(pd.Timestamp("2020", tz="UTC"), pd.Timestamp("2021")), "with and without a time zone"),
        (named(1.0, np.inf, np.nan), "infinity"),
        (named(b"a", b"b"), "bytes"),
        (named({}, {}), "y holds a dict"),
        ([1 + 2j] * 40, "label"),
        ([np.inf] * 40, "infinity"),
        (named(object(), None), "different kinds"),
        (np.full(40, np.datetime64("NaT")), "no known label"),
    ],
)
def test_labels_that_are_none_get_a_sentence(labels, sentence):
    with pytest.raises(ValueError, match=sentence):
        fitted(X, labels)
