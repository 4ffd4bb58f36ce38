"""The data of the paper's experiments, and a table to try the program on."""

from graphwell.datasets.digits import digits_table
from graphwell.datasets.fetching import fetch
from graphwell.datasets.image import make_grey_image
from graphwell.datasets.labels import sample_labels
from graphwell.datasets.mnist import load_mnist
from graphwell.datasets.moons import make_three_moons, make_two_moons

__all__ = [
    "digits_table",
    "fetch",
    "load_mnist",
    "make_grey_image",
    "make_three_moons",
    "make_two_moons",
    "sample_labels",
]
