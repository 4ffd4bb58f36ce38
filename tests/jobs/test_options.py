"""Options are values whose fields every face knows."""

from dataclasses import FrozenInstanceError
from inspect import signature
from pathlib import Path

import pytest

import graphwell as gw
from graphwell.errors import OptionError
from graphwell.jobs.options import ClassifyOptions, SegmentOptions

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


def test_the_options_of_a_segmentation_have_the_defaults_of_the_segmenter():
    options = SegmentOptions(image=Path("i.png"), seeds=Path("s.png"), output=Path("o.png"))
    for name, parameter in signature(gw.Segmenter).parameters.items():
        if name not in ("image", "channel_axis", "progress"):
            assert getattr(options, name) == parameter.default
