"""What a file that reads the drawings of one program declares, and what it draws on."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from graphwell.io.images.raster import Raster


@dataclass(eq=False)
class Drawing:
    """Marked pixels, with the names of their classes.

    Attributes
    ----------
    raster : Raster
    picture : str, optional
        Name of the file of the picture: a drawing may hold the shapes of several.
    names : list of str
        Of the classes, in the order in which they came up.
    colors : dict
        Red, green and blue of those classes that came with a colour.
    """

    raster: Raster
    picture: str | None = None
    names: list[str] = field(default_factory=list)
    colors: dict[int, tuple[int, int, int]] = field(default_factory=dict)

    def number_of(self, name: Any, color: str | None = None) -> int:
        """Return the number of a class, a new one for a new name.

        Examples
        --------
        >>> drawing = Drawing(Raster((1, 1)))
        >>> drawing.number_of("cat"), drawing.number_of("dog", "#00ff00"), drawing.number_of("cat")
        (0, 1, 0)
        >>> drawing.colors
        {1: (0, 255, 0)}
        """
        name = str(name)
        if name not in self.names:
            self.names.append(name)
        number = self.names.index(name)
        if color is not None:
            self.colors[number] = color_of(color)
        return number

    def check_size(self, width: Any, height: Any) -> None:
        """Refuse a drawing that was made on a picture of another size."""
        rows, columns = self.raster.classes.shape
        if (width, height) != (columns, rows):
            drawn_on = f"a picture of {width} x {height}"
            raise ValueError(f"it was drawn on {drawn_on}, but the image has {columns} x {rows}")


@dataclass(frozen=True)
class Dialect:
    """The drawings of one program.

    Attributes
    ----------
    name : str
        As a sentence names it.
    recognises : callable
        Takes what the JSON file holds; says whether this program wrote it.
    draw : callable
        Takes that and a `Drawing` to draw on. Any error it raises means that the file is garbled.
    """

    name: str
    recognises: Callable[[Any], bool]
    draw: Callable[[Any, Drawing], None]


def color_of(text: str) -> tuple[int, int, int]:
    """Red, green and blue of a colour like #ff7f0e.

    Examples
    --------
    >>> color_of("#ff7f0e"), color_of("#fff")
    ((255, 127, 14), (255, 255, 255))
    """
    digits = text.removeprefix("#")
    digits = "".join(2 * digit for digit in digits) if len(digits) == 3 else digits
    if not text.startswith("#") or len(digits) != 6:
        raise ValueError(f"a colour must look like #rrggbb, got {text!r}")
    red, green, blue = bytes.fromhex(digits)
    return red, green, blue
