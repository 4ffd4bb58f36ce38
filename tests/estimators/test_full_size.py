"""A metric that wins on a sample of large data must win on all of it."""

import numpy as np
import pytest

import graphwell as gw


@pytest.mark.filterwarnings("ignore::graphwell.BridgedWarning")
def test_a_metric_that_wins_on_a_sample_alone_is_not_taken(shared_data):
    """The metric of the sample gives 3.04 % wrong here, the rows as they are 2.50."""
    data = np.load(shared_data / "uci" / "penbased.npz")
    truth = np.unique(data["y"], return_inverse=True)[1]
    rng = np.random.default_rng(0)
    rows = np.concatenate([rng.choice(np.flatnonzero(truth == c), 10, replace=False) for c in range(10)])
    labels = np.full(len(truth), -1)
    labels[rows] = truth[rows]
    fitted = gw.DiffuseInterfaceClassifier(random_state=0).fit(data["X"], labels)
    assert "no better on all rows" in str(fitted.tuning_)
    hidden = labels < 0
    assert (fitted.transduction_ != truth)[hidden].mean() < 0.026
