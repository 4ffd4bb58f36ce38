"""Documents of other programs, drawn on a small raster."""

from graphwell.io.images.drawings.base import Drawing
from graphwell.io.images.raster import Raster

SHAPE = (10, 12)


def drawn(dialect, document, picture=None):
    assert dialect.recognises(document)
    drawing = Drawing(Raster(SHAPE), picture)
    dialect.draw(document, drawing)
    return drawing


def marked(drawing, number):
    """Rows and columns of the rectangle that a class covers whole."""
    rows, columns = (drawing.raster.classes == number).nonzero()
    area = (rows.max() - rows.min() + 1) * (columns.max() - columns.min() + 1)
    assert len(rows) == area
    return rows.min(), rows.max(), columns.min(), columns.max()
