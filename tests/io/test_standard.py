"""`-` is standard input and output: read once, within limits, written when everything is there."""

import io
import sys
from pathlib import Path

import pytest

from graphwell.errors import OptionError
from graphwell.io.standard import STANDARD, check_standard_output, source_of, written_out
from graphwell.io.tables.base import open_table
from graphwell.memory import limited_to


class Standard:
    """Standard input or output that holds these bytes."""

    def __init__(self, content=b""):
        self.buffer = io.BytesIO(content)


@pytest.fixture
def given(monkeypatch):
    return lambda content: monkeypatch.setattr(sys, "stdin", Standard(content))


def test_standard_input_can_be_opened_again_and_again(given):
    given(b"x,label\n1,a\n")
    source = source_of(STANDARD)
    assert source.size == 12
    assert source.open().read() == source.open().read() == b"x,label\n1,a\n"
    assert str(source) == "standard input"


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "utf-16"])
def test_a_table_on_standard_input_is_read_as_a_file_is(given, encoding):
    given("größe;label\n1,5;ja\n2;\n".encode(encoding))
    table = open_table(STANDARD)
    assert (table.names, table.n_rows, table.stored.delimiter) == (("größe", "label"), 2, ";")
    assert table.path == Path("standard input")


def test_what_is_wrong_with_it_is_told_of_standard_input(given):
    given(b"a,b\n1\n")
    with pytest.raises(OptionError, match=r"^standard input, line 2: 1 cells"):
        open_table(STANDARD)
    given(b"")
    with pytest.raises(ValueError, match=r"^standard input is empty\."):
        open_table(STANDARD)


def test_an_endless_input_is_refused_once_it_is_too_large(monkeypatch):
    class Endless:
        asked = 0

        def read(self, size):
            self.asked += size
            return b"1" * size

    endless = Standard()
    endless.buffer = Endless()
    monkeypatch.setattr(sys, "stdin", endless)
    with limited_to(10**7), pytest.raises(OptionError, match="standard input needs about"):
        source_of(STANDARD)
    assert endless.buffer.asked < 10**7


def test_closed_streams_get_a_sentence(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(OptionError, match="there is no standard input"):
        source_of(STANDARD)
    with pytest.raises(OptionError, match="there is no standard output"):
        check_standard_output("output")


def test_output_is_held_back_until_it_is_whole(monkeypatch):
    monkeypatch.setattr(sys, "stdout", Standard())
    with written_out(STANDARD) as file:
        file.write(b"label\n")
        assert sys.stdout.buffer.getvalue() == b""
    assert sys.stdout.buffer.getvalue() == b"label\n"


def test_nothing_is_written_after_an_error(monkeypatch):
    monkeypatch.setattr(sys, "stdout", Standard())
    with pytest.raises(ZeroDivisionError), written_out(STANDARD) as file:
        file.write(b"half" * (1 // 0))
    assert sys.stdout.buffer.getvalue() == b""
