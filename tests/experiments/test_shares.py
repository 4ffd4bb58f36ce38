"""Error against the share of labels."""

import graphwell as gw
from graphwell.experiments.record import Counter
from graphwell.experiments.shares import STARTS, errors_by_share, run_shares, share_key


def test_every_start_is_run_for_every_share():
    X, truth = gw.datasets.make_three_moons(n_per_class=60, dim=5, random_state=0)
    counter = Counter("shares", 6, lambda *args: None)
    schedule = gw.Fixed(1.0, sweeps=20)
    runs = run_shares("toy", gw.Graph.from_features(X), truth, 0, schedule, (5, 10), [0, 1], counter)
    assert len(runs) == 2 * len(STARTS) * 2
    assert {run.line for run in runs} == {
        share_key("toy", share, start) for share in (5, 10) for start in STARTS
    }
    errors = errors_by_share(runs, "toy", "nearest", (5, 10))
    assert [len(of_share) for of_share in errors] == [2, 2]
    assert all(0 <= error <= 100 for of_share in errors for error in of_share)
