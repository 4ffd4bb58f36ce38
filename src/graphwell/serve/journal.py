"""The annotation log: every action is on disc before it is answered, a line for each, and for undo and redo.

After a kill, reading the lines from the first gives back the same actions, done and undone. A line that was
cut short by the kill was never answered, and is dropped.
"""

import json
import os
import zlib
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from graphwell.errors import OptionError
from graphwell.io.files import NO_FOLLOW

FORMAT = "graphwell journal 1"
# Values that JSON can hold; `do` names what was done.
Action = dict[str, Any]
UNDO, REDO, NOTE = {"do": "undo"}, {"do": "redo"}, "note"
# Errors that forged lines lead to where they are read.
MAKES_NO_SENSE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
BINARY = getattr(os, "O_BINARY", 0)
Read = TypeVar("Read")


class Journal:
    """Actions in a file, with undo and redo without limit.

    Parameters
    ----------
    path : Path
        Made if there is none.
    about : mapping
        The table or picture, values of JSON: a file that is about another is refused.

    Attributes
    ----------
    done, undone : list of dict
        Actions that count, oldest first; and those taken back, the next to redo last.
    notes : list of dict
        Entries that are no actions, oldest first; no undo takes them back.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "journal"
    ...     with Journal(path, {"rows": 3}) as journal:
    ...         journal.do({"do": "answer", "row": 1})
    ...         _ = journal.undo()
    ...     with Journal(path, {"rows": 3}) as journal:
    ...         journal.done, journal.undone
    ([], [{'do': 'answer', 'row': 1}])
    """

    def __init__(self, path: Path, about: Mapping[str, Any]) -> None:
        self.path = path
        self.done: list[Action] = []
        self.undone: list[Action] = []
        self.notes: list[dict[str, Any]] = []
        self._head = {"format": FORMAT, **about}
        self._end = 0  # of the file, as far as it was written here
        self._copy: Path | None = None
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | NO_FOLLOW | BINARY, 0o666)
        try:
            self._read()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> "Journal":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; it is whole at any time."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def do(self, action: Action) -> None:
        """Write down an action; what was undone before can no longer be redone."""
        self._write_down(action)

    def note(self, content: Mapping[str, Any]) -> None:
        """Write down something that is no action; values of JSON."""
        self._write_down({NOTE: content})

    def undo(self) -> Action | None:
        """Take the last action back and return it; None if there is none."""
        if not self.done:
            return None
        self._write_down(UNDO)
        return self.undone[-1]

    def redo(self) -> Action | None:
        """Do again what was undone last and return it; None if there is none."""
        if not self.undone:
            return None
        self._write_down(REDO)
        return self.done[-1]

    def _write_down(self, entry: dict[str, Any]) -> None:
        self._append(entry)
        self._take(entry)

    def _take(self, entry: dict[str, Any]) -> None:
        if NOTE in entry:
            self.notes.append(dict(entry[NOTE]))
        elif entry == UNDO:
            self.undone.append(self.done.pop())
        elif entry == REDO:
            self.done.append(self.undone.pop())
        else:
            self.done.append(entry)
            self.undone.clear()

    def _append(self, entry: Any) -> None:
        """Write a line to the disc; after an error the file is as it was."""
        self._check_unchanged(self._end)
        line = _line(entry)
        try:
            os.lseek(self._file, self._end, os.SEEK_SET)
            _write(self._file, line)
        except OSError as error:
            os.ftruncate(self._file, self._end)
            raise OSError(error.errno, error.strerror, str(self.path)) from error
        self._check_unchanged(self._end + len(line))  # it may have been replaced meanwhile
        self._end += len(line)

    def _check_unchanged(self, size: int) -> None:
        """Refuse to go on where the path leads to another file, or to one that others wrote into."""
        try:
            found = os.lstat(self.path)
            changed = not os.path.samestat(found, os.fstat(self._file)) or found.st_size != size
        except FileNotFoundError:
            changed = True
        if changed or self._copy is not None:  # a line may be lost even if it looks right again
            self._copy = self._copy or self._written_copy()
            raise OSError(
                f"This was not kept: {self.path} was changed by another program. All that was kept before is "
                f"in {self._copy}. End graphwell, rename that file to {self.path.name}, and start again."
            )

    def _written_copy(self) -> Path:
        """A new file with all that was kept."""
        notes = [{NOTE: note} for note in self.notes]
        undone = [*reversed(self.undone), *[UNDO] * len(self.undone)]
        lines = b"".join(map(_line, (self._head, *notes, *self.done, *undone)))
        for number in count(1):
            copy = self.path.with_name(f"{self.path.name}.{number}")
            try:
                file = os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL | BINARY, 0o666)
            except FileExistsError:
                continue
            try:
                _write(file, lines)
            finally:
                os.close(file)
            return copy
        raise AssertionError("numbers do not end")

    def _read(self) -> None:
        """Read the actions; what a kill cut short at the end is cut off."""
        with os.fdopen(os.dup(self._file), "rb") as file:
            content = file.read()
        entries: list[Any] = []
        while (end := content.find(b"\n", self._end) + 1) > 0:
            entries.append(_entry(content[self._end : end]))
            if entries[-1] is None:
                problem = "{field}: {} is damaged at byte {:,}; restore it, or move it away."
                raise OptionError("table", problem, self.path, self._end)
            self._end = end
        if not entries and not _line(self._head).startswith(content):
            raise OptionError("table", "{field}: {} is no journal of graphwell; move it away.", self.path)
        os.ftruncate(self._file, self._end)
        if not entries:
            self._append(self._head)
        elif entries[0] != json.loads(json.dumps(self._head)):
            problem = "{field}: {} belongs to another table, or to this one before it changed; move it away."
            raise OptionError("table", problem, self.path)
        for number, entry in enumerate(entries[1:], start=1):
            impossible = (entry == UNDO and not self.done) or (entry == REDO and not self.undone)
            if impossible or not isinstance(entry, dict) or not isinstance(entry.get(NOTE, {}), dict):
                raise self._nonsense(f"at its action {number:,}")
            self._take(entry)

    def replay(self, do: Callable[[Action], object]) -> None:
        """Do everything that counts, oldest first; an action that makes no sense is refused."""
        for number, action in enumerate(self.done, start=1):
            try:
                do(action)
            except MAKES_NO_SENSE as error:
                raise self._nonsense(f"at its action {number:,}") from error

    def recall(self, read: Callable[[list[dict[str, Any]]], Read]) -> Read:
        """Read all notes, oldest first; those that make no sense are refused."""
        try:
            return read(self.notes)
        except MAKES_NO_SENSE as error:
            raise self._nonsense("in its notes") from error

    def _nonsense(self, where: str) -> OptionError:
        problem = "{field}: {} makes no sense {}; restore it, or move it away."
        return OptionError("table", problem, self.path, where)


def _write(file: int, content: bytes) -> None:
    """Write all of it, down to the disc."""
    left = memoryview(content)
    while left:
        left = left[os.write(file, left) :]
    os.fsync(file)


def _line(entry: Any) -> bytes:
    """An entry as a line, behind a checksum."""
    text = json.dumps(entry, separators=(",", ":"), allow_nan=False).encode()
    return b"%08x %s\n" % (zlib.crc32(text), text)


def _entry(line: bytes) -> Any:
    """The entry of a line; None if it is not whole."""
    checksum, _, text = line.removesuffix(b"\n").partition(b" ")
    if checksum != b"%08x" % zlib.crc32(text):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # forged: a checksum is no signature
        return None
