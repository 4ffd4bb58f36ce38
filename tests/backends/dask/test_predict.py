"""New rows after a fit on a cluster."""

import dask.array as da
import numpy as np
import pytest

from tests.backends.dask.cases import QUICK, SHORT, fitted, rows_and_labels

pytestmark = pytest.mark.slow  # a fit or two on a cluster each


@pytest.fixture(scope="module")
def data():
    return rows_and_labels()


def test_new_rows_are_answered_block_by_block(client, data):
    X, y, _ = data
    one, many = fitted(X, y, **QUICK), fitted(da.from_array(X, chunks=(200, 10)), y, **QUICK)
    new = X[:90] + 0.2
    rows = da.from_array(new, chunks=(40, 10))
    scores = many.predict_proba(rows)
    assert scores.chunks == ((40, 40, 10), (3,))
    np.testing.assert_allclose(scores.compute(), one.predict_proba(new), atol=1e-6)
    assert many.predict(rows).chunks == ((40, 40, 10),)
    np.testing.assert_array_equal(many.predict(rows).compute(), one.predict(new))
    np.testing.assert_array_equal(many.predict(new), one.predict(new))
    np.testing.assert_allclose(many.predict_proba(new[:1]), one.predict_proba(new[:1]), atol=1e-6)
    np.testing.assert_array_equal(many.doubtful(5), one.doubtful(5))


def test_bad_new_rows_get_one_sentence(client, data):
    X, y, _ = data
    many = fitted(da.from_array(X, chunks=(200, 10)), y, schedule=SHORT, start="random")
    with pytest.raises(
        ValueError, match="X has 3 features, but DiffuseInterfaceClassifier is expecting 10 features"
    ):
        many.predict(X[:, :3])
    with pytest.raises(ValueError, match="X holds NaN or infinite values"):
        many.predict(np.full((1, 10), np.nan))
    with pytest.raises(ValueError, match="y has 3 labels but X has 600 rows"):
        fitted(da.from_array(X, chunks=(200, 10)), [0, 1, -1])
