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
SOURCES = "graphwell.datasets.fetched.SOURCES"


@pytest.fixture(autouse=True)
def server(tmp_path, monkeypatch):
    """The files of a server, by name; no other place of this machine or the network is reached."""
    files, asked = {}, []

    def urlopen(address, timeout):
        asked.append(address)
        name = address.removeprefix("https://example.org/")
        if name not in files:
            raise URLError("no network")
        return io.BytesIO(files[name])

    monkeypatch.setattr("graphwell.datasets.fetched.urlopen", urlopen)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("GRAPHWELL_DATA", raising=False)
    return files, asked


@pytest.fixture
def toy(server, monkeypatch):
    """A data set of two files that the server has."""
    files, asked = server
    files.update({f"{name}.gz": gzip.compress(name.encode(), mtime=0) for name in ("one", "two")})
    sums = {
        "one.gz": f"sha256:{hashlib.sha256(b'one').hexdigest()}",
        "two.gz": f"md5:{hashlib.md5(files['two.gz'], usedforsecurity=False).hexdigest()}",
    }
    monkeypatch.setattr(SOURCES, {"toy": ("https://example.org/", sums)})
    return files, asked


def test_files_are_downloaded_once_and_kept(toy, tmp_path):
    files, asked = toy
    folder = datasets.fetch("toy")
    assert folder == tmp_path / "cache" / "graphwell" / "toy"
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == files
    assert datasets.fetch("toy") == folder
    assert asked == ["https://example.org/one.gz", "https://example.org/two.gz"]
    (folder / "one.gz").write_bytes(gzip.compress(b"one", compresslevel=1))  # packed by someone else
    assert datasets.fetch("toy") == folder
    (folder / "one.gz").write_bytes(gzip.compress(b"other"))
    with pytest.raises(ValueError, match=r"one\.gz is not the file that it should be"):
        datasets.fetch("toy")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("one.gz", gzip.compress(b"other", mtime=0), "is not the file that it should be: its sha256 is"),
        ("one.gz", gzip.compress(b"one", mtime=0)[:-5], "is truncated or corrupt"),
        ("two.gz", gzip.compress(b"<html>", mtime=0), "its md5 is"),
    ],
)
def test_other_bytes_are_refused_and_not_kept(toy, tmp_path, name, content, words):
    toy[0][name] = content
    for _ in range(2):  # the half that was sound is not taken for the whole
        with pytest.raises(ValueError, match=words):
            datasets.fetch("toy")
        assert not any((tmp_path / "cache" / "graphwell" / "toy").iterdir())


def test_without_a_network_and_of_another_name_there_is_a_sentence():
    with pytest.raises(OSError, match=r"could not be downloaded .*no network.*put the file into a folder"):
        datasets.load_mnist()
    with pytest.raises(ValueError, match="There is no data set 'moon'; there are mnist, fashion-mnist"):
        datasets.fetch("moon")


def idx(values):
    header = struct.pack(f">BBBB{values.ndim}I", 0, 0, 8, values.ndim, *values.shape)
    return header + values.astype(np.uint8).tobytes()


@pytest.fixture
def small_mnist(monkeypatch):
    """The four files of eight images, and what they hold."""
    images = np.random.default_rng(0).integers(256, size=(8, 28, 28))
    labels = np.arange(8)
    files = dict(zip(NAMES, map(idx, (images[:6], labels[:6], images[6:], labels[6:])), strict=True))
    sums = {f"{name}.gz": f"sha256:{hashlib.sha256(content).hexdigest()}" for name, content in files.items()}
    monkeypatch.setattr(SOURCES, {"mnist": ("https://example.org/", sums)})
    return files, images.reshape(-1, 784), labels


def store(folder, files, *, compressed=False):
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / f"{name}{'.gz' * compressed}").write_bytes(
            gzip.compress(content, mtime=0) if compressed else content
        )


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("subfolder", ["", "mnist"])
def test_mnist_is_found_plain_or_compressed_in_the_folder_or_below(
    small_mnist, tmp_path, compressed, subfolder
):
    files, images, labels = small_mnist
    store(tmp_path / subfolder, files, compressed=compressed)
    X, y = datasets.load_mnist(tmp_path)
    np.testing.assert_array_equal(X, images)
    np.testing.assert_array_equal(y, labels)
    assert X.dtype == np.uint8
    assert np.issubdtype(y.dtype, np.signedinteger)
    np.testing.assert_array_equal(datasets.load_mnist(str(tmp_path))[0], X)


def test_mnist_is_looked_for_in_the_environment_then_in_the_cache_then_fetched(
    small_mnist, tmp_path, monkeypatch, server
):
    files, images, labels = small_mnist
    served, asked = server
    served.update({f"{name}.gz": gzip.compress(content, mtime=0) for name, content in files.items()})
    for _ in range(2):
        np.testing.assert_array_equal(datasets.load_mnist()[0], images)
    assert len(asked) == 4
    assert {path.name for path in (tmp_path / "cache" / "graphwell" / "mnist").iterdir()} == set(served)
    store(tmp_path / "named", files)
    monkeypatch.setenv("GRAPHWELL_DATA", str(tmp_path / "named"))
    (tmp_path / "cache" / "graphwell" / "mnist" / f"{IMAGES}.gz").unlink()
    np.testing.assert_array_equal(datasets.load_mnist()[1], labels)


def test_missing_files_are_named(small_mnist, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"holds no MNIST files, nor does its subfolder mnist"):
        datasets.load_mnist(tmp_path)
    store(tmp_path, small_mnist[0])
    (tmp_path / IMAGES).unlink()
    with pytest.raises(FileNotFoundError, match=f"neither {IMAGES} nor {IMAGES}.gz"):
        datasets.load_mnist(tmp_path)


@pytest.mark.parametrize("damage", [lambda c: c[:-1], lambda c: b"", lambda c: b"<html>not found</html>"])
@pytest.mark.parametrize("name", [IMAGES, f"{LABELS}.gz"])
def test_a_damaged_file_gets_one_sentence(small_mnist, tmp_path, name, damage):
    files = dict(small_mnist[0])
    content = files.pop(name.removesuffix(".gz"))
    store(tmp_path, files)
    (tmp_path / name).write_bytes(damage(gzip.compress(content) if name.endswith(".gz") else content))
    with pytest.raises(ValueError, match=rf"{name} is (truncated or corrupt|not the file that it should be)"):
        datasets.load_mnist(tmp_path)


def test_the_real_files_have_our_checksums(shared_data):
    assert datasets.fetch("mnist", shared_data) == shared_data / "mnist"
    X, y = datasets.load_mnist(shared_data)
    assert X.shape == (70_000, 784)
    assert y[:5].tolist() == [5, 0, 4, 1, 9]
    assert y[60_000:60_005].tolist() == [7, 2, 1, 0, 4]
    assert np.bincount(y).tolist() == [6903, 7877, 6990, 7141, 6824, 6313, 6876, 7293, 6825, 6958]
