"""The program run in this process, and a table of three clear classes to run it on."""

import pytest
from typer.testing import CliRunner

from graphwell.cli.app import app
from tests.jobs.tables import write_blobs


def run(*arguments, **options):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], **options)


def classify(*arguments):
    return run("classify", *arguments, "--jobs", 1)


@pytest.fixture
def blobs(tmp_path):
    write_blobs(tmp_path / "in.csv")
    return tmp_path
