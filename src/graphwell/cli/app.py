"""The program: its commands with examples of them."""

import sys
from collections.abc import Callable
from inspect import cleandoc, signature

import typer

from graphwell.cli._run import app as app
from graphwell.cli.more import demo, doctor, example, reproduce
from graphwell.cli.pages import label, paint
from graphwell.cli.segment import segment
from graphwell.cli.tables import classify, compare, suggest

COMMANDS: dict[Callable[..., None], tuple[str, ...]] = {
    classify: (
        "graphwell classify pets.csv -o labelled.csv",
        "graphwell classify pets.csv -o labelled.csv --label species --report page.html",
        "graphwell classify cells.parquet -o labelled.parquet --set n_neighbors=15",
    ),
    suggest: (
        "graphwell suggest pets.csv -n 20 -o ask.csv",
        "graphwell suggest pets.csv --answers ask.csv -o answered.csv",
    ),
    compare: (
        "graphwell compare pets.csv --label species",
        "graphwell compare pets.csv --truth species --methods nearest,laplace --json",
    ),
    label: (
        "graphwell label pets.csv --label species --image-column photo",
        "graphwell label digits.csv --pixels 8x8 --drop truth",
    ),
    segment: (
        "graphwell segment photo.png --seeds marks.png -o regions.png",
        "graphwell segment photo.jpg --seeds marks.json -o regions.npy --masks masks",
    ),
    paint: (
        "graphwell paint photo.jpg --classes leaf,stem,ground",
        "graphwell paint photos --output painted",
    ),
    demo: ("graphwell demo --output pictures",),
    doctor: ("graphwell doctor --json",),
    reproduce: (
        "graphwell reproduce moons --runs 10",
        "graphwell reproduce all --data data --output figures",
    ),
}
"""The commands with examples of them, lines to copy."""
for _command, _lines in COMMANDS.items():
    _paragraphs = cleandoc(_command.__doc__ or "").split("\n\n")  # rich would keep the ends of their lines
    _help = "\n\n".join(" ".join(each.split()) for each in _paragraphs)
    app.command(help=_help, epilog="\n".join(("Examples", *_lines)))(_command)
app.add_typer(example, name="example")


# Options of 0.1, or of other commands, that are written otherwise.
TAKEN_BY_SET = (
    "as-category as-number channel-axis color-scale decimal delimiter encoding fidelity max-memory "
    "max-pixels patch radius safe-csv scale smoothing spacing splits start"
)
INSTEAD = {f"--{name}": f"--set {name.replace('-', '_')}=VALUE" for name in TAKEN_BY_SET.split()} | {
    "--neighbors": "--set n_neighbors=NUMBER",
    "--no-tune": "--set models=none",
    "--evidence": "--set models=none, or leave it out",
    "--pca": "principal components into columns of the table",
    "--missing": "df.dropna() before",
    "--snap": "marks with a hard brush, and save them as PNG",
    "--strokes-on-picture": "--background picture",
    "--holdout": "graphwell compare; classify estimates the accuracy itself",
    "--cluster": "the lines of Python in docs/cluster.md",
    "--checkpoint": "the command without it, as a fit takes seconds",
    "--sheet": "--overlay FILE and --scores FILE",
    "--report": "--json",  # of compare
    # Flags of some commands, and parameters.
    "--truth": "--set truth=COLUMN",
    "--labels": "--set labels=FILE",
    "--labels-from-folders": "--set labels_from_folders=true",
    "--encoder": "--set encoder=NAME",
    "--metric": "--set metric=NAME",
    "--models": "--set models=none",
    "--n-neighbors": "--set n_neighbors=NUMBER",
}


def main() -> None:
    """Run the program."""
    command = next((each for each in COMMANDS if each.__name__ in sys.argv[1:2]), None)
    known = signature(command).parameters if command else {}
    for argument in sys.argv[1:] if command else ():
        flag = argument.partition("=")[0]
        if flag in INSTEAD and flag[2:].replace("-", "_") not in known:
            said = f"{sys.argv[1]} has no option {flag}; write {INSTEAD[flag]}."
            typer.echo(f"graphwell: {said}", err=True)
            raise SystemExit(2)
    app(prog_name="graphwell")
