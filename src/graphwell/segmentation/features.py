"""Features of pixels: channels, colours as the eye sees them; their noise, and scales that follow.

Two things are asked of a picture. Which seed decides a region: for that, noise must be averaged away and
weights must be sharp, or few seeds leak across weak borders. And where exactly a border runs: for that, blur
must be light, and weights so mild that the descent can straighten what noise made ragged. So the start and
the descent see the picture at different scales.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.ndimage

from graphwell._types import BoolArray, FloatArray
from graphwell.backends.cpu.pixels import Pixels
from graphwell.backends.registry import find_pixels

# More channels than this are replaced by their leading principal components.
MOST_CHANNELS = 8
PCA_SAMPLE = 100_000
SECOND_DIFFERENCES = np.array([1, -2, 1]) / np.sqrt(6.0)
# Pixels that noise and contrast are measured on; of more, blocks of so many rows.
LARGEST_MEASURED, BLOCK_ROWS = 1_000_000, 32
MEDIAN_TO_DEVIATION = 1.4826
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
LAB_UNIT = 100.0
# A contrast that is smaller beside the largest value, or in itself, is stretched from 0 to 1.
FLAT, TINY = 1e-4, 1e-15
ROWS_AT_A_TIME = 64
# Noise, as a share of the contrast, above which the start asks no single pixel.
NOISY = 0.1
# Blur in pixels per share of noise, and colour scale as a multiple of the noise that is left.
START_BLUR, START_COLOR = 4.0, 1.0
BORDER_BLUR, BORDER_COLOR = 2.2, 2.5
LEAST_BLUR = 0.5
# Smallest colour scales as shares of the contrast: a clean picture has texture, if no noise.
CLEAN_START, NOISY_START, SMALLEST_BORDER = 0.1, 0.02, 0.2


@dataclass(frozen=True)
class PictureFeatures:
    """A picture or volume as vectors, with their spread and their noise."""

    values: FloatArray  # of shape (*shape, n_channels)
    noise: float  # length of the vector of standard deviations: of the noise, and of the whole picture
    contrast: float
    spacing: tuple[float, ...]  # distance between points along each axis, in units of the smallest
    masked: BoolArray | None = None  # of shape `shape`, optional; True where there is no point

    @property
    def noisiness(self) -> float:
        """Noise as a share of the contrast."""
        return self.noise / self.contrast if self.contrast > 0 else 0.0


def picture_features(
    image: Any,
    *,
    spacing: tuple[float, ...] | None = None,
    masked: BoolArray | None = None,
    engine: Pixels | None = None,
) -> PictureFeatures:
    """Turn a picture of shape (height, width[, depth][, channels]) into features."""
    engine = engine or find_pixels()
    values = read_picture(image, engine)
    if values.shape[-1] not in (3, 4) or float(values[..., :3].min()) < 0:  # no red, green and blue
        return features_of(_leading(values, engine), spacing, masked, engine)
    # Compared in a space where distances are those that the eye sees. A camera's noise is even, that of
    # L*a*b* is not: calm colours would hide what others have.
    measured = features_of(values, spacing, masked, engine)
    found = features_of(to_lab(values, engine.xp), spacing, masked, engine)
    return replace(found, noise=measured.noisiness * found.contrast)


def features_of(
    values: FloatArray,
    spacing: tuple[float, ...] | None = None,
    masked: BoolArray | None = None,
    engine: Pixels | None = None,
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


def read_picture(image: Any, engine: Pixels | None = None) -> FloatArray:
    """Check a picture or volume and return it as numbers, channels along the last axis."""
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
    if kind.kind in "iu" and kind.itemsize <= 2:
        return _shared_out(values.astype(np.float32), float(np.iinfo(kind).max))
    if not np.isfinite(values).all():
        raise ValueError("image holds NaN or infinite values; replace them first.")
    low, high = float(values.min()), float(values.max())
    largest = max(abs(low), abs(high))
    if 0 < high - low < max(FLAT * largest, TINY):  # single precision would lose the contrast
        return ((values.astype(np.float64) - low) / (high - low)).astype(np.float32)
    return _shared_out(values, max(1.0, largest))


def _shared_out(values: Any, largest: float) -> FloatArray:
    """Values as parts of the largest."""
    values = values.astype(np.float64) if values.dtype.kind in "biu" else values
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
    """Means of the squares of two by two pixels, or cubes; an odd last row or column is doubled."""
    for axis in range(values.ndim - 1):
        even = values[(slice(None),) * axis + (slice(0, None, 2),)]
        odd = values[(slice(None),) * axis + (slice(1, None, 2),)]
        mean = even.copy()
        paired = mean[(slice(None),) * axis + (slice(0, odd.shape[axis]),)]
        paired += odd
        paired /= 2
        values = mean
    return values


def noise_left(width: float, level: int, spacing: tuple[float, ...]) -> float:
    """Share of the noise of single pixels that a blur and some level leave."""
    share = 1.0
    for apart in spacing:
        line = np.zeros(65 + 16 * 2**level)
        line[len(line) // 2] = 1.0
        if width > 0:
            line = scipy.ndimage.gaussian_filter1d(line, width / apart)
        share *= float((np.convolve(line, np.full(2**level, 0.5**level)) ** 2).sum())
    return share**0.5


def _noise(channel: FloatArray, masked: BoolArray | None, engine: Pixels) -> float:
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


def _leading(values: FloatArray, engine: Pixels) -> FloatArray:
    """The leading principal components of many channels; few channels as they are."""
    if values.shape[-1] <= MOST_CHANNELS:
        return values
    rows = values.reshape(-1, values.shape[-1])
    sample = rows[:: max(1, len(rows) // PCA_SAMPLE)].astype(np.float64)
    mean = sample.mean(axis=0)
    covariance = (sample - mean).T @ (sample - mean)
    axes = np.linalg.eigh(engine.to_host(covariance))[1][:, ::-1][:, :MOST_CHANNELS].astype(np.float32)
    return ((rows - mean.astype(np.float32)) @ engine.asarray(axes)).reshape(*values.shape[:-1], -1)


def to_lab(values: FloatArray, xp: Any = np) -> FloatArray:
    """Red, green and blue from 0 to 1 as L*a*b* divided by 100; further channels stay.

    `xp` is the library of the values.
    """
    found = values.astype(np.float32)
    white = TO_XYZ.sum(axis=1)
    matrix = xp.asarray((TO_XYZ / white[:, None]).T.astype(np.float32))
    for begin in range(0, len(values), ROWS_AT_A_TIME):  # a large picture must not be copied five times
        rgb = found[begin : begin + ROWS_AT_A_TIME, ..., :3]
        linear = np.where(rgb > 0.04045, ((rgb + 0.055) / 1.055) ** 2.4, rgb / 12.92).astype(np.float32)
        xyz = linear @ matrix
        bent = np.where(xyz > 216 / 24389, np.cbrt(xyz), xyz * (24389 / 27 / 116) + 16 / 116)
        x, y, z = (bent[..., c] for c in range(3))
        rgb[...] = np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1) / LAB_UNIT
    return found


def is_noisy(features: PictureFeatures) -> bool:
    """Whether single pixels are too noisy to be compared."""
    return features.noisiness >= NOISY


def start_blur(features: PictureFeatures) -> float:
    """Width of the blur before the coarse levels of a picture are made."""
    return _as_in_a_picture(START_BLUR * features.noisiness, features) if is_noisy(features) else 0.0


def start_color_scale(features: PictureFeatures, level: int) -> float:
    """Colour scale of propagation on one level."""
    smallest = NOISY_START if is_noisy(features) else CLEAN_START
    left = noise_left(start_blur(features), level, features.spacing)
    return max(START_COLOR * features.noise * left, smallest * features.contrast) or 1.0


def border_blur(features: PictureFeatures) -> float:
    """Width of the blur before the descent compares pixels."""
    if not is_noisy(features):
        return 0.0
    return max(LEAST_BLUR, _as_in_a_picture(BORDER_BLUR * features.noisiness, features))


def border_color_scale(features: PictureFeatures, blur: float, level: int = 0) -> float:
    """Colour scale of the descent on one level."""
    left = noise_left(blur, level, features.spacing)
    return max(BORDER_COLOR * features.noise * left, SMALLEST_BORDER * features.contrast) or 1.0


def _as_in_a_picture(width: float, features: PictureFeatures) -> float:
    """Width of the blur that leaves as much noise as this one does in a picture: less in a volume."""
    share = 2 / len(features.spacing)
    return width**share * (2 * math.sqrt(math.pi)) ** (share - 1)
