"""What tests of several kinds of files share."""

import io

import numpy as np

from graphwell.io.cells import NewColumns, text_column
from graphwell.io.files import written_whole
from graphwell.io.tables import open_table, write_table


def new_columns(like, labels, **changes):
    """New columns with these labels, every score one half, all rows reachable and none given."""
    n = len(labels)
    rest = {"score": np.full(n, 0.5), "reachable": np.ones(n, bool), "given": np.zeros(n, bool)}
    return NewColumns(like, text_column(labels), **{**rest, **changes})


def labelled(source, new, suffix=None):
    """The file that a table is written to with its new columns."""
    out = source.with_name(f"out{suffix or source.suffix}")
    with written_whole(out) as file:
        write_table(open_table(source), new, out, file)
    return out


def npy_of_declared_shape(shape):
    """The header of a `.npy` file without the numbers that it declares."""
    file = io.BytesIO()
    np.lib.format.write_array_header_2_0(file, {"descr": "<f8", "fortran_order": False, "shape": shape})
    return file.getvalue()
