"""Values that options do not take, in the words of all other errors."""

from typing import Any

WHOLE, NUMBER = "must be a whole number, got {input!r}", "must be a number, got {input!r}"
PROBLEMS = {
    "int_parsing": WHOLE,
    "int_parsing_size": WHOLE,
    "int_from_float": WHOLE,
    "int_type": WHOLE,
    "float_parsing": NUMBER,
    "float_type": NUMBER,
    "finite_number": NUMBER,
    "greater_than_equal": "must be at least {ge}, got {input}",
    "greater_than": "must be above {gt}, got {input}",
    "less_than_equal": "must be at most {le}, got {input}",
    "less_than": "must be below {lt}, got {input}",
}
"""By the name that pydantic, which Typer reads values with, gives to what is wrong."""


def told(error: Any) -> str | None:
    """One sentence for a value that an option does not take; None where something else is wrong.

    Parameters
    ----------
    error : typer.BadParameter

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> wrong = [{"type": "greater_than_equal", "ctx": {"ge": 1}, "input": 0}]
    >>> cause = SimpleNamespace(errors=lambda: wrong)
    >>> told(SimpleNamespace(param=SimpleNamespace(opts=["-n", "--n"]), __cause__=cause))
    '--n must be at least 1, got 0.'
    """
    found: list[Any] = getattr(error.__cause__, "errors", list)()
    if not found or found[0]["type"] not in PROBLEMS:
        return None
    values = {**found[0].get("ctx", {}), "input": found[0]["input"]}
    return f"{max(error.param.opts, key=len)} {PROBLEMS[found[0]['type']].format(**values)}."
