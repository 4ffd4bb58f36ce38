"""Options are values whose fields every face knows."""

from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

import graphwell as gw
from graphwell.errors import OptionError
from graphwell.jobs.options import ClassifyOptions

TABLE = Path("t.csv")


def test_only_the_table_must_be_given_and_nothing_can_be_changed():
    options = ClassifyOptions(table=TABLE)
    assert options.method == next(iter(gw.methods()))
    with pytest.raises(FrozenInstanceError):
        options.seed = 3


def test_a_value_that_an_option_does_not_take_is_refused_at_once():
    with pytest.raises(
        OptionError, match=r"^scale must be one of auto, none, standard, robust; got 'log'\.$"
    ):
        ClassifyOptions(table=TABLE, scale="log")


def test_what_was_changed_is_known():
    options = ClassifyOptions(table=TABLE, fidelity=0.0, device="cpu")
    assert options.changed("fidelity", "device", "start") == {"fidelity": 0.0}
