"""How every page is served from the command line."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from graphwell.cli._run import Exit

if TYPE_CHECKING:
    from graphwell.serve.channel import Page


def asked_password(host: str, given: str | None) -> str | None:
    """The password of a page; asked for where others than this machine can reach it."""
    from graphwell.serve.security import is_loopback

    if is_loopback(host):
        return None
    warning = "Others can reach this server, and it speaks plain HTTP; put a proxy with TLS before it."
    typer.echo(warning, err=True)
    return given or str(typer.prompt("Password for the page", hide_input=True, confirmation_prompt=True))


def serve_page(
    page: "Page",
    journal: Path,
    *,
    host: str,
    port: int,
    address: str | None,
    password: str | None,
    browser: bool,
    quiet: bool,
) -> Exit:
    """Serve a page until Ctrl-C, and say how to go on."""
    from graphwell.serve.launch import launch

    try:
        launch(
            page, host=host, port=port, address=address, password=password, open_browser=browser,
            told=lambda where: typer.echo(f"Open {where}"),
        )  # fmt: skip
    except KeyboardInterrupt:
        if not quiet:
            typer.echo(f"Everything is in {journal}; the same command goes on from there.")
    return Exit.DONE
