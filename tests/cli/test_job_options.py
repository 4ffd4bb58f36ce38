"""Flags become the options of jobs, all of them."""

import inspect
from dataclasses import fields
from pathlib import Path

import pytest

from graphwell.cli import classify, compare, label, segment, suggest
from graphwell.cli._job_options import FIELDS, OF_THE_FACE, job_options
from graphwell.jobs.labelling import LabelOptions
from graphwell.jobs.options import ClassifyOptions, CompareOptions
from graphwell.jobs.segment_options import SegmentOptions
from graphwell.jobs.suggest import SuggestOptions

COMMANDS = {
    classify.classify: (ClassifyOptions, ()),
    compare.compare: (CompareOptions, ()),
    segment.segment: (SegmentOptions, ()),
    suggest.suggest: (SuggestOptions, ("answers",)),
    label.label: (LabelOptions, label.OF_THE_SERVER),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_flag_has_a_field_and_the_same_default(command):
    kind, others = COMMANDS[command]
    defaults = {field.name: field.default for field in fields(kind)}
    for name, parameter in inspect.signature(command).parameters.items():
        if name in (*OF_THE_FACE, *others):
            continue
        field = FIELDS.get(name, name)
        assert field in defaults, name
        if parameter.default not in (parameter.empty, None):
            assert parameter.default == defaults[field], name


def test_a_flag_without_a_field_is_a_mistake_that_shows():
    with pytest.raises(TypeError, match="speed"):
        job_options(ClassifyOptions, {"table": Path("a.csv"), "speed": 9})


def test_lists_and_what_was_read():
    flags = {"table": Path("a.csv"), "id_": "name", "features": None, "drop": None, "unknown": None, "pca": 3}
    made = job_options(ClassifyOptions, flags | {"class_prior": "a=1"}, class_prior={"a": 1.0})
    assert (made.row_id, made.features, made.drop, made.unknown, made.pca) == ("name", None, (), (), 3)
    assert made.class_prior == {"a": 1.0}
