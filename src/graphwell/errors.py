"""Sentences that name options, worded by the face that shows them: ``holdout`` in Python, a flag in a shell.

A template names an option in braces, ``{holdout}``, or with a value, ``{missing="mean"}``. Everything else
that varies is a value beside the template, so that no text from a file is ever taken for an option. Warnings
point at the user's line, however deep in graphwell they arise.
"""

import os
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from string import Formatter
from typing import Any, ParamSpec, TypeVar

Failure = TypeVar("Failure", bound=Exception)
Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")
# Given the field of an option and a value or None: how a face names it.
Words = Callable[[str, str | None], str]
# Characters of a value that is shown in a sentence.
MOST_SHOWN = 80


def in_python(field: str, value: str | None = None) -> str:
    """Name an option as a keyword argument."""
    return field if value is None else f"{field}={value}"


@dataclass(frozen=True)
class Sentence:
    """A sentence that may name options."""

    template: str  # options in braces by name; empty braces for the values, in order
    values: tuple[Any, ...] = ()

    def worded(self, words: Words) -> str:
        """Return the sentence as one face says it."""
        return _Wording(words).vformat(self.template, self.values, {})

    def __str__(self) -> str:
        return self.worded(in_python)

    def __repr__(self) -> str:
        return repr(str(self))


class OptionError(ValueError):
    """Something is wrong with an option, or an option can put it right."""

    def __init__(self, field: str, template: str, *values: Any) -> None:
        super().__init__(field, template, *values)  # all of them, so that a worker's error can be pickled
        self.field = field
        self.sentence = Sentence(template.replace("{field}", f"{{{field}}}"), values)

    def __str__(self) -> str:
        return str(self.sentence)


def with_sentence(kind: type[Failure], template: str, *values: Any) -> Failure:
    """Make an error of any kind whose message names options, as each face words them."""
    sentence = Sentence(template, values)
    made = kind(str(sentence))
    made.sentence = sentence  # type: ignore[attr-defined]
    return made


def in_short(value: Any) -> str:
    """A value on one line: an array by its shape, anything else as Python writes it, cut off."""
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


PACKAGE = str(Path(__file__).parent)


class Gone:
    """A name of an earlier version, in a class: whoever uses it reads what to write instead."""

    def __init__(self, instead: str) -> None:
        self.instead = instead

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        raise AttributeError(f"this name is of an earlier version; write {self.instead}")


def without(**gone: str) -> Callable[[Callable[Parameters, Returned]], Callable[Parameters, Returned]]:
    """Parameters of an earlier version, in a function: whoever gives one reads what to write instead."""

    def decorated(function: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
        @wraps(function)
        def called(*values: Parameters.args, **named: Parameters.kwargs) -> Returned:
            for name in named.keys() & gone.keys():
                where = function.__qualname__.removesuffix(".__init__")
                raise TypeError(f"{where} has no {name}; write {gone[name]}.")
            return function(*values, **named)

        return called

    return decorated


class UnreachableWarning(UserWarning):
    """Some rows lie in a connected component without any label."""


class BridgedWarning(UserWarning):
    """Some rows lie in a component without any label, and were connected to the nearest one."""


class LabelWarning(UserWarning):
    """Given labels may not mean what they seem to: some are taken for unknown, or contradict each other."""


def warn_user(
    message: str | Sentence, category: type[Warning] = UserWarning, *, python_words: Words = in_python
) -> None:
    """Warn, naming the line outside of graphwell that led here.

    A `Sentence` travels in the warning, so that a face can word the options it names; the warning itself has
    those of `python_words`.
    """
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE + os.sep):
        level, frame = level + 1, frame.f_back
    warning = category(message.worded(python_words) if isinstance(message, Sentence) else message)
    vars(warning)["sentence"] = message
    warnings.warn(warning, stacklevel=level)


def counted(count: int, one: str, many: str = "") -> str:
    """A number and its noun, which has an s where there are several, unless `many` says otherwise."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
