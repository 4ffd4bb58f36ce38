"""Sentences that name options, worded by the face that shows them: ``holdout`` in Python, a flag in a shell.

A template names an option in braces, ``{holdout}``, or with a value, ``{missing="mean"}``. Everything else
that varies is a value beside the template, so that no text from a file is ever taken for an option.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from string import Formatter
from typing import Any, TypeVar

Failure = TypeVar("Failure", bound=Exception)
Words = Callable[[str, str | None], str]
"""Given the field of an option and a value or None: how a face names it."""
MOST_SHOWN = 80
"""Characters of a value that is shown in a sentence."""


def in_python(field: str, value: str | None = None) -> str:
    """Name an option as a keyword argument.

    Examples
    --------
    >>> in_python("missing", '"mean"')
    'missing="mean"'
    """
    return field if value is None else f"{field}={value}"


@dataclass(frozen=True)
class Sentence:
    """A sentence that may name options.

    Attributes
    ----------
    template : str
        Options in braces by name; empty braces for the values, in order.
    values : tuple
        What goes into the empty braces.

    Examples
    --------
    >>> note = Sentence('Row {} has a gap; give {missing="mean"}.', (4,))
    >>> str(note)
    'Row 4 has a gap; give missing="mean".'
    >>> note.worded(lambda field, value: f"[{field}]")
    'Row 4 has a gap; give [missing].'
    """

    template: str
    values: tuple[Any, ...] = ()

    def worded(self, words: Words) -> str:
        """Return the sentence as one face says it."""
        return _Wording(words).vformat(self.template, self.values, {})

    def followed_by(self, other: "Sentence") -> "Sentence":
        """Return both sentences as one.

        Examples
        --------
        >>> str(Sentence("{} rows.", (3,)).followed_by(Sentence("Raise {n_neighbors}.")))
        '3 rows. Raise n_neighbors.'
        """
        return Sentence(f"{self.template} {other.template}", (*self.values, *other.values))

    def __str__(self) -> str:
        return self.worded(in_python)


class OptionError(ValueError):
    """Something is wrong with an option, or an option can put it right.

    Parameters
    ----------
    field : str
        Name of the option.
    template : str
        As in `Sentence`; ``{field}`` stands for the option itself.
    *values
        What goes into the empty braces.

    Examples
    --------
    >>> error = OptionError("holdout", "{field} must lie between 0 and 1, got {}.", 2.0)
    >>> error.field, str(error)
    ('holdout', 'holdout must lie between 0 and 1, got 2.0.')
    """

    def __init__(self, field: str, template: str, *values: Any) -> None:
        super().__init__(field, template, *values)  # all of them, so that a worker's error can be pickled
        self.field = field
        self.sentence = Sentence(template.replace("{field}", f"{{{field}}}"), values)

    def __str__(self) -> str:
        return str(self.sentence)


def with_sentence(kind: type[Failure], template: str, *values: Any) -> Failure:
    """Make an error of any kind whose message names options, as each face words them.

    Examples
    --------
    >>> error = with_sentence(ImportError, '{device="cuda"} needs {}.', "CuPy")
    >>> str(error), error.sentence.template
    ('device="cuda" needs CuPy.', '{device="cuda"} needs {}.')
    """
    sentence = Sentence(template, values)
    made = kind(str(sentence))
    made.sentence = sentence  # type: ignore[attr-defined]
    return made


def in_short(value: Any) -> str:
    """A value that was given, on one line: an array by its shape, anything else as Python writes it, cut off.

    Examples
    --------
    >>> in_short("nope"), in_short(["a"] * 100)
    ("'nope'", "['a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', ...")
    """
    shape = getattr(value, "shape", ())
    if isinstance(shape, tuple) and shape:
        return f"{type(value).__name__} of shape {shape}"
    try:
        text = " ".join(repr(value).split())
    except Exception:  # a value of the user's own class
        text = f"an object of the class {type(value).__name__}"
    return text if len(text) <= MOST_SHOWN else text[: MOST_SHOWN - 3] + "..."


class _Wording(Formatter):
    """Formats a template: names in braces by the words of a face, values with ``!r`` in short."""

    def __init__(self, words: Words) -> None:
        self.words = words

    def get_field(self, field_name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Any, Any]:
        if field_name.isdecimal():
            return args[int(field_name)], field_name
        field, _, value = field_name.partition("=")
        return self.words(field, value or None), field_name

    def convert_field(self, value: Any, conversion: Any) -> Any:
        return in_short(value) if conversion == "r" else super().convert_field(value, conversion)
