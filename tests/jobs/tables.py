"""Tables for tests of the jobs."""

import numpy as np
import pandas as pd

CENTERS = 6 * np.array([[0, 0], [1, 0], [0, 1]])


def blobs(n=40, seed=0, unknown=""):
    """Three classes in the plane, four labels each, a text column and the truth."""
    number = np.repeat(np.arange(3), n)
    truth = np.array(["ant", "bee", "cat"])[number]
    points = (np.random.default_rng(seed).normal(size=(3 * n, 2)) + CENTERS[number]).round(4)
    given = np.where(np.arange(3 * n) % n < 4, truth, unknown)
    names = [f"row {i}" for i in range(3 * n)]
    columns = {"name": names, "x": points[:, 0], "y": points[:, 1], "label": given, "truth": truth}
    return pd.DataFrame(columns)


def write_blobs(path, **options):
    """Write the blobs as CSV and return them."""
    frame = blobs(**options)
    frame.to_csv(path, index=False)
    return frame


def messy(seed, n=300, labelled=100):
    """Three classes that overlap, told by numbers and by a colour that half of the rows have."""
    rng = np.random.default_rng(seed)
    number = rng.integers(3, size=n)
    points = rng.normal(size=(n, 4))
    points[:, 0] += 1.2 * number
    points[:, 1] -= 0.8 * (number == 1)
    colour = np.where(rng.random(n) < 0.5, np.array(["red", "blue", "green"])[number], "grey")
    truth = np.array(["ant", "bee", "cat"])[number]
    given = np.where(np.arange(n) < labelled, truth, "")
    return pd.DataFrame(points, columns=list("abcd")).assign(colour=colour, truth=truth, label=given)
