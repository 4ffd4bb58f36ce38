"""Column names as a user lists them."""

import csv


def column_names(text: str | None) -> tuple[str, ...] | None:
    """Split a list of names; a name with a comma in it goes into double quotes.

    Examples
    --------
    >>> column_names('a, "b,c"')
    ('a', 'b,c')
    >>> column_names(None) is None
    True
    """
    if text is None:
        return None
    return tuple(name.strip() for name in next(csv.reader([text], skipinitialspace=True), []))
