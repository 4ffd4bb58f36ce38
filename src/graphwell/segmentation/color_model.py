"""The color model: the likelihood of each class by the colour of a pixel, wherever it lies.

Seeds decide their surroundings through the graph. Their colours tell about the whole picture: each class has
a mixture of Gaussians, and a pixel has the likelihood of its colour under each. This is used twice. While
scores propagate, colours are a unary term, weighted by how well they predict held-out seeds: so regions that
nobody marked are found. And the blurred log-likelihoods count a little beside those of the scores.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import ndimage
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree
from scipy.special import logsumexp

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.cpu.pixels import Pixels
from graphwell.segmentation.features import PictureFeatures
from graphwell.segmentation.seeds import Seeds
from graphwell.segmentation.stencil import window_around

# Of a log-likelihood with two classes; it falls with the logarithm of their number.
WEIGHT = 0.3
# Standard deviation of the blur in pixels, and how far it reaches: four of them.
BLUR, REACH = 2.0, 8
# A colour unlike all marks of a class counts no more against it than this.
MOST_AGAINST = 40.0
# Least standard deviation of a Gaussian, as a share of the contrast beyond the noise.
LEAST_SPREAD = 0.1
# The score of a class that the graph gives none.
LEAST_SCORE = 1e-3
MOST_GAUSSIANS, MOST_ROWS = 5, 10_000
# Marked pixels that each channel of each Gaussian asks for.
ROWS_PER_UNKNOWN = 4
GROUPING_ROUNDS, FITTING_ROUNDS = 5, 10
# The weight of colours that predict every held-out seed. Others get less, by the chance that they predict
# so many seeds in a row; all get less by what would hardly be noticed.
MOST_WEIGHT, IN_A_ROW, UNNOTICED = 8.0, 32, 0.25
# Marked pixels whose colours are compared with each other: in all, and at least of each class.
MOST_ASKED, LEAST_OF_A_CLASS = 400, 10


class ColorModel:
    """Mixtures of Gaussians of all classes on one level of a picture.

    `noise_left` is the share of the noise that is left in `values`. Colours count in the piece between masked
    points that they were marked in, and nowhere else.
    """

    def __init__(
        self,
        values: FloatArray,
        features: PictureFeatures,
        noise_left: float,
        engine: Pixels,
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

        `classes` are what the user calls them, by which the next call knows them again.
        """
        found = self.engine.xp.zeros((len(classes), self.planes.shape[1]), dtype=np.float32)
        for piece, members, own in self._marked_pieces(seeds):
            planes = self.engine.xp.ascontiguousarray(self.planes[:, members])
            logs = self.engine.xp.empty((len(classes), planes.shape[1]), dtype=np.float32)
            for number, name in enumerate(classes):
                places = own.places[own.codes == number]
                logs[number] = self._log_likelihoods((int(name), piece), places, planes)
            logs -= logs.max(axis=0)
            found[:, members] = np.maximum(logs, -MOST_AGAINST, out=logs)
        return found.reshape(-1, *self.shape)

    def blurred(self, logs: FloatArray, seeds: Seeds, classes: IntArray) -> FloatArray:
        """The result of `logs`, blurred: single pixels are noisy."""
        if self.blur == 0:
            return logs
        if self._pieces is None:
            return self._blurred_anew(logs, classes)
        found = self.engine.xp.zeros_like(logs)
        for piece, _, _ in self._marked_pieces(seeds):
            here = self._pieces == piece
            (window,) = ndimage.find_objects(here.astype(np.int8))
            found[(..., *window)] += self._blurred_inside(
                logs[(..., *window)], self.engine.asarray(here[window])
            )
        return found

    def _marked_pieces(self, seeds: Seeds) -> Iterator[tuple[int, Any, Seeds]]:
        """Number, points and seeds of each piece that has seeds; the whole where nothing is masked."""
        if self._pieces is None:
            yield 0, slice(None), seeds
            return
        homes = self._pieces.ravel()[seeds.places]
        for piece in np.unique(homes[homes >= 0]).tolist():
            members = np.flatnonzero(self._pieces == piece)
            yield piece, self.engine.asarray(members), seeds.some(homes == piece)

    def weight(self, seeds: Seeds) -> float:
        """The color model weight: how strongly colours draw points to classes, by held-out seeds."""
        around = [self.engine.asarray(places) for places in self._around(seeds)]
        rows = np.stack([self.engine.to_host(self.planes[:, places].T) for places in around])
        return color_weight(held_out_accuracy(rows, seeds, self.spread), seeds)

    def _around(self, seeds: Seeds) -> Iterator[IntArray]:
        """Places of the seeds, then of points beside them, a standard deviation of the blur away."""
        # A point outside the picture, or of another piece, is replaced by one that is not.
        yield seeds.places
        step = round(self.blur)
        for axis, side in enumerate(self.shape) if step else ():
            for along in (seeds.coordinates[axis] - step, seeds.coordinates[axis] + step):
                moved = list(seeds.coordinates)
                moved[axis] = np.clip(along, 0, side - 1)
                places = np.ravel_multi_index(tuple(moved), self.shape)
                if self._pieces is not None:
                    pieces = self._pieces.ravel()
                    places = np.where(pieces[places] == pieces[seeds.places], places, seeds.places)
                yield places

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
    """Scores of the graph and evidence of the colours together, adding up to 1 over the first axis."""
    weight = scores.dtype.type(WEIGHT / np.log2(max(2, len(scores))))
    found = np.maximum(scores, 0)
    found += scores.dtype.type(LEAST_SCORE)
    np.log(found, out=found)
    found += weight * logs
    found -= found.max(axis=0)
    np.exp(found, out=found)
    found /= found.sum(axis=0)
    return found


