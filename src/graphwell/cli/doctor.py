"""`graphwell doctor`: what this installation can do, and what is missing for what."""

import json
from typing import TYPE_CHECKING, Annotated

import typer

from graphwell.cli._run import Exit, ends_cleanly

if TYPE_CHECKING:
    from graphwell.jobs.doctor import DoctorReport


@ends_cleanly
def doctor(
    json_: Annotated[bool, typer.Option("--json", help="Print what was found as JSON.")] = False,
) -> Exit:
    """Look at this installation: versions, threads, memory, GPU, and what is missing for what.

    Exit codes: 0 all is well; 1 something must be put right.
    """
    from graphwell.jobs.doctor import examine

    found = examine()
    if json_:
        typer.echo(json.dumps(found.to_json(), indent=2))
    else:
        _show(found)
    return Exit.NEEDS_ATTENTION if found.troubles else Exit.DONE


def _show(found: "DoctorReport") -> None:
    from rich.table import Table
    from rich.text import Text

    from graphwell.cli._summary import console_for
    from graphwell.memory import in_words

    facts = {
        "graphwell": found.version,
        "Python": f"{found.python}, {found.system}",
        "threads": f"{found.threads}",
        "free memory": in_words(found.free_memory),
        "GPU": found.gpu,
        "compiled loops": "kept nowhere" if found.cache is None else f"kept in {found.cache}",
        **{library.name: library.version or library.trouble for library in found.libraries},
    }
    table = Table(show_header=False)
    for name, fact in facts.items():
        table.add_row(name, Text(fact))
    for library in found.extras:
        missing = f"{library.trouble}: {library.install}"
        table.add_row(f"for {library.what_for}", Text(f"{library.name} {library.version or missing}"))
    console_for(on_stderr=False).print(table)
    for trouble in found.troubles:
        typer.echo(f"graphwell: {trouble}.", err=True)
