"""The program run in this process, and a table of three clear classes to run it on."""

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from graphwell.cli.app import app


def run(*arguments, **options):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], **options)


def classify(*arguments):
    return run("classify", *arguments, "--jobs", 1)


def table_of_blobs(path, unknown="", n=40, seed=0):
    """Three classes in the plane, four labels each, a text column and the truth."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(["ant", "bee", "cat"], n)
    points = rng.normal(size=(3 * n, 2)) + 6 * np.array([[0, 0], [1, 0], [0, 1]])[np.repeat(np.arange(3), n)]
    given = np.arange(3 * n) % n < 4
    frame = pd.DataFrame({
        "name": [f"row {i}" for i in range(3 * n)],
        "x": points[:, 0].round(4),
        "y": points[:, 1].round(4),
        "label": np.where(given, truth, unknown),
        "truth": truth,
    })  # fmt: skip
    frame.to_csv(path, index=False)
    return frame


@pytest.fixture
def blobs(tmp_path):
    table_of_blobs(tmp_path / "in.csv")
    return tmp_path
