"""Label spreading against the dense inverse."""

import numpy as np
import pytest

from graphwell.estimators.baselines import LabelSpreading
from tests.estimators.baselines.cases import connected_case, normalised
from tests.helpers import blobs, few


@pytest.mark.parametrize("seed", range(3))
def test_label_spreading_matches_the_dense_inverse(seed):
    graph, y = connected_case(seed)
    Y = np.eye(3)[y] * (y >= 0)[:, None]
    expected = np.linalg.solve(np.eye(24) - 0.9 * graph.S.toarray(), Y)
    found = LabelSpreading(alpha=0.9).fit(graph, y).label_distributions_
    np.testing.assert_allclose(found[6:], normalised(expected)[6:], atol=1e-5)


def test_a_bad_alpha_gets_one_clear_sentence():
    X, truth = blobs()
    with pytest.raises(ValueError, match="alpha must lie between 0 and 1"):
        LabelSpreading(alpha=1.0).fit(X, few(truth))
