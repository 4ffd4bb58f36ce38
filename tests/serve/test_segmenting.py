"""Segmentations in the background."""

import threading

import numpy as np

from graphwell.serve.segmenting import Segmenting, Wish

SEEDS = np.array([[0, -1]])


class SlowPicture:
    """Waits to be let go; counts what it is asked."""

    is_large = True

    def __init__(self):
        self.go, self.begun, self.asked = threading.Event(), threading.Event(), []

    def prepare(self, *, coarse):
        self.asked.append("prepare")

    def segment(self, seeds, *, coarse):
        self.begun.set()
        assert self.go.wait(10)
        self.asked.append("segment")
        if seeds[0, 1] == 9:
            raise ValueError("This cannot be segmented.")
        return seeds


def segmenting(picture, wishes):
    found, failed, heard = [], [], threading.Event()

    def told(kind):
        def keep(wish, *what):
            kind.append(wish.number)
            if wish is wishes[-1]:
                heard.set()

        return keep

    thread = Segmenting(told(found), told(failed), coarse=False)
    thread.begin()
    thread.want(wishes[0])
    assert picture.begun.wait(10)
    for wish in wishes[1:]:
        thread.want(wish)
    picture.go.set()
    assert heard.wait(10)
    thread.end()
    return found, failed


def test_a_wish_that_was_overtaken_before_it_began_is_forgotten():
    picture = SlowPicture()
    assert segmenting(picture, [Wish(picture, SEEDS, n) for n in (1, 2, 3)]) == ([1, 3], [])


def test_a_failure_is_told_and_the_next_wish_is_done():
    picture = SlowPicture()
    bad = Wish(picture, np.array([[0, 9]]), 1)
    assert segmenting(picture, [bad, Wish(picture, SEEDS, 2)]) == ([2], [1])


def test_small_pictures_have_no_coarse_answers():
    picture = SlowPicture()
    picture.is_large = False
    thread = Segmenting(lambda *_: picture.asked.append("found"), lambda *_: None, coarse=True)
    thread._answer(Wish(picture, SEEDS, 1))
    assert picture.asked == []


def test_without_seeds_the_picture_is_only_prepared():
    picture, done = SlowPicture(), threading.Event()
    picture.prepare = lambda *, coarse: done.set()
    thread = Segmenting(lambda *_: picture.asked.append("found"), lambda *_: None, coarse=True)
    thread.begin()
    thread.want(Wish(picture, np.array([[-1, -1]]), 1))
    assert done.wait(10)
    thread.end()
    thread._thread.join(10)
    assert picture.asked == []
