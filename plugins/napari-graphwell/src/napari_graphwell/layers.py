"""What layers of napari hold, as graphwell takes it."""

from typing import Any

import numpy as np

import graphwell as gw

UNKNOWN = 0
"""In a labels layer."""


def check_axes(image: Any) -> None:
    """Refuse an image that is neither a picture nor a volume."""
    axes = image.data.ndim - image.rgb
    if axes not in (2, 3):
        raise ValueError(
            f"The layer {image.name!r} has {axes} axes; choose a picture or a volume of one moment."
        )


def segmenter_of(image: Any) -> gw.Segmenter:
    """Make an image layer ready to be segmented; the scale of its axes is their spacing."""
    check_axes(image)
    values = np.asarray(image.data)
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        values = np.ma.masked_invalid(values)
    axes = values.ndim - image.rgb
    spacing = [abs(float(side)) for side in image.scale[-axes:]]
    return gw.Segmenter(
        values, channel_axis=-1 if image.rgb else None, spacing=None if len(set(spacing)) == 1 else spacing
    )


def seeds_of(marks: Any, shape: tuple[int, ...]) -> Any:
    """Marks of a labels layer: its numbers are the classes, -1 where it holds 0."""
    painted = np.asarray(marks.data).astype(np.int64)
    if painted.shape != tuple(shape):
        raise ValueError(
            f"The layer {marks.name!r} has the shape {painted.shape}, but the image {tuple(shape)}; "
            "add a new labels layer while the image is chosen."
        )
    return np.where(painted == UNKNOWN, -1, painted)


def labels_of(found: gw.Segmentation) -> Any:
    """Classes as a labels layer holds them: 0 where no mark reaches."""
    return np.where(found.labels < 0, UNKNOWN, found.labels)


def frames_of(found: gw.Segmentation, seeds: Any) -> list[Any]:
    """Corners of the squares of a picture where further marks would help most."""
    frames = []
    for square in found.mark_next(seeds):
        half = square.side / 2
        top, left = square.row - half, square.column - half
        bottom, right = square.row + half, square.column + half
        frames.append(np.array([[top, left], [top, right], [bottom, right], [bottom, left]]))
    return frames
