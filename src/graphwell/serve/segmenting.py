"""Segmentations in the background; a newer wish replaces an older one that has not begun."""

import threading
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from graphwell._types import IntArray
from graphwell.jobs.painting import PaintedPicture


@dataclass(frozen=True, eq=False)
class Wish:
    """A picture to be segmented.

    Attributes
    ----------
    picture : PaintedPicture
    seeds : array
        -1 where unknown.
    number : int
        Counts the wishes; windows see which strokes an answer is to.
    """

    picture: PaintedPicture
    seeds: IntArray
    number: int


Found = Callable[[Wish, IntArray, bool], None]
"""Told the classes of a wish, and whether they are those of the small copy."""
Failed = Callable[[Wish, Exception], None]


class Segmenting:
    """A thread that segments what was wished for last.

    Parameters
    ----------
    found : callable
    failed : callable
    coarse : bool
        Whether it segments the small copies of pictures.
    """

    def __init__(self, found: Found, failed: Failed, *, coarse: bool) -> None:
        self._found, self._failed, self._coarse = found, failed, coarse
        self._wish: Wish | None = None
        self._changed = threading.Condition()
        self._ended = False
        self._thread = threading.Thread(target=self._run, name="segmenting", daemon=True)

    def begin(self) -> None:
        """Start the thread."""
        self._thread.start()

    def end(self) -> None:
        """Let the thread end after what it does now."""
        with self._changed:
            self._ended, self._wish = True, None
            self._changed.notify()

    def want(self, wish: Wish) -> None:
        """Segment this next; what was wished before and has not begun is forgotten."""
        with self._changed:
            self._wish = wish
            self._changed.notify()

    def _run(self) -> None:
        while (wish := self._next()) is not None:
            try:
                self._answer(wish)
            except Exception as error:  # told to the windows; the next stroke may do
                self._failed(wish, error)

    def _next(self) -> Wish | None:
        with self._changed:
            self._changed.wait_for(lambda: self._ended or self._wish is not None)
            wish, self._wish = self._wish, None
            return None if self._ended else wish

    def _answer(self, wish: Wish) -> None:
        if self._coarse and not wish.picture.is_large:
            return  # the fine answer is there as soon
        wish.picture.prepare(coarse=self._coarse)
        if np.any(wish.seeds >= 0) and not self._overtaken():
            self._found(wish, wish.picture.segment(wish.seeds, coarse=self._coarse), self._coarse)

    def _overtaken(self) -> bool:
        with self._changed:
            return self._wish is not None or self._ended
