"""Standard output, which one thing at a time can be written to."""

from pathlib import Path

from graphwell.errors import OptionError


def stdout_is_taken(output: Path, *, json_: bool) -> bool:
    """Whether a table or JSON goes to standard output, so that the summary goes to standard error.

    Examples
    --------
    >>> stdout_is_taken(Path("-"), json_=False), stdout_is_taken(Path("labels.csv"), json_=False)
    (True, False)
    """
    if output == Path("-") and json_:
        problem = "{field} -: {json} goes to standard output as well; give the table the name of a file."
        raise OptionError("output", problem)
    return json_ or output == Path("-")
