"""The examples at the end of each help."""

import shlex

import pytest
import typer

from graphwell.cli._examples import EXAMPLES
from graphwell.cli.app import app


def commands(group=None):
    """Every command that can be run, by name."""
    for name, found in (group or typer.main.get_command(app)).commands.items():
        if hasattr(found, "commands"):
            yield from commands(found)
        else:
            yield name, found


COMMANDS = dict(commands())


def test_every_command_has_examples():
    assert set(EXAMPLES) == set(COMMANDS)


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_can_be_parsed(name):
    for line in EXAMPLES[name]:
        program, *arguments = shlex.split(line)
        assert program == "graphwell"
        given = arguments[arguments.index(name) + 1 :]
        assert COMMANDS[name].make_context(name, given).params
