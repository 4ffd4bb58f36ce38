"""Which reader and which writer a file name asks for."""

from pathlib import Path
from typing import IO

from graphwell.io.tables.base import Answers, Table
from graphwell.progress import Progress, silent

TEXT_SUFFIXES = (".csv", ".tsv", ".tab", ".txt")
PARQUET_SUFFIXES = (".parquet", ".pq")
SUFFIXES = (*TEXT_SUFFIXES, *PARQUET_SUFFIXES, ".npy", ".npz")


def check_suffix(path: Path, role: str) -> None:
    """Refuse a name that does not say what the file holds, or whose format cannot be had.

    Examples
    --------
    >>> check_suffix(Path("data.xlsx"), "TABLE")
    Traceback (most recent call last):
    ValueError: TABLE data.xlsx: the name must end in .csv, .tsv, .tab, .txt, .parquet, .pq, .npy or .npz.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise ValueError(f"{role} {path}: the name must end in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}.")
    if path.suffix.lower() in PARQUET_SUFFIXES:
        from graphwell.io.tables.parquet import require_pyarrow

        require_pyarrow()


def read_table(
    path: Path, *, delimiter: str | None = None, encoding: str | None = None, progress: Progress = silent
) -> Table:
    r"""Read the table in a file, by the end of its name.

    Parameters
    ----------
    path : Path
    delimiter, encoding : str, optional
        Of a text table; found by default.
    progress : callable
        Told how much of a text table is read.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "pets.tsv"
    ...     _ = path.write_text("weight\tpet\n4.5\tcat\n")
    ...     read_table(path).column("pet")
    array(['cat'], dtype=StringDType())
    """
    check_suffix(path, "TABLE")
    if path.is_dir():
        raise ValueError(f"TABLE {path} is a folder; give the name of a file.")
    if path.stat().st_size == 0 and path.is_file():
        raise ValueError(f"{path} is empty.")
    progress("reading", None)
    suffix = path.suffix.lower()
    if suffix in TEXT_SUFFIXES:
        from graphwell.io.tables.text import read_text

        return read_text(path, "\t" if delimiter in ("tab", "\\t") else delimiter, encoding, progress)
    if suffix in PARQUET_SUFFIXES:
        from graphwell.io.tables.parquet import read_parquet

        return read_parquet(path)
    from graphwell.io.tables.numpy_ import read_npy, read_npz

    return read_npy(path) if suffix == ".npy" else read_npz(path)


def write_table(table: Table, answers: Answers, path: Path, file: IO[bytes]) -> None:
    """Write a table and its answers into an open file, in the format that `path` names."""
    suffix = path.suffix.lower()
    if suffix in TEXT_SUFFIXES:
        from graphwell.io.tables.text import write_text

        write_text(table, answers, path, file)
    elif suffix in PARQUET_SUFFIXES:
        from graphwell.io.tables.parquet import write_parquet

        write_parquet(table, answers, file)
    else:
        from graphwell.io.tables.numpy_ import write_npy, write_npz

        (write_npy if suffix == ".npy" else write_npz)(table, answers, file)
