"""What is written of a segmented picture: labels in the colours of the seeds, overlay, uncertainty, masks."""

from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from scipy import ndimage

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.segmentation.features import read_picture

LABEL_KINDS = {".png": "PNG", ".tif": "TIFF", ".tiff": "TIFF"}
OVERLAY_KINDS = {**LABEL_KINDS, ".jpg": "JPEG", ".jpeg": "JPEG"}
BRIGHTEST_SHARE = 0.995
"""Pictures that are no 8-bit pictures are stretched so that this share of them is not cut off."""
Colors = Mapping[int, tuple[int, int, int]]


def check_kind(path: Path, option: str, kinds: Mapping[str, str], more: tuple[str, ...] = ()) -> None:
    """Refuse an output whose name has no ending that can be written.

    Examples
    --------
    >>> check_kind(Path("labels.jpg"), "--output", LABEL_KINDS, (".npy",))
    Traceback (most recent call last):
    ValueError: --output labels.jpg: the name must end in .png, .tif, .tiff, .npy.
    """
    if path.suffix.lower() not in (*kinds, *more):
        raise ValueError(f"{option} {path}: the name must end in {', '.join((*kinds, *more))}.")


def write_labels(labels: IntArray, colors: Colors, path: Path, file: IO[bytes]) -> None:
    """Write labels in the colours of their classes, transparent where there is none; .npy holds integers."""
    if path.suffix.lower() == ".npy":
        np.save(file, labels)
        return
    _save(painted(labels, colors), path, file)


def painted(labels: IntArray, colors: Colors) -> Any:
    """Labels as red, green, blue and opacity.

    Examples
    --------
    >>> painted(np.array([[5, -1]]), {5: (255, 0, 0)}).tolist()
    [[[255, 0, 0, 255], [0, 0, 0, 0]]]
    """
    classes = np.array(sorted(colors))
    table = np.array([(*colors[c], 255) for c in classes] + [(0, 0, 0, 0)], dtype=np.uint8)
    places = np.where(labels >= 0, np.searchsorted(classes, labels), len(classes))
    return table[places]


def write_overlay(image: Any, labels: IntArray, colors: Colors, path: Path, file: IO[bytes]) -> None:
    """Write the picture with the border of each region drawn in the colour of its class.

    Pixels without a class are hatched.
    """
    picture = as_shown(image)
    border = borders(labels)
    picture[border] = painted(labels, colors)[..., :3][border]
    rows, columns = np.indices(labels.shape)
    picture[(labels < 0) & ((rows + columns) % 6 < 2)] = (255, 0, 255)
    _save(picture, path, file)


def write_uncertainty(score: FloatArray, reachable: BoolArray, path: Path, file: IO[bytes]) -> None:
    """Write the uncertainty of each pixel: numbers (.npy), or 16-bit grey from black, which is certain.

    White is an uncertainty of 1/2, where two classes are even, or more: few pixels ever have more.
    """
    doubt = np.where(reachable, 1.0 - score, 1.0).astype(np.float32)
    if path.suffix.lower() == ".npy":
        np.save(file, doubt)
    else:
        _save(np.round(65535 * np.clip(2 * doubt, 0, 1)).astype(np.uint16), path, file)


def write_mask(mask: BoolArray, path: Path, file: IO[bytes]) -> None:
    """Write the pixels of one class as a picture, white on black."""
    _save(np.where(mask, 255, 0).astype(np.uint8), path, file)


def borders(labels: IntArray) -> BoolArray:
    """Pixels with a neighbour of another class beside, above or below them.

    Examples
    --------
    >>> borders(np.array([[0, 0, 0, 1]])).astype(int)
    array([[0, 0, 1, 1]])
    """
    size = [(3, 1), (1, 3)]
    return np.asarray(
        np.any([ndimage.maximum_filter(labels, s) != ndimage.minimum_filter(labels, s) for s in size], axis=0)
    )


def as_shown(image: Any) -> Any:
    """A picture of any kind as 8-bit red, green and blue; of many channels, first, middle and last."""
    values = read_picture(image)
    channels = values.shape[2]
    if channels < 3:
        values = np.repeat(values[..., :1], 3, axis=2)
    elif channels > 4:
        values = values[..., [channels - 1, channels // 2, 0]]
    values = values[..., :3]
    low, high = float(values.min()), float(np.quantile(values, BRIGHTEST_SHARE))
    if low < 0 or high < 0.25:  # dark or signed data would be invisible
        values = (values - low) / ((high - low) or 1.0)
    return np.round(255 * np.clip(values, 0, 1)).astype(np.uint8)


def _save(pixels: Any, path: Path, file: IO[bytes]) -> None:
    from PIL import Image

    Image.fromarray(pixels).save(file, format=OVERLAY_KINDS[path.suffix.lower()])
