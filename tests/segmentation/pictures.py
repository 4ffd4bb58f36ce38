"""Pictures and seeds for tests; those that are hard on an engine with seeds of several calls, and options."""

import numpy as np

import graphwell as gw

ONE = {"n_jobs": 1}  # small pictures gain nothing from threads


def grey(noise=0.0, side=96):
    return gw.datasets.make_grey_image(side, side + 3, noise=noise, random_state=7)


def some(truth, per_class, seed=7):
    return gw.datasets.sample_labels(truth.ravel(), per_class, seed).reshape(truth.shape)


def balls(shape, spacing=(1, 1, 1), noise=0.1):
    """A volume with a dark and a bright ball in it."""
    places = np.moveaxis(np.indices(shape), 0, -1) * spacing
    size = np.multiply(shape, spacing)
    truth = np.zeros(shape, dtype=int)
    for number, (centre, radius) in enumerate(((0.3, 0.2), (0.68, 0.25)), start=1):
        truth[((places - centre * size) ** 2).sum(axis=-1) < (radius * size.min()) ** 2] = number
    values = np.array([0.5, 0.2, 0.8])[truth]
    return values + noise * np.random.default_rng(0).standard_normal(shape), truth


def strokes_then_a_new_class():
    image, truth = grey(noise=0.05)
    seeds = some(truth, 20)
    return image, [np.where(seeds == 4, -1, seeds), seeds, some(truth, 30, 8)], {}


def noisy():
    image, truth = grey(noise=0.2, side=130)
    return image, [some(truth, 20), some(truth, 25)], {}


def colored():
    rng = np.random.default_rng(0)
    truth = np.add.outer(np.arange(150), np.arange(170)) // 60
    image = np.clip(rng.random((6, 3))[truth] + 0.1 * rng.standard_normal((150, 170, 3)), 0, 1)
    return np.round(255 * image).astype(np.uint8), [some(truth, 12), some(truth, 15)], {"radius": 2.0}


def many_channels_in_large_numbers():
    image, truth = grey(side=40)
    cube = image[..., None] * np.arange(1, 13) * 100 + np.random.default_rng(0).random((*image.shape, 12))
    return cube.astype(">f8"), [some(truth, 15)], {}


def masked():
    image, truth = grey(noise=0.1)
    hidden = np.zeros(truth.shape, dtype=bool)
    hidden[40:44], hidden[60:80, 10:30] = True, True
    return np.ma.masked_where(hidden, image), [some(truth, 15), some(truth, 18)], {}


def volume():
    image, truth = balls((26, 30, 20), (1, 1, 2))
    return image, [some(truth, 10), some(truth, 12)], {"channel_axis": None, "spacing": (1, 1, 2)}


def one_colour():
    seeds = np.full((20, 30), -1)
    seeds[:, 0], seeds[:, -1] = 0, 1
    return np.full((20, 30), 0.3), [seeds], {}


def one_row():
    seeds = np.full((1, 50), -1)
    seeds[0, 0], seeds[0, -1] = 3, 5
    return np.random.default_rng(0).random((1, 50)), [seeds], {}


def two_pixels():
    return np.array([[False, True]]), [np.array([[1, 0]])], {}


def cut_off():
    image = np.zeros((64, 60))
    image[:, 40:], image[10:12, 10:12] = 1.0, 1.0
    seeds = np.full(image.shape, -1)
    seeds[5, 5], seeds[50, 20] = 0, 1
    return image, [seeds], {"radius": 1.0}


def many_classes():
    rng = np.random.default_rng(1)
    seeds = np.full((60, 60), -1)
    seeds.flat[rng.choice(3600, 120, replace=False)] = np.arange(120) // 2
    return rng.random((60, 60, 3)), [seeds], {"smoothing": 1.5, "color_scale": 0.4}


PICTURES = {
    made.__name__: made
    for made in (
        strokes_then_a_new_class, noisy, colored, many_channels_in_large_numbers, masked, volume,
        one_colour, one_row, two_pixels, cut_off, many_classes,
    )
}  # fmt: skip
