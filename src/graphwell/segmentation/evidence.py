"""What the colour of a pixel says about its class, wherever it lies.

Marks speak for their surroundings through the graph. Their colours speak for the whole picture: each class
has a mixture of Gaussians, and a pixel has the likelihood of its colour under each. It is heard twice. While
scores spread, colours draw pixels to classes, as strongly as hidden marks say that they can be trusted: so
regions that nobody marked are found. And the blurred logarithms count a little beside those of the scores.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import ndimage

from graphwell._types import FloatArray, IntArray
from graphwell.backends.pixels import PixelEngine
from graphwell.segmentation.features import PictureFeatures
from graphwell.segmentation.grid import window_around
from graphwell.segmentation.mixtures import fit_mixture
from graphwell.segmentation.seeds import Seeds
from graphwell.segmentation.trust import pull_strength, share_named

WEIGHT = 0.3
"""Of a log-likelihood with two classes; it falls with the logarithm of their number."""
BLUR, REACH = 2.0, 8
"""Standard deviation of the blur in pixels, and how far it reaches: four of them."""
MOST_AGAINST = 40.0
"""A colour unlike all marks of a class speaks no louder against it than this."""
LEAST_SPREAD = 0.1
"""Least standard deviation of a Gaussian, as a share of the contrast beyond the noise."""
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
    blur : float
        Standard deviation in pixels by which `blurred` blurs.
    """

    def __init__(
        self,
        values: FloatArray,
        features: PictureFeatures,
        noise_left: float,
        engine: PixelEngine,
        pieces: IntArray | None = None,
        blur: float = BLUR,
    ) -> None:
        self.shape, self.engine, self._pieces, self.blur = values.shape[:-1], engine, pieces, blur
        planes = engine.xp.ascontiguousarray(np.moveaxis(values, -1, 0))
        self.planes = planes.reshape(values.shape[-1], -1)
        contrast = np.sqrt(max(features.contrast**2 - features.noise**2, 0.0))
        noise = noise_left * features.noise / np.sqrt(len(planes))
        self.spread = float(np.hypot(LEAST_SPREAD * contrast, noise)) or 1.0
        self._fitted: dict[tuple[int, int], tuple[bytes, FloatArray]] = {}
        self._blurs: dict[int, tuple[FloatArray, FloatArray]] = {}

    def logs(self, seeds: Seeds, classes: IntArray) -> FloatArray:
        """Log-likelihoods of shape (n_classes, *shape), less the largest.

        Parameters
        ----------
        seeds : Seeds
            Of this copy.
        classes : array of shape (n_classes,)
            What the user calls them, by which they are known again in the next call.
        """
        if self._pieces is None:
            found = self._found(seeds, classes, 0, self.planes)
            return self._less_largest(found).reshape(-1, *self.shape)
        found = self.engine.xp.zeros((len(classes), *self.shape), dtype=np.float32)
        homes = self._pieces.ravel()[seeds.places]
        for piece in self._marked_pieces(seeds):
            members = self.engine.asarray(np.flatnonzero(self._pieces == piece))
            planes = self.engine.xp.ascontiguousarray(self.planes[:, members])
            part = self._found(seeds.some(homes == piece), classes, piece, planes)
            found.reshape(len(classes), -1)[:, members] = self._less_largest(part)
        return found

    def blurred(self, logs: FloatArray, seeds: Seeds, classes: IntArray) -> FloatArray:
        """What `logs` gave, blurred: a pixel alone says little."""
        if self.blur == 0:
            return logs
        if self._pieces is None:
            return self._blurred_anew(logs, classes)
        found = self.engine.xp.zeros_like(logs)
        for piece in self._marked_pieces(seeds):
            here = self._pieces == piece
            (window,) = ndimage.find_objects(here.astype(np.int8))
            found[(..., *window)] += self._blurred_inside(
                logs[(..., *window)], self.engine.asarray(here[window])
            )
        return found

    def _marked_pieces(self, seeds: Seeds) -> list[int]:
        assert self._pieces is not None
        homes = self._pieces.ravel()[seeds.places]
        return np.unique(homes[homes >= 0]).tolist()

    def strength(self, seeds: Seeds) -> float:
        """How strongly colours draw points to classes, as far as hidden marks trust them."""
        around = [self.engine.asarray(places) for places in self._around(seeds)]
        rows = np.stack([self.engine.to_host(self.planes[:, places].T) for places in around])
        return pull_strength(share_named(rows, seeds, self.spread), seeds)

    def _around(self, seeds: Seeds) -> Iterator[IntArray]:
        """Places of the seeds, then of points beside them, a standard deviation of the blur away.

        A point outside the picture, or of another piece, is replaced by one that is not.
        """
        yield seeds.places
        step = round(self.blur)
        for axis, side in enumerate(self.shape) if step else ():
            for along in (seeds.coordinates[axis] - step, seeds.coordinates[axis] + step):
                moved = list(seeds.coordinates)
                moved[axis] = np.clip(along, 0, side - 1)
                yield self._of_same_piece(np.ravel_multi_index(tuple(moved), self.shape), seeds.places)

    def _of_same_piece(self, places: IntArray, homes: IntArray) -> IntArray:
        """Places, with the homes where they are of another piece than these."""
        if self._pieces is None:
            return places
        pieces = self._pieces.ravel()
        return np.where(pieces[places] == pieces[homes], places, homes)

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

    def _blurred_anew(self, logs: FloatArray, classes: IntArray) -> FloatArray:
        """Blur the plane of each class, where it differs from that of the call before."""
        before, self._blurs = self._blurs, {}
        blurred = self.engine.xp.empty_like(logs)
        for name, plane, out in zip(classes.tolist(), logs, blurred, strict=True):
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
        return self.engine.ndimage.gaussian_filter(plane, self.blur, mode="nearest")

    def _blurred_inside(self, logs: FloatArray, inside: Any) -> FloatArray:
        """Blur values of the points inside as if there were no others; 0 outside."""
        blur = self.engine.ndimage.gaussian_filter
        weight = np.where(inside, blur(inside.astype(np.float32), self.blur, mode="constant"), 1)
        out = self.engine.xp.zeros_like(logs)
        for plane, values in zip(out, logs, strict=True):
            inner = np.where(inside, values, 0)
            plane[...] = np.where(inside, blur(inner, self.blur, mode="constant") / weight, 0)
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
