"""Options that several commands have are the same in each of them."""

import pytest
from typer.testing import CliRunner

from graphwell.cli import _options
from graphwell.cli.app import app


@pytest.mark.parametrize("command", ["classify", "compare", "suggest"])
def test_every_command_on_tables_reads_them_in_the_same_way(command):
    shown = " ".join(CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "200"}).stdout.split())
    for option in (_options.Features, _options.Missing, _options.Scale, _options.Unknown, _options.Decimal):
        (declared,) = option.__metadata__
        assert declared.help in shown
