"""How the pages of `graphwell paint` follow requests: overtaken, failed, coarse before fine."""

import threading

import numpy as np

from graphwell.jobs.painting import PaintedPicture
from graphwell.serve.painting import Request, SegmentingThread
from tests.serve.paintings import ACROSS, do, fine, first, folder, opened

__all__ = ["folder", "opened"]


def test_a_coarse_answer_is_shown_until_the_fine_one_is_there(opened):
    page, heard = opened
    heard.wait_for(fine(do(page, "stroke", **ACROSS)))
    labels = np.zeros((2, 2), dtype=int)
    page._take(Request(page._picture, labels, page._number), labels, True)
    assert not heard.events[-1]["coarse"]
    page._take(Request(page._picture, labels, page._number + 1), labels, True)
    assert heard.events[-1]["coarse"]
    other = Request(PaintedPicture(page._picture.path, page.options), labels, page._number + 2)
    page._take(other, labels, False)
    assert heard.events[-1]["coarse"]


def test_an_answer_to_strokes_that_are_gone_is_not_shown(opened):
    page, heard = opened
    number = do(page, "stroke", **ACROSS)
    heard.wait_for(fine(number))
    do(page, "undo")
    labels = np.zeros((60, 70), dtype=int)
    page._take(Request(page._picture, labels, number), labels, False)
    assert len(first(page)) == 1


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


def segmenting(picture, requests):
    found, failed, heard = [], [], threading.Event()

    def told(kind):
        def keep(request, *what):
            kind.append(request.number)
            if request is requests[-1]:
                heard.set()

        return keep

    thread = SegmentingThread(told(found), told(failed), coarse=False)
    thread.begin()
    thread.request(requests[0])
    assert picture.begun.wait(10)
    for request in requests[1:]:
        thread.request(request)
    picture.go.set()
    assert heard.wait(10)
    thread.end()
    return found, failed


def test_a_request_that_was_overtaken_before_it_began_is_forgotten():
    picture = SlowPicture()
    assert segmenting(picture, [Request(picture, SEEDS, n) for n in (1, 2, 3)]) == ([1, 3], [])


def test_a_failure_is_told_and_the_next_request_is_done():
    picture = SlowPicture()
    bad = Request(picture, np.array([[0, 9]]), 1)
    assert segmenting(picture, [bad, Request(picture, SEEDS, 2)]) == ([2], [1])


def test_small_pictures_have_no_coarse_answers():
    picture = SlowPicture()
    picture.is_large = False
    thread = SegmentingThread(lambda *_: picture.asked.append("found"), lambda *_: None, coarse=True)
    thread._answer(Request(picture, SEEDS, 1))
    assert picture.asked == []


def test_without_seeds_the_picture_is_only_prepared():
    picture, done = SlowPicture(), threading.Event()
    picture.prepare = lambda *, coarse: done.set()
    thread = SegmentingThread(lambda *_: picture.asked.append("found"), lambda *_: None, coarse=True)
    thread.begin()
    thread.request(Request(picture, np.array([[-1, -1]]), 1))
    assert done.wait(10)
    thread.end()
    thread._thread.join(10)
    assert picture.asked == []
