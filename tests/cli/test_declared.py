"""What the source says there is must be what the registries hold."""

import pytest

from graphwell.cli._declared import declared, refuse_unknown
from graphwell.cli._help import CHOICES
from graphwell.errors import OptionError


@pytest.mark.parametrize("field", ["method", "start", "strategy"])
def test_names_are_those_of_the_registry(field):
    assert sorted(declared(field)) == sorted(CHOICES[field]())
    assert declared(field)[0] == next(iter(CHOICES[field]()))  # the usual one
    for name in (None, *declared(field)):
        refuse_unknown(field, name)
    with pytest.raises(OptionError, match=f"{field} must be one of "):
        refuse_unknown(field, "magic")


def test_without_a_source_the_registry_decides(monkeypatch, tmp_path):
    monkeypatch.setattr("graphwell.cli._declared.HOMES", {"start": str(tmp_path)})
    assert declared("start") == ()
    assert refuse_unknown("start", "anywhere") is None
