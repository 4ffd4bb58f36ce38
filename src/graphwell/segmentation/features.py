"""What pixels are compared by: channels, patches, and how much of them is noise."""

from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import scipy.ndimage

from graphwell._types import BoolArray, FloatArray
from graphwell.backends.pixels import PixelEngine
from graphwell.backends.registry import find_pixels
from graphwell.errors import OptionError
from graphwell.segmentation.colors import is_color, to_lab

MOST_CHANNELS = 8
"""More channels than this are replaced by their leading principal components."""
PCA_SAMPLE = 100_000
SECOND_DIFFERENCES = np.array([1, -2, 1]) / np.sqrt(6.0)
LARGEST_MEASURED, BLOCK_ROWS = 1_000_000, 32
"""Pixels that noise and contrast are measured on; of more, blocks of so many rows."""
MEDIAN_TO_DEVIATION = 1.4826


@dataclass(frozen=True)
class PictureFeatures:
    """A picture or volume as vectors, with their spread and their noise.

    Attributes
    ----------
    values : array of shape (*shape, n_channels)
    noise, contrast : float
        Length of the vector of standard deviations: of the noise, and of the whole picture.
    spacing : tuple of float
        Distance between points along each axis, in units of the smallest.
    masked : array of shape `shape`, optional
        True where there is no point.
    """

    values: FloatArray
    noise: float
    contrast: float
    spacing: tuple[float, ...]
    masked: BoolArray | None = None

    @property
    def noisiness(self) -> float:
        """Noise as a share of the contrast."""
        return self.noise / self.contrast if self.contrast > 0 else 0.0


def picture_features(
    image: Any,
    patch: int = 1,
    *,
    spacing: tuple[float, ...] | None = None,
    masked: BoolArray | None = None,
    engine: PixelEngine | None = None,
) -> PictureFeatures:
    """Turn a picture into features.

    Parameters
    ----------
    image : array of shape (height, width[, depth], channels) or (height, width)
        Integers are divided by the largest value of their type.
    patch : int
        Side of the square around a pixel that it is compared by, odd; 1 compares pixels themselves.
    spacing, masked : optional
        As in `PictureFeatures`.
    engine : PixelEngine, optional
        Where the features shall lie; on the host by default.

    Examples
    --------
    >>> picture_features(np.eye(3)).values.shape
    (3, 3, 1)
    """
    engine = engine or find_pixels()
    values = read_picture(image, engine)
    if isinstance(patch, bool) or not isinstance(patch, int | np.integer) or patch < 1 or patch % 2 == 0:
        raise OptionError("patch", "{field} must be an odd positive number of pixels, got {!r}.", patch)
    measured = None
    if is_color(values):  # compared in a space where distances are those that the eye sees
        measured = features_of(values, spacing, masked, engine)
        values = to_lab(values, engine.xp)
    if patch > 1:
        values = _patches(_leading(values, engine), int(patch))
    found = features_of(_leading(values, engine), spacing, masked, engine)
    if measured is None:
        return found
    # A camera's noise is even, that of L*a*b* is not: calm colours would hide what others have.
    return replace(found, noise=measured.noisiness * found.contrast)


def features_of(
    values: FloatArray,
    spacing: tuple[float, ...] | None = None,
    masked: BoolArray | None = None,
    engine: PixelEngine | None = None,
) -> PictureFeatures:
    """Measure noise and contrast of values of shape (*shape, n_channels), where they are not masked."""
    engine = engine or find_pixels()
    n_points = values[..., 0].size
    some = _sample(values, n_points)
    hidden = None if masked is None else engine.asarray(_sample(masked, n_points))
    noise = np.array([_noise(some[..., c], hidden, engine) for c in range(values.shape[-1])])
    seen = some.reshape(-1, values.shape[-1]) if hidden is None or hidden.all() else some[~hidden]
    contrast = float(np.sqrt(seen.var(axis=0, dtype=np.float64).sum()))
    spacing = (1.0,) * (values.ndim - 1) if spacing is None else spacing
    return PictureFeatures(values, float(np.sqrt((noise**2).sum())), contrast, spacing, masked)


def read_picture(image: Any, engine: PixelEngine | None = None) -> FloatArray:
    """Check a picture or volume and return it as numbers, channels along the last axis.

    Examples
    --------
    >>> read_picture(np.array([[0, 255]], dtype=np.uint8)).ravel()
    array([0., 1.], dtype=float32)
    """
    image = np.asarray(image)
    if image.dtype == object or not (
        np.issubdtype(image.dtype, np.number) or np.issubdtype(image.dtype, np.bool_)
    ):
        raise ValueError(f"image must hold numbers, got an array of {image.dtype}.")
    if np.iscomplexobj(image):
        raise ValueError("image must hold real numbers; give absolute value and phase as two channels.")
    if image.ndim not in (2, 3, 4) or image.size == 0:
        raise ValueError(f"image must have the shape (height, width[, channels]), got {image.shape}.")
    image = image[..., None] if image.ndim == 2 else image
    if image[..., 0].size < 2:
        raise ValueError("image has a single pixel; there is nothing to segment.")
    kind, values = image.dtype, (engine or find_pixels()).asarray(image)
    if np.issubdtype(kind, np.integer):
        return _shared_out(values.astype(np.float32), float(np.iinfo(kind).max))
    if not np.isfinite(values).all():
        raise ValueError("image holds NaN or infinite values; replace them first.")
    return _shared_out(values, max(1.0, float(np.abs(values).max())))


