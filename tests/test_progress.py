"""Who listens, and who watches."""

import numpy as np
import pytest

import graphwell as gw
from graphwell.progress import heartbeat, in_pieces, listening, tell, watched


def test_the_innermost_listener_hears():
    outer, inner = [], []
    with listening(outer.append):
        tell(0.1)
        with listening(inner.append):
            tell(0.2)
        tell(0.3)
    tell(0.4)
    assert (outer, inner) == ([0.1, 0.3], [0.2])


def test_telling_is_a_heartbeat():
    beats = []
    with watched(lambda: beats.append(1)):
        tell(0.5)
        heartbeat()
    heartbeat()
    assert len(beats) == 2


def test_a_watchdog_ends_the_work_and_is_gone_afterwards():
    def end():
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"), watched(end):
        heartbeat()
    heartbeat()


def test_pieces_add_up_to_the_stage():
    heard = []
    told = in_pieces(lambda stage, share: heard.append((stage, share)), "start", [1, 1])
    for share in (1.0, 0.5, 1.0, 1.0):
        told(share)
    assert heard == [("start", 0.5), ("start", 0.75), ("start", 1.0), ("start", 1.0)]


def shares_of(told, stage):
    return [share for name, share in told if name == stage and share is not None]


def check_shares(shares, least):
    assert len(shares) >= least
    assert shares == sorted(shares)
    assert shares[0] < 0.3
    assert shares[-1] == 1.0


def test_the_start_of_a_segmentation_tells_how_far_it_is():
    told = []
    image, truth = gw.datasets.make_grey_image(320, 320)
    seeds = np.where(np.arange(320) % 40 == 0, truth, -1)
    gw.Segmenter(image, n_jobs=1, progress=lambda *args: told.append(args)).segment(seeds)
    check_shares(_highest(shares_of(told, "start")), 20)
    check_shares(shares_of(told, "descent"), 9)


@pytest.mark.parametrize("start", ["auto", "diffusion"])
def test_the_start_of_a_classifier_tells_how_far_it_is(start):
    told = []
    X, truth = gw.datasets.make_three_moons(100, random_state=0)
    y = gw.datasets.sample_labels(truth, 5, random_state=0)
    clf = gw.DiffuseInterfaceClassifier(start=start, tune=False, n_jobs=1, random_state=0)
    clf.fit(X, y, progress=lambda *args: told.append(args))
    check_shares(_highest(shares_of(told, "start")), 15)


def _highest(shares):
    """Residuals may rise for a moment; a little way back is allowed."""
    highest = np.maximum.accumulate(shares)
    assert (highest - shares).max() < 0.1
    return highest.tolist()
