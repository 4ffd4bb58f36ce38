"""The data of the paper's experiments, and small examples to try the program on."""

from graphwell.datasets.fetched import fetch, load_mnist
from graphwell.datasets.made import (
    digits_table,
    make_grey_image,
    make_three_moons,
    make_two_moons,
    sample_labels,
)

__all__ = [
    "digits_table",
    "fetch",
    "load_mnist",
    "make_grey_image",
    "make_three_moons",
    "make_two_moons",
    "sample_labels",
]
