"""What the colour of a pixel says about its class, wherever it lies.

Marks speak for their surroundings through the graph. Their colours speak for the whole picture: each class
has a mixture of Gaussians, and a pixel has the likelihood of its colour under each. Colours are a weak
witness: pixels side by side repeat each other, and among many classes some wrong one always looks likely.
So the logarithms count with a weight that falls with the number of classes, and are blurred.
"""

from typing import Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.backends.pixels import PixelEngine
from graphwell.segmentation.features import PictureFeatures
from graphwell.segmentation.mixtures import fit_mixture
from graphwell.segmentation.seeds import Seeds

WEIGHT = 0.3
"""Of a log-likelihood with two classes; it falls with the logarithm of their number."""
BLUR = 2.0
MOST_AGAINST = 40.0
"""A colour unlike all marks of a class speaks no louder against it than this."""
LEAST_SPREAD = 0.04
"""Least standard deviation of a Gaussian, as a share of the contrast."""
LEAST_SCORE = 1e-3
"""What a class is granted that the graph gives no score."""


class ColorEvidence:
    """Class colour models on one copy of a picture.

    Parameters
    ----------
    values : array of shape (*shape, n_channels)
    features : PictureFeatures
        Of the picture; its noise and contrast say how narrow a Gaussian may be.
    noise_left : float
        Share of the noise that is left in `values`.
    engine : PixelEngine
    """

    def __init__(
        self, values: FloatArray, features: PictureFeatures, noise_left: float, engine: PixelEngine
    ) -> None:
        self.shape, self.engine = values.shape[:-1], engine
        planes = engine.xp.ascontiguousarray(np.moveaxis(values, -1, 0))
        self.planes = planes.reshape(values.shape[-1], -1)
        self.spread = float(np.hypot(LEAST_SPREAD * features.contrast, noise_left * features.noise)) or 1.0
        self._fitted: dict[int, tuple[bytes, FloatArray]] = {}

    def logs(self, seeds: Seeds, classes: IntArray) -> FloatArray:
        """Log-likelihoods of shape (n_classes, *shape), blurred, less the largest.

        Parameters
        ----------
        seeds : Seeds
            Of this copy.
        classes : array of shape (n_classes,)
            What the user calls them, by which they are known again in the next call.
        """
        found = self.engine.xp.empty((len(classes), self.planes.shape[1]), dtype=np.float32)
        for number, name in enumerate(classes):
            found[number] = self._log_likelihoods(int(name), seeds.places[seeds.codes == number])
        found -= found.max(axis=0)
        np.maximum(found, -MOST_AGAINST, out=found)
        planes = found.reshape(-1, *self.shape)
        for plane in planes:
            plane[...] = self.engine.ndimage.gaussian_filter(plane, BLUR, mode="nearest")
        return planes

    def _log_likelihoods(self, name: int, places: IntArray) -> Any:
        """Of one class; from the call before where its marks are the same."""
        key = places.tobytes()
        before = self._fitted.get(name)
        if before is not None and before[0] == key:
            return before[1]
        if len(places) == 0:
            return -MOST_AGAINST
        rows = self.engine.to_host(self.planes[:, self.engine.asarray(places)].T)
        mixture = fit_mixture(rows, self.spread)
        logs = self.engine.log_likelihoods(self.planes, mixture.logs, mixture.means, mixture.roots)
        self._fitted[name] = key, logs
        return logs


def posterior(scores: FloatArray, logs: FloatArray) -> FloatArray:
    """Scores of the graph and evidence of the colours together, adding up to 1 over the first axis.

    Examples
    --------
    >>> posterior(np.array([[0.5], [0.5]]), np.array([[0.0], [-2.0]])).round(3).ravel()
    array([0.646, 0.354])
    """
    weight = WEIGHT / np.log2(max(2, len(scores)))
    found = np.log(np.maximum(scores, 0) + LEAST_SCORE) + (weight * logs).astype(scores.dtype)
    found -= found.max(axis=0)
    np.exp(found, out=found)
    found /= found.sum(axis=0)
    return found
