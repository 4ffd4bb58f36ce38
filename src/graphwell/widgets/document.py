"""A page of `graphwell.serve` as one document that loads nothing: its styles and modules stand inside."""

import base64
import json
import re
import secrets

from graphwell.serve.files import read_part
from graphwell.serve.security import policy

LINE, WIDGET_LINE = "line.js", "widget-line.js"
"""The module that reaches a server, and the one that stands in for it."""
STYLES = re.compile(r'<link rel="stylesheet" href="static/([\w-]+\.css)">')
SCRIPT = re.compile(r'<script type="module" src="static/([\w-]+\.js)"></script>')
IMPORT = re.compile(r'\b(from|import) "\./([\w-]+\.js)"')
CHARSET = '<meta charset="utf-8">'


def one_document(name: str) -> str:
    """A page in one piece, which speaks with the widget around it instead of a server.

    Parameters
    ----------
    name : str
        Of its HTML file, without the ending.

    Examples
    --------
    >>> made = one_document("paint")
    >>> "static/" in made, "Content-Security-Policy" in made
    (False, True)
    """
    page = _text(f"{name}.html")
    nonce = secrets.token_urlsafe(16)
    first = SCRIPT.findall(page)[0]
    allowed = policy(f"'nonce-{nonce}' 'strict-dynamic'", f"'nonce-{nonce}'", "")
    meta = f'{CHARSET}\n<meta http-equiv="Content-Security-Policy" content="{allowed}">'
    addresses = json.dumps({"imports": {_bare(part): _address(part) for part in modules_of(first)}})
    scripts = (
        f'<script type="importmap" nonce="{nonce}">{addresses}</script>\n'
        f'<script type="module" nonce="{nonce}">import "{_bare(first)}";</script>'
    )
    page = page.replace(CHARSET, meta, 1)
    page = STYLES.sub(lambda found: f'<style nonce="{nonce}">\n{_text(found[1])}</style>', page)
    return SCRIPT.sub(lambda _: scripts, page)


def modules_of(first: str) -> list[str]:
    """A module and all that it needs.

    Examples
    --------
    >>> modules_of("channel.js")
    ['channel.js', 'line.js']
    """
    found = [first]
    for name in found:  # grows meanwhile
        found += [needed for _, needed in IMPORT.findall(_source(name)) if needed not in found]
    return found


def _source(name: str) -> str:
    return _text(WIDGET_LINE if name == LINE else name)


def _address(name: str) -> str:
    """A module as an address; its own imports are told by name, as nothing lies beside it."""
    source = IMPORT.sub(lambda found: f'{found[1]} "{_bare(found[2])}"', _source(name))
    return f"data:text/javascript;base64,{base64.b64encode(source.encode()).decode()}"


def _bare(name: str) -> str:
    return f"graphwell/{name}"


def _text(name: str) -> str:
    return read_part(name)[0].decode()
