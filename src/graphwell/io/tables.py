"""Tables in files: the formats, reading and writing by the end of a file's name."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from graphwell.errors import OptionError
from graphwell.io import anndata_files, parquet, records, text
from graphwell.io.cells import NewColumns, Table
from graphwell.io.files import STANDARD, check_input, either, endings
from graphwell.memory import limited_to
from graphwell.progress import Progress, silent

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class TableFormat:
    """How tables with these ends of their names are read and written."""

    suffixes: tuple[str, ...]  # in lower case with their point
    read: Callable[[Path, text.Reading], Table]  # ends with `cells.table_of`
    # (table, new columns, name of the output, open file)
    write: Callable[[Table, NewColumns, Path, IO[bytes]], None]
    require: Callable[[], object] = lambda: None  # raises ImportError where a library is missing


FORMATS = [
    TableFormat(text.SUFFIXES, text.read_text, text.write_text),
    TableFormat(parquet.SUFFIXES, parquet.read_parquet, parquet.write_parquet, parquet.require_pyarrow),
    TableFormat((".npz",), records.read_npz, records.write_npz),
    TableFormat(records.JSON_SUFFIXES, records.read_jsonl, records.write_jsonl),
    TableFormat((".xlsx",), records.read_xlsx, records.write_xlsx, records.require_openpyxl),
    TableFormat(
        (".h5ad",), anndata_files.read_anndata, anndata_files.write_anndata, anndata_files.require_anndata
    ),
    TableFormat(text.PACKED_SUFFIXES, text.read_text, text.write_text),
]
"""Every format of tables, common ones first; another one is appended."""


PICTURES = (".jpg", ".jpeg", ".png", ".tif", ".tiff", ".gif", ".bmp", ".webp", ".heic", ".nii")
ADVICE = {
    **dict.fromkeys((".xls", ".xlsm", ".xlsb", ".ods"), "save this spreadsheet as .xlsx or .csv."),
    **dict.fromkeys(
        PICTURES,
        "this is a picture, and no table: graphwell segment gives classes to its pixels; to give classes to "
        "whole pictures, name their folder.",
    ),
    ".json": "write one object a line, as .jsonl: pandas.DataFrame.to_json(orient='records', lines=True).",
    ".npy": "name the matrix X in a .npz file: numpy.savez('table.npz', X=matrix, y=labels).",
    ".zarr": "write these cells as .h5ad: anndata.read_zarr(folder).write_h5ad(file).",
}


def read_table(
    path: str | Path,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    max_memory: str | None = None,
    progress: Progress = silent,
) -> "pandas.DataFrame":
    r"""Read any table as a data frame of pandas, as `graphwell classify` reads it.

    The end of the name says which format: CSV and its relatives (compressed ones too), Parquet, Excel, JSON
    lines, ``.npz`` and AnnData. Of text the delimiter, the encoding and the decimal mark are found;
    columns of numbers become numbers, unless a zero in front shows that they are names, as in 02139. Other
    cells stay as they are written; empty ones are missing.

    Parameters
    ----------
    path : str or Path
        ``-`` for a text table on standard input.
    delimiter, encoding : str, optional
        Of a text table.
    decimal : {".", ","}, optional
        Decimal mark of numbers in text.
    max_memory : str, optional
        Larger files are refused, ``"4GB"`` say; by default what is free, and packed files that unpack to
        200 times their size.
    progress : callable
        Given the stage, and the share of it that is done.

    Examples
    --------
    >>> import tempfile
    >>> import graphwell as gw
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "pets.csv"
    ...     _ = path.write_text("weight;pet\n4,5;cat\n30;\n")
    ...     frame = gw.read_table(path)
    >>> frame["weight"].tolist(), frame["pet"].isna().tolist()
    ([4.5, 30.0], [False, True])
    """
    how = text.Reading(delimiter, encoding, decimal, progress)
    with limited_to(max_memory) if max_memory else nullcontext():
        return open_table(Path(path), how).frame


def open_table(path: Path, how: text.Reading = text.Reading()) -> Table:  # noqa: B008 (frozen)
    """Read a table as `read_table` does, and keep what is needed to write it back."""
    found = format_of(path, "table")
    if path != STANDARD:
        check_input(path, "table")
    how.progress("reading", None)
    return found.read(path, how)


def write_table(table: Table, new: NewColumns, path: Path, file: IO[bytes]) -> None:
    """Write a table and its new columns into an open file, in the format that `path` names."""
    format_of(path, "output").write(table, new, path, file)


def format_of(path: Path, field: str) -> TableFormat:
    """Return the format that the name of a file asks for; that of text for ``-``."""
    for found in FORMATS:
        if path == STANDARD or endings(path) & set(found.suffixes):
            found.require()
            return found
    if path.suffix.lower() in ADVICE:
        raise OptionError(field, "{field} {}: " + ADVICE[path.suffix.lower()], path)
    suffixes = either(suffix for found in FORMATS for suffix in found.suffixes)
    raise OptionError(field, "{field} {}: the name must end in {}.", path, suffixes)
