"""Names of columns in sentences."""

from graphwell.encoders.report import NAMES_SHOWN, hint, listed


def test_many_names_are_counted():
    names = [f"c{i}" for i in range(NAMES_SHOWN + 1)]
    assert listed(names[:NAMES_SHOWN]) == ", ".join(names[:NAMES_SHOWN])
    assert listed(names).endswith("c7 and 1 more")


def test_a_name_that_is_close_is_suggested_and_others_are_listed():
    assert hint("weigth", iter(["weight", "height"])) == "did you mean 'weight'?"
    assert hint("pet", ["weight", "size"]) == "its columns are weight, size."