@dataclass(frozen=True, eq=False)
class GaussianMixture:
    """Gaussians."""

    logs: FloatArray  # of shape (n,): logarithm of the share of each, times its height
    means: FloatArray  # of shape (n, n_channels)
    roots: FloatArray  # of shape (n, n_channels, n_channels): roots of the inverse covariances


def fit_mixture(rows: FloatArray, spread: float) -> GaussianMixture:
    """Fit a mixture by expectation maximisation; no standard deviation is below `spread`."""
    rows = rows[:: -(-len(rows) // MOST_ROWS)]
    rows = rows.astype(np.float64)
    n_gaussians = max(1, min(MOST_GAUSSIANS, len(rows) // (ROWS_PER_UNKNOWN * rows.shape[1])))
    shares = np.eye(n_gaussians)[_groups(rows, n_gaussians)]
    for _ in range(FITTING_ROUNDS):
        # The likeliest Gaussians, where each has some share of each row; those without any are left out.
        sizes = shares.sum(axis=0)
        shares, sizes = shares[:, sizes > 1e-6], sizes[sizes > 1e-6]
        means = shares.T @ rows / sizes[:, None]
        covariances = np.empty((len(sizes), rows.shape[1], rows.shape[1]))
        for covariance, mean, share, size in zip(covariances, means, shares.T, sizes, strict=True):
            away = rows - mean
            covariance[:] = (share[:, None] * away).T @ away / size
        covariances += spread**2 * np.eye(rows.shape[1])
        roots = np.linalg.inv(np.linalg.cholesky(covariances))
        heights = np.log(sizes / len(rows)) + np.log(np.einsum("gaa->ga", roots)).sum(axis=1)
        # The part of each in the density of each row.
        logs = np.empty((len(rows), len(sizes)))
        for g, (mean, root) in enumerate(zip(means, roots, strict=True)):
            along = (rows - mean) @ root.T
            logs[:, g] = heights[g] - np.einsum("na,na->n", along, along) / 2
        shares = np.exp(logs - logs.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
    return GaussianMixture(heights, means, roots)


def _groups(rows: FloatArray, n_groups: int) -> IntArray:
    """Number of the group of each row: the widest is cut in two across its longest axis, again and again."""
    # Nothing is left to chance, so that marks which differ little give groups which differ little.
    numbers = np.zeros(len(rows), dtype=np.intp)
    for new in range(1, n_groups):
        widths, axes = [], []
        for group in range(new):
            away = rows[numbers == group] - rows[numbers == group].mean(axis=0)
            squares, directions = np.linalg.eigh(away.T @ away)
            widths.append(float(squares[-1]))
            axes.append(directions[:, -1])
        widest = int(np.argmax(widths))
        members = np.flatnonzero(numbers == widest)
        along = rows[members] @ axes[widest]
        beyond = members[along > along.mean()]
        if len(beyond) in (0, len(members)):  # copies of one row, up to rounding
            break
        numbers[beyond] = new
    for _ in range(GROUPING_ROUNDS):  # of k-means
        centers = np.array([rows[numbers == g].mean(axis=0) for g in np.unique(numbers)])
        numbers = ((centers**2).sum(axis=1) - 2 * rows @ centers.T).argmin(axis=1)
    return numbers


def color_weight(accuracy: float, seeds: Seeds) -> float:
    """The color model weight, from the accuracy of colours on held-out seeds.

    The more strokes a class has, the nearer is one to any point, and the more place tells: distances between
    strokes fall with the root of their number, the cube root in volumes.
    """
    per_class = (strokes_of(seeds).max() + 1) / len(np.unique(seeds.codes))
    return float(max(0.0, MOST_WEIGHT * accuracy**IN_A_ROW - UNNOTICED) / per_class ** (1 / len(seeds.shape)))


def held_out_accuracy(around: FloatArray, seeds: Seeds, spread: float) -> float:
    """Share of the seeds that the colours of the others predict; classes count alike.

    Where colours of classes overlap, only place tells. A stroke is held out as a whole, as its pixels repeat
    each other. A single pixel tells little where there is texture, so the colours `around`, of shape
    (n_around, n, n_channels), are those of the seeds and then of points beside them.
    """
    classes = np.unique(seeds.codes)
    most = max(LEAST_OF_A_CLASS, MOST_ASKED // len(classes))
    every = [np.flatnonzero(seeds.codes == k) for k in classes]
    asked = np.concatenate([members[:: -(-len(members) // most)] for members in every])
    around, codes, parts = around[:, asked].astype(np.float64), seeds.codes[asked], parts_of(seeds)[asked]
    shown = parts[:, None] != parts
    alone = ~(shown & (codes[:, None] == codes)).any(axis=1)  # a class of a single pixel keeps it
    held_out = ~shown & ~alone[:, None]
    logs = (_kernel_log_likelihoods(rows, around[0], held_out, codes, spread) for rows in around)
    found = np.sum([posterior_times_margin(of_rows) for of_rows in logs], axis=0)
    own = np.unique(codes)[:, None] == codes
    right = found.T[own.T] > np.where(own, -np.inf, found).max(axis=0)
    return float(np.mean([right[codes == k].mean() for k in np.unique(codes)]))


def _kernel_log_likelihoods(
    rows: FloatArray, known: FloatArray, held_out: BoolArray, codes: IntArray, spread: float
) -> FloatArray:
    """Of each row under each class, of shape (n_classes, n), by those known rows that are shown to it."""
    squares = (rows**2).sum(axis=1)[:, None] + (known**2).sum(axis=1)
    nearness = np.where(held_out, -np.inf, (2 * rows @ known.T - squares) / (2 * spread**2))
    of_class = [nearness[:, codes == k] for k in np.unique(codes)]
    return np.stack([logsumexp(one, axis=1) - np.log(np.isfinite(one).sum(axis=1)) for one in of_class])


def posterior_times_margin(logs: FloatArray) -> FloatArray:
    """Posteriors of the classes, times the margin of the first over the second: 0 where two are even."""
    found = np.exp(logs - logs.max(axis=0))
    found /= found.sum(axis=0)
    first, second = found[0].copy(), np.zeros_like(found[0])
    for plane in found[1:]:
        np.maximum(second, np.minimum(first, plane), out=second)
        np.maximum(first, plane, out=first)
    found *= first - second
    return found


def parts_of(seeds: Seeds) -> IntArray:
    """Number of the part of each seed: a stroke; half of it where its class has no other."""
    parts = strokes_of(seeds)
    n_parts = int(parts.max(initial=-1)) + 1
    places = np.stack(seeds.coordinates, axis=1).astype(np.float64)
    for k in np.unique(seeds.codes):
        members = np.flatnonzero(seeds.codes == k)
        if (parts[members] == parts[members[0]]).all():
            away = places[members] - places[members].mean(axis=0)
            along = away @ np.linalg.eigh(away.T @ away)[1][:, -1]
            parts[members[along > np.median(along)]] = n_parts
            n_parts += 1
    return np.unique(parts, return_inverse=True)[1]


def strokes_of(seeds: Seeds) -> IntArray:
    """Number of the stroke of each seed: seeds of one class that touch, corners too."""
    tree, n = cKDTree(np.stack(seeds.coordinates, axis=1)), len(seeds.places)
    firsts, seconds = tree.query_pairs(1.0, p=np.inf, output_type="ndarray").T
    touch = seeds.codes[firsts] == seeds.codes[seconds]
    links = coo_array((np.ones(touch.sum()), (firsts[touch], seconds[touch])), shape=(n, n))
    return np.asarray(connected_components(links, directed=False)[1], dtype=np.intp)
