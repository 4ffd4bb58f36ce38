"""How much blur, and which colour difference counts as one: both follow from noise and contrast.

Two things are asked of a picture. Which seed decides a region: for that, noise must be averaged away and
weights must be sharp, or few seeds leak across weak borders. And where exactly a border runs: for that, blur
must be light, and weights so mild that the descent can straighten what noise made ragged. So the start and
the descent see the picture at different scales.
"""

import math

from graphwell.segmentation.features import PictureFeatures, noise_left

NOISY = 0.1
"""Noise, as a share of the contrast, above which the start asks no single pixel."""
START_BLUR, START_COLOR = 4.0, 1.0
"""Blur in pixels per share of noise, and colour scale as a multiple of the noise that is left."""
BORDER_BLUR, BORDER_COLOR = 2.2, 2.5
LEAST_BLUR = 0.5
CLEAN_START, NOISY_START, SMALLEST_BORDER = 0.1, 0.02, 0.2
"""Smallest colour scales as shares of the contrast: a clean picture has texture, if no noise."""


def is_noisy(features: PictureFeatures) -> bool:
    """Whether single pixels say little."""
    return features.noisiness >= NOISY


def start_blur(features: PictureFeatures) -> float:
    """Width of the blur before the coarse copies of a picture are made."""
    return _as_in_a_picture(START_BLUR * features.noisiness, features) if is_noisy(features) else 0.0


def start_color_scale(features: PictureFeatures, halvings: int) -> float:
    """Colour scale of a copy that was halved so often."""
    smallest = NOISY_START if is_noisy(features) else CLEAN_START
    left = noise_left(start_blur(features), halvings, features.spacing)
    return max(START_COLOR * features.noise * left, smallest * features.contrast) or 1.0


def border_blur(features: PictureFeatures) -> float:
    """Width of the blur before the descent compares pixels."""
    if not is_noisy(features):
        return 0.0
    return max(LEAST_BLUR, _as_in_a_picture(BORDER_BLUR * features.noisiness, features))


def border_color_scale(features: PictureFeatures, blur: float, halvings: int = 0) -> float:
    """Colour scale of the descent on a copy that was blurred and halved so often."""
    left = noise_left(blur, halvings, features.spacing)
    return max(BORDER_COLOR * features.noise * left, SMALLEST_BORDER * features.contrast) or 1.0


def _as_in_a_picture(width: float, features: PictureFeatures) -> float:
    """Width of the blur that leaves as much noise as this one does in a picture: less in a volume."""
    share = 2 / len(features.spacing)
    return width**share * (2 * math.sqrt(math.pi)) ** (share - 1)
