"""Pictures of one scene one after the other, as a film has them: each begins from the one before."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from scipy import ndimage

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.segmentation.axes import channels_last
from graphwell.segmentation.features import read_picture
from graphwell.segmentation.masks import without_mask
from graphwell.segmentation.segmenter import Segmentation, Segmenter

CHANGED = 2.5
"""A pixel changed if it did by more than so many times what half of all pixels did."""
SMALLEST_CHANGE = 0.02
"""Changes below this share of the largest value are none."""
SIDE_PER_MARGIN = 60
"""Pixels of the shorter side for each pixel that marks keep away from a border."""
BLUR = 1.0


def segment_frames(
    frames: Iterable[Any], seeds: Any, *, channel_axis: int | None = -1, **options: Any
) -> Iterator[Segmentation]:
    """Give every pixel of a film a class, frame by frame, from marks in the first.

    Marks of a later frame are what the frame before was found to be: away from borders, and where the picture
    did not change. What moved is decided anew by its colours. A class that is nowhere left is lost.

    Parameters
    ----------
    frames : iterable of arrays of shape (height, width[, channels])
        All of one size; each is asked for when the one before is done. Masked points of masked arrays are
        left out, and are new to the frame where they are masked no more.
    seeds : integer array of shape (height, width), or mapping
        Known classes in the first frame, -1 where unknown; or by the number of a frame, from 0, to mend what
        went wrong there.
    channel_axis : int
        The axis that holds the channels of a frame.
    **options
        Of `Segmenter`.

    Yields
    ------
    Segmentation
        Of each frame.

    Examples
    --------
    >>> def frame(left):
    ...     picture = np.zeros((40, 60))
    ...     picture[10:30, left : left + 15] = 1
    ...     return picture
    >>> seeds = np.full((40, 60), -1)
    >>> seeds[20, 10:15], seeds[5, 10:50] = 1, 0
    >>> found = [one.labels for one in segment_frames(map(frame, (5, 9, 13)), seeds)]
    >>> [int(labels[20].argmax()) for labels in found]
    [5, 9, 13]
    """
    marks = seeds if isinstance(seeds, Mapping) else {0: seeds}
    if 0 not in marks:
        raise ValueError("seeds hold no marks of the first frame, number 0; mark some of its pixels.")
    before: tuple[FloatArray, Segmentation] | None = None
    for number, frame in enumerate(frames):
        picture = channels_last(frame, channel_axis)
        values = read_picture(without_mask(picture)[0])
        known = np.asarray(marks[number]) if number in marks else np.full(values.shape[:-1], -1)
        if before is not None:
            _check_size(number, values, before[0])
            known = np.where(known >= 0, known, carried(before[1], before[0], values))
        found = Segmenter(picture, **options).segment(known)
        before = values, found
        yield found


def _check_size(number: int, frame: FloatArray, before: FloatArray) -> None:
    if frame.shape != before.shape:
        raise ValueError(
            f"Frame {number} has the shape {frame.shape}, the one before it {before.shape}; "
            "give frames of one size."
        )


def carried(found: Segmentation, before: FloatArray, after: FloatArray) -> IntArray:
    """Marks of a frame from what the one before it was found to be.

    Parameters
    ----------
    found : Segmentation
        Of the frame before.
    before, after : arrays of shape (height, width, channels)
        Both frames.
    """
    still = ~changed(before, after)
    margin = min(found.labels.shape) / SIDE_PER_MARGIN + 1
    known = np.full(found.labels.shape, -1)
    for number in found.classes:
        inside = found.labels == number
        depth = ndimage.distance_transform_edt(np.pad(inside, 1, mode="edge"))[1:-1, 1:-1]
        far = depth > min(margin, depth.max(initial=0) / 2)
        known[inside & far & still] = number
    return known


def changed(before: FloatArray, after: FloatArray) -> BoolArray:
    """Which pixels changed by more than noise.

    Examples
    --------
    >>> before, after = np.zeros((9, 9, 1)), np.zeros((9, 9, 1))
    >>> after[2:5, 2:5] = 1
    >>> bool(changed(before, after)[3, 3]), bool(changed(before, after)[8, 8])
    (True, False)
    """
    blurred = ndimage.gaussian_filter(after - before, (BLUR, BLUR, 0))
    distance = np.sqrt((blurred**2).sum(axis=-1))
    return np.asarray(distance > max(CHANGED * float(np.median(distance)), SMALLEST_CHANGE))
