"""Public data sets: found, read, and fetched from a server of our own."""

import gzip
import hashlib
import io
import struct
from urllib.error import URLError

import numpy as np
import pytest

from graphwell import datasets

IMAGES, LABELS, *_ = NAMES = [
    f"{part}-{kind}-ubyte" for part in ("train", "t10k") for kind in ("images-idx3", "labels-idx1")
]
PIXELS = np.random.default_rng(0).integers(256, size=(8, 28, 28))
DIGITS = np.arange(8)


def idx(values):
    header = struct.pack(f">BBBB{values.ndim}I", 0, 0, 8, values.ndim, *values.shape)
    return header + values.astype(np.uint8).tobytes()


FILES = dict(zip(NAMES, map(idx, (PIXELS[:6], DIGITS[:6], PIXELS[6:], DIGITS[6:])), strict=True))


@pytest.fixture(autouse=True)
def server(tmp_path, monkeypatch):
    """Files of a server by name, and what was asked of it; there is no other place to find any."""
    files, asked = {}, []

    def urlopen(address, timeout):
        asked.append(address)
        name = address.removeprefix("https://example.org/")
        if name not in files:
            raise URLError("no network")
        return io.BytesIO(files[name])

    one, two = (gzip.compress(name.encode(), mtime=0) for name in ("one", "two"))
    toy = {
        "one.gz": f"sha256:{hashlib.sha256(b'one').hexdigest()}",
        "two.gz": f"md5:{hashlib.md5(two, usedforsecurity=False).hexdigest()}",
    }
    mnist = {f"{name}.gz": f"sha256:{hashlib.sha256(content).hexdigest()}" for name, content in FILES.items()}
    sources = {"toy": ("https://example.org/", toy), "mnist": ("https://example.org/", mnist)}
    monkeypatch.setattr("graphwell.datasets.fetched.SOURCES", sources)
    monkeypatch.setattr("graphwell.datasets.fetched.urlopen", urlopen)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("GRAPHWELL_DATA", raising=False)
    files.update({"one.gz": one, "two.gz": two})
    return files, asked


def test_files_are_downloaded_once_and_kept(server, tmp_path):
    files, asked = server
    folder = datasets.fetch("toy")
    assert folder == tmp_path / "cache" / "graphwell" / "toy"
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == files
    (folder / "one.gz").write_bytes(gzip.compress(b"one", compresslevel=1))  # packed by someone else
    assert datasets.fetch("toy") == folder
    assert asked == ["https://example.org/one.gz", "https://example.org/two.gz"]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("one.gz", gzip.compress(b"other", mtime=0), "is not the file that it should be: its sha256 is"),
        ("one.gz", gzip.compress(b"one", mtime=0)[:-5], "is truncated or corrupt"),
        ("two.gz", gzip.compress(b"<html>", mtime=0), "its md5 is"),
    ],
)
def test_other_bytes_are_refused_and_not_kept(server, tmp_path, name, content, words):
    server[0][name] = content
    for _ in range(2):  # the half that was sound is not taken for the whole
        with pytest.raises(ValueError, match=words):
            datasets.fetch("toy")
        assert not any((tmp_path / "cache" / "graphwell" / "toy").iterdir())


def test_without_a_network_and_of_another_name_there_is_a_sentence():
    with pytest.raises(OSError, match=r"could not be downloaded .*no network.*put the file into a folder"):
        datasets.load_mnist()
    with pytest.raises(ValueError, match="There is no data set 'moon'; there are toy, mnist"):
        datasets.fetch("moon")


def store(folder, files=FILES, *, compressed=False):
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        packed = gzip.compress(content, mtime=0) if compressed else content
        (folder / f"{name}{'.gz' * compressed}").write_bytes(packed)


@pytest.mark.parametrize(("compressed", "subfolder"), [(False, ""), (True, "mnist")])
def test_mnist_is_found_plain_or_compressed_in_the_folder_or_below(tmp_path, compressed, subfolder):
    store(tmp_path / subfolder, compressed=compressed)
    X, y = datasets.load_mnist(str(tmp_path))
    np.testing.assert_array_equal(X, PIXELS.reshape(-1, 784))
    np.testing.assert_array_equal(y, DIGITS)
    assert X.dtype == np.uint8
    assert np.issubdtype(y.dtype, np.signedinteger)


def test_mnist_is_looked_for_in_the_environment_then_in_the_cache_then_fetched(tmp_path, monkeypatch, server):
    files, asked = server
    files.update({f"{name}.gz": gzip.compress(content, mtime=0) for name, content in FILES.items()})
    for _ in range(2):
        np.testing.assert_array_equal(datasets.load_mnist()[1], DIGITS)
    assert len(asked) == 4
    store(tmp_path / "named")
    monkeypatch.setenv("GRAPHWELL_DATA", str(tmp_path / "named"))
    (tmp_path / "cache" / "graphwell" / "mnist" / f"{IMAGES}.gz").unlink()
    np.testing.assert_array_equal(datasets.load_mnist()[1], DIGITS)


def test_missing_and_damaged_files_get_one_sentence(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"holds no MNIST files, nor does its subfolder mnist"):
        datasets.load_mnist(tmp_path)
    store(tmp_path)
    for damaged in (FILES[LABELS][:-1], b"", b"<html>not found</html>"):
        (tmp_path / LABELS).write_bytes(damaged)
        with pytest.raises(ValueError, match=f"{LABELS} is not the file that it should be"):
            datasets.load_mnist(tmp_path)
    (tmp_path / LABELS).unlink()
    with pytest.raises(FileNotFoundError, match=f"neither {LABELS} nor {LABELS}.gz"):
        datasets.load_mnist(tmp_path)


def test_the_real_files_have_our_checksums(shared_data, monkeypatch):
    monkeypatch.undo()
    assert datasets.fetch("mnist", shared_data) == shared_data / "mnist"
    X, y = datasets.load_mnist(shared_data)
    assert X.shape == (70_000, 784)
    assert y[[0, 1, 2, 60_000, 60_001, 60_002]].tolist() == [5, 0, 4, 7, 2, 1]
