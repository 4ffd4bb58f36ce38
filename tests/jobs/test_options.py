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


def test_roles_and_preprocessing_are_parts_of_the_options():
    options = ClassifyOptions(table=TABLE, label="y", drop=("a",), truth="t", pca=3, missing="mean")
    assert (options.roles.label, options.roles.drop, options.roles.truth) == ("y", ("a",), "t")
    assert (options.preprocessing.pca, options.preprocessing.missing) == (3, "mean")
    with pytest.raises(
        OptionError, match=r"^scale must be one of auto, none, standard, robust; got 'log'\.$"
    ):
        _ = ClassifyOptions(table=TABLE, scale="log").preprocessing


def test_what_was_changed_is_known():
    options = ClassifyOptions(table=TABLE, fidelity=0.0, device="cpu")
    assert options.changed("fidelity", "device", "start") == {"fidelity": 0.0}
