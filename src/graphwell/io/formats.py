"""Kinds of files, told apart by the end of their names: one file a format, found by itself."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import MappingProxyType
from typing import Generic, TypeVar

from graphwell.errors import OptionError

LAST = 100


@dataclass(frozen=True, kw_only=True)
class FileFormat:
    """The fields of every declaration of a format.

    Attributes
    ----------
    name : str
        As a sentence names it.
    suffixes : tuple of str
        Ends of file names, in lower case with their point.
    extra : str, optional
        The extra of graphwell that it needs: ``pip install "graphwell[extra]"``.
    require : callable, optional
        Raises `ImportError`, with that line, where the extra is not installed.
    is_folder : bool
        Whether a folder holds what others put into a file.
    rank : int
        Place in lists; common formats come first.
    """

    name: str
    suffixes: tuple[str, ...]
    extra: str | None = None
    require: Callable[[], object] | None = None
    is_folder: bool = False
    rank: int = LAST


Format = TypeVar("Format", bound=FileFormat)


class Formats(Generic[Format]):
    """The formats that the files of a package declare as ``FORMAT``, and those registered from outside.

    Parameters
    ----------
    package : str
        Its modules are imported when a format is first asked for.

    Examples
    --------
    >>> from graphwell.io.tables.base import FORMATS
    >>> FORMATS.of(Path("Data.PARQUET"), "table").name
    'Parquet'
    >>> FORMATS.of(Path("data.docx"), "table")
    Traceback (most recent call last):
    graphwell.errors.OptionError: table data.docx: the name must end in .csv, .tsv, ...
    """

    def __init__(self, package: str) -> None:
        self.package = package
        self._by_name: dict[str, Format] = {}
        self._searched = False

    def register(self, declared: Format) -> None:
        """Add a format; a suffix that another one has goes over to it."""
        self._search()
        self._by_name[declared.name] = declared

    def forget(self, name: str) -> None:
        """Take a format out."""
        del self._by_name[name]

    def by_name(self) -> Mapping[str, Format]:
        """Return all formats by name, common ones first."""
        self._search()
        ranked = sorted(self._by_name.items(), key=lambda item: item[1].rank)
        return MappingProxyType(dict(ranked))

    def suffixes(self, among: Callable[[Format], bool] = lambda _: True) -> tuple[str, ...]:
        """Return the ends of the names of all formats, or of some."""
        return tuple(s for declared in self.by_name().values() if among(declared) for s in declared.suffixes)

    def of(self, path: Path, field: str, among: Callable[[Format], bool] = lambda _: True) -> Format:
        """Return the format that a file name asks for.

        Parameters
        ----------
        path : Path
        field : str
            Name of the option that gave it.
        among : callable
            Which formats will do.
        """
        ends = {path.suffix.lower(), "".join(path.suffixes[-2:]).lower()}  # .gz, and .csv.gz
        for declared in reversed(list(self.by_name().values())):
            if ends & set(declared.suffixes) and among(declared):
                if declared.require is not None:
                    declared.require()
                return declared
        known = either(self.suffixes(among))
        raise OptionError(field, "{field} {}: the name must end in {}.", path, known)

    def _search(self) -> None:
        if self._searched:
            return
        self._searched = True
        for found in iter_modules(import_module(self.package).__path__):
            declared = getattr(import_module(f"{self.package}.{found.name}"), "FORMAT", ())
            for each in declared if isinstance(declared, tuple) else (declared,):
                self._by_name[each.name] = each


def either(names: Iterable[str]) -> str:
    """Name all, the last after "or".

    Examples
    --------
    >>> either([".csv", ".tsv", ".txt"])
    '.csv, .tsv or .txt'
    """
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last
