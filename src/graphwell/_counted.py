"""Numbers of things in words."""


def counted(count: int, one: str, many: str = "") -> str:
    """A number and its noun, which has an s where there are several, unless `many` says otherwise.

    Examples
    --------
    >>> counted(1, "row"), counted(2000, "row"), counted(0, "class", "classes")
    ('1 row', '2,000 rows', '0 classes')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"
