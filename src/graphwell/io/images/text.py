"""Seeds as lines `row,col,class` of text, counted from 0 at the top left."""

from pathlib import Path

import numpy as np

from graphwell._types import IntArray
from graphwell.errors import OptionError
from graphwell.io.images.arrays import LARGEST_CLASS
from graphwell.io.images.base import ImageFormat, check_not_empty

MOST_BYTES = 200_000_000


def read_classes(path: Path, shape: tuple[int, int], max_pixels: int) -> IntArray:
    r"""Read the marked pixels of a picture; all others are -1.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "seeds.txt"
    ...     _ = path.write_text("row,col,class\n0,1,7\n")
    ...     read_classes(path, (1, 3), 100)
    array([[-1,  7, -1]])
    """
    classes = np.full(shape, -1)
    for number, line in enumerate(_text(path).splitlines(), start=1):
        content = line.split("#")[0].strip()
        if not content or (number == 1 and content.replace(" ", "").lower() == "row,col,class"):
            continue
        row, column, marked = _three_integers(path, number, content)
        _check(path, number, shape, row, column, marked)
        if classes[row, column] not in (-1, marked):
            problem = (
                "{field} {}, line {}: row {}, column {} has the class {} already; "
                "leave one of the two lines out."
            )
            raise OptionError("seeds", problem, path, number, row, column, classes[row, column])
        classes[row, column] = marked
    return classes


def _text(path: Path) -> str:
    check_not_empty(path)
    if path.is_file() and path.stat().st_size > MOST_BYTES:
        problem = "{field} {} is too large for a list of pixels; save the seeds as .npy."
        raise OptionError("seeds", problem, path)
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        problem = "{field} {} is no text; its lines must be row,col,class."
        raise OptionError("seeds", problem, path) from error


def _three_integers(path: Path, number: int, content: str) -> tuple[int, int, int]:
    parts = content.replace(";", ",").replace("\t", ",").split(",")
    try:
        row, column, marked = (int(part) if len(part) < 20 else int("x") for part in parts)
    except ValueError as error:
        problem = "{field} {}, line {}: expected three integers row,col,class, got {!r}."
        raise OptionError("seeds", problem, path, number, content[:60]) from error
    return row, column, marked


def _check(path: Path, number: int, shape: tuple[int, int], row: int, column: int, marked: int) -> None:
    if not (0 <= row < shape[0] and 0 <= column < shape[1]):
        problem = (
            "{field} {}, line {}: row {}, column {} lies outside the picture of {} rows and {} columns "
            "(both count from 0)."
        )
        raise OptionError("seeds", problem, path, number, row, column, *shape)
    if not 0 <= marked <= LARGEST_CLASS:
        problem = "{field} {}, line {}: the class must be 0 or more, got {}."
        raise OptionError("seeds", problem, path, number, marked)


FORMAT = ImageFormat(name="text", suffixes=(".txt", ".csv"), read_classes=read_classes, rank=6)
