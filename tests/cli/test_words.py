"""Every option of a job has a flag with the same default."""

from dataclasses import fields
from typing import Any

import pytest
from typer.main import get_command

from graphwell.cli._words import in_flags
from graphwell.cli.app import app
from graphwell.jobs.options import ClassifyOptions
from graphwell.jobs.segment_options import SegmentOptions

COMMANDS: dict[str, Any] = vars(get_command(app))["commands"]


def flags_of(name):
    parameters = COMMANDS[name].params
    return {flag for parameter in parameters for flag in (*parameter.opts, parameter.name.upper())}


@pytest.mark.parametrize(("name", "options"), [("classify", ClassifyOptions), ("segment", SegmentOptions)])
def test_every_field_of_the_options_is_a_flag(name, options):
    assert {in_flags(field.name) for field in fields(options)} <= flags_of(name)


@pytest.mark.parametrize(("name", "options"), [("classify", ClassifyOptions), ("segment", SegmentOptions)])
def test_defaults_of_flags_are_those_of_the_options(name, options):
    flags = {flag: parameter for parameter in COMMANDS[name].params for flag in parameter.opts}
    for field in fields(options):
        parameter = flags.get(in_flags(field.name))
        if parameter is not None and not parameter.required:
            assert (parameter.default or None) == (field.default or None), field.name
