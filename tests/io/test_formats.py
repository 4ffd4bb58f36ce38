"""Formats are found by themselves, or registered."""

from pathlib import Path

import pytest

from graphwell.errors import OptionError
from graphwell.io.formats import FileFormat, Formats, either


@pytest.fixture
def formats():
    return Formats("graphwell.io.tables")


def test_the_files_of_a_folder_are_found(formats):
    assert list(formats.by_name()) == [
        "CSV, TSV", "Parquet", ".npy", ".npz", "JSON lines", "Excel", "AnnData", "compressed CSV, TSV",
        "AnnData in Zarr",
    ]  # fmt: skip
    assert formats.suffixes()[:8] == (".csv", ".tsv", ".tab", ".txt", ".parquet", ".pq", ".npy", ".npz")
    assert formats.suffixes()[-3:] == (".csv.xz", ".tsv.xz", ".zarr")


def test_a_format_from_outside_comes_last_and_can_be_forgotten(formats):
    formats.register(FileFormat(name="toy", suffixes=(".toy", ".csv")))
    assert list(formats.by_name())[-1] == "toy"
    assert formats.of(Path("a.toy"), "table").name == "toy"
    assert formats.of(Path("a.csv"), "table").name == "toy"
    formats.forget("toy")
    assert formats.of(Path("a.csv"), "table").name == "CSV, TSV"
    assert ".toy" not in formats.suffixes()


def test_the_sentence_lists_what_will_do(formats):
    with pytest.raises(OptionError, match=r"^output a\.toy: .* end in \.npy or \.npz\.$") as caught:
        formats.of(Path("a.toy"), "output", lambda declared: declared.name.startswith(".np"))
    assert caught.value.field == "output"


def test_what_a_format_needs_is_asked_for_at_once(formats):
    def missing():
        raise ImportError('pip install "graphwell[toys]"')

    formats.register(FileFormat(name="toy", suffixes=(".toy",), extra="toys", require=missing))
    with pytest.raises(ImportError, match="toys"):
        formats.of(Path("a.toy"), "table")


@pytest.mark.parametrize(
    ("names", "words"), [(["a"], "a"), (["a", "b"], "a or b"), (["a", "b", "c"], "a, b or c")]
)
def test_either(names, words):
    assert either(names) == words
