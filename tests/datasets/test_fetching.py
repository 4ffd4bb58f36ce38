"""Data sets fetched from a server of our own."""

import gzip
import hashlib
import io
from urllib.error import URLError

import pytest

from graphwell.datasets import fetch
from graphwell.datasets.sources import SOURCES, Checksum, Source

FILES = {"one.gz": gzip.compress(b"one", mtime=0), "two.gz": gzip.compress(b"two", mtime=0)}
SUMS = {
    "one.gz": Checksum("sha256", hashlib.sha256(b"one").hexdigest(), unpacked=True),
    "two.gz": Checksum("md5", hashlib.md5(FILES["two.gz"], usedforsecurity=False).hexdigest()),
}


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """A data set called toy on a server that notes what it is asked for; the cache is empty."""
    addresses = []

    def urlopen(address, timeout):
        addresses.append(address)
        return io.BytesIO(FILES[address.rsplit("/", 1)[1]])

    monkeypatch.setitem(SOURCES, "toy", Source("https://example.org/", 1000, SUMS))
    monkeypatch.setattr("urllib.request.urlopen", urlopen)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("GRAPHWELL_DATA", raising=False)
    return addresses


def test_files_are_downloaded_once_and_kept(asked, tmp_path):
    folder = fetch("toy")
    assert folder == tmp_path / "cache" / "graphwell" / "toy"
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == FILES
    assert fetch("toy") == folder
    assert asked == ["https://example.org/one.gz", "https://example.org/two.gz"]


def test_files_that_are_there_are_used_wherever_they_lie(asked, tmp_path, monkeypatch):
    for place in ("data", "named"):
        (tmp_path / place / "toy").mkdir(parents=True)
        for name, content in FILES.items():
            (tmp_path / place / "toy" / name).write_bytes(content)
    monkeypatch.setenv("GRAPHWELL_DATA", str(tmp_path / "data"))
    assert fetch("toy") == tmp_path / "data" / "toy"
    assert fetch("toy", tmp_path / "named") == tmp_path / "named" / "toy"
    assert asked == []


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("one.gz", gzip.compress(b"other", mtime=0), "is not the file that it should be: its sha256 is"),
        ("one.gz", FILES["one.gz"][:-5], "is truncated or corrupt"),
        ("two.gz", b"<html>", "its md5 is"),
    ],
)
def test_other_bytes_are_refused_and_not_kept(asked, tmp_path, monkeypatch, name, content, words):
    monkeypatch.setitem(FILES, name, content)
    with pytest.raises(ValueError, match=words):
        fetch("toy")
    assert not any((tmp_path / "cache" / "graphwell" / "toy").iterdir())
    with pytest.raises(ValueError, match=words):
        fetch("toy")  # the half that was sound is not taken for the whole


def test_a_folder_that_cannot_be_made_is_named_before_anything_is_downloaded(asked, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match=r"toy cannot be made \(Not a directory\); fetch the data into another"):
        fetch("toy", tmp_path / "file")
    assert asked == []


def test_a_server_that_does_not_stop_is_stopped(asked, monkeypatch):
    monkeypatch.setitem(FILES, "one.gz", bytes(2000))
    with pytest.raises(ValueError, match="sends more than the 1,000 bytes"):
        fetch("toy")


def test_without_a_network_one_sentence_says_what_to_do(asked, monkeypatch):
    def unreachable(address, timeout):
        raise URLError("no network")

    monkeypatch.setattr("urllib.request.urlopen", unreachable)
    with pytest.raises(OSError, match=r"one.gz could not be downloaded .*no network.*data_dir") as caught:
        fetch("toy")
    assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match="There is no data set 'moon'; there are mnist, fashion-mnist, toy"):
        fetch("moon")
