"""Who listens, and who watches."""

import threading

import pytest

from graphwell.progress import heartbeat, in_pieces, listening, silent, tell, watched


def test_nobody_need_listen_and_outside_of_a_block_nobody_hears():
    heard = []
    with listening(heard.append), watched(lambda: heard.append("beat")):
        pass
    silent("start", None)
    tell(0.5)
    heartbeat()
    assert heard == []


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


def test_other_threads_are_not_watched():
    beats = []
    with watched(lambda: beats.append(1)):
        other = threading.Thread(target=heartbeat)
        other.start()
        other.join()
    assert beats == []


def test_pieces_add_up_to_the_stage():
    heard = []
    told = in_pieces(lambda stage, share: heard.append((stage, share)), "start", [1, 1])
    for share in (1.0, 0.5, 1.0, 1.0):
        told(share)
    assert heard == [("start", 0.5), ("start", 0.75), ("start", 1.0), ("start", 1.0)]
