"""Lists of column names."""

from graphwell.cli._names import column_names


def test_names_may_hold_commas_and_blanks():
    assert column_names('a, b c ,"d, e"') == ("a", "b c", "d, e")
    assert column_names("") == ()
    assert column_names(None) is None
