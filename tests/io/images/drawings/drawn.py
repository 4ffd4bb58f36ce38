"""Documents of other programs, drawn on a small canvas."""

from graphwell.io.images.canvas import Canvas
from graphwell.io.images.drawings.base import Drawing

SHAPE = (10, 12)


def drawn(dialect, document, picture=None):
    assert dialect.recognises(document)
    drawing = Drawing(Canvas(SHAPE), picture)
    dialect.draw(document, drawing)
    return drawing


def marked(drawing, number):
    """Rows and columns of the rectangle that a class covers whole."""
    rows, columns = (drawing.canvas.classes == number).nonzero()
    area = (rows.max() - rows.min() + 1) * (columns.max() - columns.min() + 1)
    assert len(rows) == area
    return rows.min(), rows.max(), columns.min(), columns.max()
