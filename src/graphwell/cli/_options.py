"""Options that several commands have, each declared once."""

from pathlib import Path
from typing import Annotated

import typer

from graphwell.cli._help import completed

Features = Annotated[
    str | None, typer.Option(help="Columns to compare rows by, as a,b,c; by default all that say something.")
]
Drop = Annotated[str | None, typer.Option(help="Columns that are no features, as a,b,c.")]
AsNumber = Annotated[str | None, typer.Option(help="Features that are numbers, as a,b,c.")]
AsCategory = Annotated[
    str | None, typer.Option(help="Features whose cells are names of categories, as a,b,c.")
]
Id = Annotated[str | None, typer.Option("--id", help="Column that names the rows.")]
Truth = Annotated[str | None, typer.Option(help="Column of the true labels, to compare with.")]
Unknown = Annotated[
    list[str] | None,
    typer.Option(help="Label that means unknown, besides empty and NA cells; else ?, unknown and such."),
]
Missing = Annotated[
    str,
    typer.Option(
        help="Missing feature values: fill, error, drop or mean.",
        autocompletion=completed("fill", "error", "drop", "mean"),
    ),
]
Scale = Annotated[
    str,
    typer.Option(
        help="Scale of the features: auto, none, standard or robust.",
        autocompletion=completed("auto", "none", "standard", "robust"),
    ),
]
Components = Annotated[
    int | None,
    typer.Option(help="Principal components, 0 for none; 50 by default above 100 features.", min=0),
]
Seed = Annotated[int, typer.Option(help="Seed of everything random.", min=0)]
Jobs = Annotated[int | None, typer.Option(help="Threads; all cores by default.")]
Device = Annotated[
    str, typer.Option(help="Where to compute: {devices}.", autocompletion=completed(of="device"))
]
Delimiter = Annotated[str | None, typer.Option(help="Delimiter of a text table, or tab; found by default.")]
Encoding = Annotated[str | None, typer.Option(help="Encoding of a text table; found by default.")]
Decimal = Annotated[str | None, typer.Option(help="Decimal mark of a text table; found by default.")]
MaxMemory = Annotated[
    str | None, typer.Option(help="Refuse tables that need more, 4GB say; by default what is free.")
]
Report = Annotated[Path | None, typer.Option(help="File for a page with pictures (.html).")]
Json = Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")]
Host = Annotated[str, typer.Option(help="Where to listen; others than this machine need a password then.")]
Port = Annotated[int, typer.Option(help="Port, or 0 for one that is free.", min=0, max=65_535)]
Address = Annotated[str | None, typer.Option(help="Address that browsers use, https://… behind a proxy.")]
Password = Annotated[
    str | None,
    typer.Option(help="Asked for where others are let in.", envvar="GRAPHWELL_PASSWORD", show_envvar=True),
]
Browser = Annotated[bool, typer.Option(help="Open the page in a browser.")]
