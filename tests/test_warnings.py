"""Warnings name the line of the user."""

import os

import pytest

import graphwell as gw
from graphwell._warnings import PACKAGE, warn_user


def test_a_warning_names_the_first_line_outside_of_graphwell():
    with pytest.warns(gw.UnreachableWarning, match="some rows") as caught:
        warn_user("some rows", gw.UnreachableWarning)
    assert [warning.filename for warning in caught] == [__file__]


def test_a_neighbour_with_a_similar_name_is_outside():
    # A package beside graphwell whose path begins like its own is a user's.
    file = f"{PACKAGE.rstrip(os.sep)}_extra/module.py"
    code = compile("warn('hello')", file, "exec")
    with pytest.warns(UserWarning, match="hello") as caught:
        exec(code, {"warn": warn_user})
    assert [warning.filename for warning in caught] == [file]


def test_it_is_a_kind_of_user_warning():
    assert issubclass(gw.UnreachableWarning, UserWarning)
