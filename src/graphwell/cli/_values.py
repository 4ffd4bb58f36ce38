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
"""By the name that pydantic, which Typer reads values with since 0.29, gives to what is wrong."""


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
    option = max(getattr(error.param, "opts", None) or [""], key=len)
    if not found:
        problem = _in_older_words(str(getattr(error, "message", "")), getattr(error.param, "type", None))
        return None if problem is None else f"{option} {problem}."
    if found[0]["type"] not in PROBLEMS:
        return None
    values = {**found[0].get("ctx", {}), "input": found[0]["input"]}
    return f"{option} {PROBLEMS[found[0]['type']].format(**values)}."


def _in_older_words(message: str, kind: Any) -> str | None:
    """What is wrong with a value, as Typer up to 0.28 tells it: "0 is not in the range x>=1."."""
    value, _, wanted = message.partition(" is not ")
    if wanted.startswith(("a valid int", "a valid float")):
        return f"must be a {'whole ' if 'int' in wanted else ''}number, got {value}"
    if not wanted.startswith("in the range"):
        return None
    least, most = getattr(kind, "min", None), getattr(kind, "max", None)
    below = least is not None and float(value) <= least
    bound = least if below else most
    exactly = getattr(kind, "min_open" if below else "max_open", False)
    words = ("above" if exactly else "at least") if below else ("below" if exactly else "at most")
    return f"must be {words} {bound}, got {value}"
