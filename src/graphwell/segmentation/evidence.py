"""What the colour of a pixel says about its class, wherever it lies.

Marks speak for their surroundings through the graph. Their colours speak for the whole picture: each class
has a mixture of Gaussians, and a pixel has the likelihood of its colour under each. Colours are a weak
witness: pixels side by side repeat each other, and among many classes some wrong one always looks likely.
So the logarithms count with a weight that falls with the number of classes, and are blurred.
"""

from typing import Any

import numpy as np
from scipy import ndimage

from graphwell._types import FloatArray, IntArray
from graphwell.backends.pixels import PixelEngine
from graphwell.segmentation.features import PictureFeatures
from graphwell.segmentation.grid import window_around
from graphwell.segmentation.mixtures import fit_mixture
from graphwell.segmentation.seeds import Seeds

WEIGHT = 0.3
"""Of a log-likelihood with two classes; it falls with the logarithm of their number."""
BLUR, REACH = 2.0, 8
"""Standard deviation of the blur in pixels, and how far it reaches: four of them."""
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
    pieces : array of shape `shape`, optional
        Of the host: number of the piece of each point, -1 where it is masked. Colours speak in the piece that
        they were marked in, and nowhere else.
    """

    def __init__(
        self,
        values: FloatArray,
        features: PictureFeatures,
        noise_left: float,
        engine: PixelEngine,
        pieces: IntArray | None = None,
    ) -> None:
        self.shape, self.engine, self._pieces = values.shape[:-1], engine, pieces
        planes = engine.xp.ascontiguousarray(np.moveaxis(values, -1, 0))
        self.planes = planes.reshape(values.shape[-1], -1)
        self.spread = float(np.hypot(LEAST_SPREAD * features.contrast, noise_left * features.noise)) or 1.0
        self._fitted: dict[tuple[int, int], tuple[bytes, FloatArray]] = {}
        self._blurs: dict[int, tuple[FloatArray, FloatArray]] = {}

    def logs(self, seeds: Seeds, classes: IntArray) -> FloatArray:
        """Log-likelihoods of shape (n_classes, *shape), blurred, less the largest.

        Parameters
        ----------
        seeds : Seeds
            Of this copy.
        classes : array of shape (n_classes,)
            What the user calls them, by which they are known again in the next call.
        """
        if self._pieces is None:
            return self._blurred(self._less_largest(self._found(seeds, classes, 0, self.planes)), classes)
        found = self.engine.xp.zeros((len(classes), *self.shape), dtype=np.float32)
        homes = self._pieces.ravel()[seeds.places]
        for piece in np.unique(homes[homes >= 0]).tolist():
            here = self._pieces == piece
            (window,) = ndimage.find_objects(here.astype(np.int8))
            inside = self.engine.asarray(here[window])
            members = self.engine.asarray(np.flatnonzero(here))
            planes = self.engine.xp.ascontiguousarray(self.planes[:, members])
            part = self._less_largest(self._found(seeds.some(homes == piece), classes, piece, planes))
            found[(..., *window)] += self._blurred_inside(part, inside)
        return found

    def _found(self, seeds: Seeds, classes: IntArray, piece: int, planes: FloatArray) -> FloatArray:
        """Log-likelihoods of some points, of shape (n_classes, n), from the seeds of a piece."""
        found = self.engine.xp.empty((len(classes), planes.shape[1]), dtype=np.float32)
        for number, name in enumerate(classes):
            places = seeds.places[seeds.codes == number]
            found[number] = self._log_likelihoods((int(name), piece), places, planes)
        return found

    def _log_likelihoods(self, key: tuple[int, int], places: IntArray, planes: FloatArray) -> Any:
        """Of one class in one piece; from the call before where its marks are the same."""
        marks = places.tobytes()
        before = self._fitted.get(key)
        if before is not None and before[0] == marks:
            return before[1]
        if len(places) == 0:
            return -np.inf
        rows = self.engine.to_host(self.planes[:, self.engine.asarray(places)].T)
        mixture = fit_mixture(rows, self.spread)
        logs = self.engine.log_likelihoods(planes, mixture.logs, mixture.means, mixture.roots)
        self._fitted[key] = marks, logs
        return logs

    def _less_largest(self, found: FloatArray) -> FloatArray:
        found -= found.max(axis=0)
        return np.maximum(found, -MOST_AGAINST, out=found)

    def _blurred(self, found: FloatArray, classes: IntArray) -> FloatArray:
        """Blur the plane of each class, where it differs from that of the call before."""
        planes, before, self._blurs = found.reshape(-1, *self.shape), self._blurs, {}
        blurred = self.engine.xp.empty_like(planes)
        for name, plane, out in zip(classes.tolist(), planes, blurred, strict=True):
            self._blurs[name] = plane, out
            if name not in before:
                out[...] = self._blur(plane)
                continue
            old, out[...] = before[name]
            changed = plane != old
            near, around = (window_around(changed, self.engine, reach) for reach in (REACH, 2 * REACH))
            within = tuple(
                slice(inner.start - outer.start, inner.stop - outer.start)
                for inner, outer in zip(near, around, strict=True)
            )
            out[near] = self._blur(plane[around])[within]
        return blurred

    def _blur(self, plane: FloatArray) -> FloatArray:
        return self.engine.ndimage.gaussian_filter(plane, BLUR, mode="nearest")

    def _blurred_inside(self, found: FloatArray, inside: Any) -> FloatArray:
        """Blur values of the points inside as if there were no others; 0 outside."""
        blur, xp = self.engine.ndimage.gaussian_filter, self.engine.xp
        weight = np.where(inside, blur(inside.astype(np.float32), BLUR, mode="constant"), 1)
        out = xp.zeros((len(found), *inside.shape), dtype=np.float32)
        for plane, values in zip(out, found, strict=True):
            plane[inside] = values
            plane[...] = np.where(inside, blur(plane, BLUR, mode="constant") / weight, 0)
        return out


def posterior(scores: FloatArray, logs: FloatArray) -> FloatArray:
    """Scores of the graph and evidence of the colours together, adding up to 1 over the first axis.

    Examples
    --------
    >>> posterior(np.array([[0.5], [0.5]]), np.array([[0.0], [-2.0]])).round(3).ravel()
    array([0.646, 0.354])
    """
    weight = scores.dtype.type(WEIGHT / np.log2(max(2, len(scores))))
    found = np.maximum(scores, 0)
    found += scores.dtype.type(LEAST_SCORE)
    np.log(found, out=found)
    found += weight * logs
    found -= found.max(axis=0)
    np.exp(found, out=found)
    found /= found.sum(axis=0)
    return found
