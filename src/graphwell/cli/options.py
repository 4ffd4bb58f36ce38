"""Options that several commands have, and their names in sentences."""

import csv
from contextvars import ContextVar
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

# ------------------------------------------------------------------------------------------------- declared

COLUMNS, METHOD, FILES, MACHINE = "Columns and labels", "Method", "Files", "Machine"
PRINTED, SHOWN, SERVER = "Printed", "Shown", "Server"
"""Headings of the help."""
Device = Literal["cpu", "cuda"]
Strategy = Literal["auto", "communities", "margin", "random"]
Method = Literal[
    "diffuse interface", "binary interface", "adapted eigenfunctions", "balanced interface",
    "correct and smooth", "cut", "laplace", "laplace poisson", "laplace wnll", "mbo",
    "measure propagation", "nearest", "normalised 1-cut", "p-laplacian", "poisson", "ratio cheeger cut",
    "simplex", "spectral clusters", "spreading", "volume mbo",
]  # fmt: skip
"""Choices are written out, so that help comes without the libraries that compute; a test compares them."""
OF_TABLES = (
    "n_neighbors, scale (auto, none, standard, robust), as_number, "
    "as_category, delimiter, encoding, decimal, max_memory (4GB), cache (folder for vectors)"
)
OF_FOLDERS = f"{OF_TABLES}, encoder, labels_from_folders (true)"
"""Parameters for `--set` wherever a table is read, and where folders have no flags."""
TABLE = (
    "Table: .csv, .tsv, .txt (.gz, .bz2, .xz), .parquet, .xlsx, .jsonl, .npy, .npz, .h5ad or .zarr; or a "
    "folder of photographs or texts"
)
PICTURE = "Picture: .png, .jpg, .tif, .npy, .nii, .zarr and more, of any number of channels"


def option(help_: str, *names: str, panel: str = COLUMNS, metavar: str | None = None, **more: Any) -> Any:
    """An option of Typer under one of the headings."""
    return typer.Option(*names, help=help_, rich_help_panel=panel, metavar=metavar, **more)


def file(help_: str, *names: str, metavar: str = "FILE") -> Any:
    """An option that names a file to read or to write."""
    return option(help_, *names, panel=FILES, metavar=metavar)


def output(help_: str, metavar: str = "FILE") -> Any:
    """The option for the main file that is written."""
    return file(help_, "--output", "-o", metavar=metavar)


def argument(name: str, help_: str) -> Any:
    """The file that a command works on."""
    return typer.Argument(metavar=name, help=help_)


def settings(names: str) -> Any:
    """The option `--set`, which tells what it takes."""
    return option(f"Any other parameter: {names}.", "--set", panel=METHOD, metavar="NAME=VALUE")


Label = Annotated[str, option("Column of the known labels.", metavar="COLUMN")]
LabelSoFar = Annotated[
    str | None,
    option("Column of the labels so far; by default label, if there is one.", metavar="COLUMN"),
]
Features = Annotated[
    str | None,
    option("Columns to compare rows by; all informative ones by default.", metavar="A,B,C"),
]
Drop = Annotated[str | None, option("Columns to leave out.", metavar="A,B,C")]
Id = Annotated[str | None, option("Column that names the rows.", "--id", metavar="COLUMN")]
Truth = Annotated[str | None, option("Column of the true labels, to compare with.", metavar="COLUMN")]
Unknown = Annotated[
    list[str] | None,
    option(
        "Value that means 'no label', as empty cells and -1 among numbers do (default: ?, NA and the like).",
        metavar="LABEL",
    ),
]
Classes = Annotated[str | None, option("Names of classes, where some have no label yet.", metavar="A,B,C")]
Seed = Annotated[int, option("Seed of everything random.", panel=METHOD, metavar="NUMBER", min=0)]
Jobs = Annotated[
    int | None, option("Threads; all cores by default.", "--jobs", panel=MACHINE, metavar="NUMBER")
]
Where = Annotated[Device, option("Where to compute.", "--device", panel=MACHINE)]
Report = Annotated[Path | None, option("File for a page with pictures (.html).", panel=FILES, metavar="FILE")]
Json = Annotated[bool, option("The summary as JSON.", "--json", panel=PRINTED)]
Verbose = Annotated[
    bool, option("Columns, sizes of classes, seconds and more.", "--verbose", "-v", panel=PRINTED)
]
Quiet = Annotated[bool, option("Errors only.", "--quiet", "-q", panel=PRINTED)]
Strict = Annotated[bool, option("Exit code 1 if no label reaches some rows.", "--strict", panel=PRINTED)]
Host = Annotated[str, option("Where to listen; beyond this machine with a password.", panel=SERVER)]
Port = Annotated[int, option("Port, or 0 for one that is free.", panel=SERVER, min=0, max=65_535)]
Address = Annotated[
    str | None, option("Address that browsers use, https://… behind a proxy.", panel=SERVER, metavar="URL")
]
Password = Annotated[
    str | None,
    option(
        "Password of the page; asked for if --host lets other machines in.",
        panel=SERVER,
        envvar="GRAPHWELL_PASSWORD",
        show_envvar=True,
    ),
]
Browser = Annotated[bool, option("Open the page in a browser.", panel=SERVER)]
Labels = Annotated[
    Path | None,
    option("For a folder of files: table of their labels, with columns path and label.", metavar="FILE"),
]
FromFolders = Annotated[
    bool,
    option(
        "For a folder of files: subfolders are the labels; unknown/ means none.",
        "--labels-from-folders",
    ),
]
Encoder = Annotated[
    str,
    option(
        "Embedding of files and texts: auto, tfidf, use, descriptors, pixels, dinov2, onnx:FILE, "
        "module:name ...",
        panel=METHOD,
        metavar="NAME",
    ),
]

# ------------------------------------------------------------------------------------ names in sentences

ARGUMENTS = ("table", "image", "source")
OTHERWISE = {"row_id": "id", "n_jobs": "jobs"}
"""Options of jobs whose flag has another name."""
of_command: ContextVar[frozenset[str] | None] = ContextVar("of_command", default=None)
"""Names of the parameters of the command that runs; what is none of them is given by `--set`."""


def in_flags(field: str, value: str | None = None) -> str:
    """Name an option of a job as a user of the shell types it."""
    if field in ARGUMENTS:
        return field.upper()
    name, known = OTHERWISE.get(field, field), of_command.get()
    if known is not None and not known & {field, f"{field}_"}:
        return f"--set {name}" if value is None else f"--set {name}={value.strip(chr(34))}"
    flag = f"-{name}" if len(name) == 1 else f"--{name.replace('_', '-')}"
    if value is None or value == "True":
        return flag
    return f"{flag} {value.strip(chr(34)) or value}"  # the quotes of an empty text are typed


def column_names(text: str | None) -> tuple[str, ...] | None:
    """Split a list of names; a name with a comma in it goes into double quotes."""
    if text is None:
        return None
    return tuple(name.strip() for name in next(csv.reader([text], skipinitialspace=True), []))


def with_a_name(table: Path) -> Path:
    """A path by its own name, also where it is the folder of the program, or the one above."""
    return table.resolve() if table.name in ("", "..") else table


def beside(table: Path, word: str, ending: str | None = None) -> Path:
    """The name of a table with a word before its ending; standard output where the table comes from there."""
    table = with_a_name(table)
    if ending is None and table.is_dir() and table.suffix != ".zarr":  # a folder of files
        return table.with_name(f"{table.name}.{word}.csv")
    name, dot, own = table.name.partition(".")
    return table if table == Path("-") else table.with_name(f"{name}.{word}{ending or dot + own}")