def _shared_out(values: Any, largest: float) -> FloatArray:
    """Values as parts of the largest."""
    return (values / values.dtype.type(largest) if largest > 1 else values).astype(np.float32)


def smoothed(
    values: FloatArray,
    width: float,
    spacing: tuple[float, ...],
    ndimage: Any = scipy.ndimage,
) -> FloatArray:
    """Blur by a Gaussian of this width in units of the spacing; 0 leaves the picture alone."""
    if width == 0:
        return values
    widths = (*(width / apart for apart in spacing), 0.0)
    return ndimage.gaussian_filter(values, widths, mode="nearest")


def halved(values: FloatArray) -> FloatArray:
    """Means of the squares of two by two pixels, or cubes; an odd last row or column is doubled.

    Examples
    --------
    >>> halved(np.arange(6.0).reshape(2, 3, 1)).ravel()
    array([2. , 3.5])
    """
    for axis in range(values.ndim - 1):
        even = values[(slice(None),) * axis + (slice(0, None, 2),)]
        odd = values[(slice(None),) * axis + (slice(1, None, 2),)]
        mean = even.copy()
        paired = mean[(slice(None),) * axis + (slice(0, odd.shape[axis]),)]
        paired += odd
        paired /= 2
        values = mean
    return values


def noise_left(width: float, halvings: int, spacing: tuple[float, ...]) -> float:
    """Share of the noise of single pixels that a blur and some halvings leave.

    Examples
    --------
    >>> noise_left(0.0, 0, (1.0, 1.0)), noise_left(0.0, 1, (1.0, 1.0))
    (1.0, 0.5)
    """
    share = 1.0
    for apart in spacing:
        line = np.zeros(65 + 16 * 2**halvings)
        line[len(line) // 2] = 1.0
        if width > 0:
            line = scipy.ndimage.gaussian_filter1d(line, width / apart)
        share *= float((np.convolve(line, np.full(2**halvings, 0.5**halvings)) ** 2).sum())
    return share**0.5


def _noise(channel: FloatArray, masked: BoolArray | None, engine: PixelEngine) -> float:
    """Standard deviation of the noise, from second differences, which see neither areas nor slopes."""
    sides = [axis for axis in range(channel.ndim) if channel.shape[axis] >= 3]
    if len(sides) < min(2, channel.ndim):
        return 0.0
    differences = channel
    for axis in sides:
        weights = engine.asarray(SECOND_DIFFERENCES)
        differences = engine.ndimage.convolve1d(differences, weights, axis, mode="nearest")
    if masked is not None:
        seen = ~engine.ndimage.maximum_filter(masked, 3)
        differences = differences[seen] if seen.any() else differences
    return MEDIAN_TO_DEVIATION * float(np.median(np.abs(differences)))


def _sample(values: Any, n_points: int) -> Any:
    """Some blocks of rows of a large picture, spread evenly over it; a small one as it is."""
    blocks = n_points // LARGEST_MEASURED + 1
    if blocks == 1 or len(values) < 2 * BLOCK_ROWS * blocks:
        return values
    n_blocks = len(values) // (BLOCK_ROWS * blocks)
    begins = np.linspace(0, len(values) - BLOCK_ROWS, n_blocks).astype(int)
    return np.concatenate([values[begin : begin + BLOCK_ROWS] for begin in begins])


def _patches(values: FloatArray, side: int) -> FloatArray:
    """Channels of all points in the square or cube around each, scaled so that distances stay comparable."""
    reach, shape = side // 2, values.shape[:-1]
    margins = ((reach, reach),) * len(shape) + ((0, 0),)
    padded = np.pad(values, margins, mode="reflect" if min(shape) > reach else "edge")
    shifts = [
        padded[tuple(slice(step, step + length) for step, length in zip(corner, shape, strict=True))]
        for corner in product(range(side), repeat=len(shape))
    ]
    return np.concatenate(shifts, axis=-1) / np.float32(side ** (len(shape) / 2))


def _leading(values: FloatArray, engine: PixelEngine) -> FloatArray:
    """The leading principal components of many channels; few channels as they are."""
    if values.shape[-1] <= MOST_CHANNELS:
        return values
    rows = values.reshape(-1, values.shape[-1])
    sample = rows[:: max(1, len(rows) // PCA_SAMPLE)].astype(np.float64)
    mean = sample.mean(axis=0)
    covariance = (sample - mean).T @ (sample - mean)
    axes = np.linalg.eigh(engine.to_host(covariance))[1][:, ::-1][:, :MOST_CHANNELS].astype(np.float32)
    return ((rows - mean.astype(np.float32)) @ engine.asarray(axes)).reshape(*values.shape[:-1], -1)
