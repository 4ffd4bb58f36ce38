"""Finding, reading and downloading MNIST."""

import gzip
import hashlib
import io
import struct

import numpy as np
import pytest

from graphwell import datasets
from graphwell.datasets.sources import SOURCES, Checksum, Source

NAMES = [
    "train-images-idx3-ubyte",
    "train-labels-idx1-ubyte",
    "t10k-images-idx3-ubyte",
    "t10k-labels-idx1-ubyte",
]


@pytest.fixture(autouse=True)
def no_other_places(tmp_path_factory, monkeypatch):
    """Neither the machine's own files nor the network are reached."""
    monkeypatch.delenv("GRAPHWELL_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))

    def unreachable(address, timeout):
        raise OSError("no network in tests")

    monkeypatch.setattr("urllib.request.urlopen", unreachable)


def idx(values):
    header = struct.pack(f">BBBB{values.ndim}I", 0, 0, 8, values.ndim, *values.shape)
    return header + values.astype(np.uint8).tobytes()


def contents(n_train=6, n_test=2):
    rng = np.random.default_rng(0)
    images = rng.integers(256, size=(n_train + n_test, 28, 28))
    labels = np.arange(n_train + n_test) % 10
    return dict(
        zip(
            NAMES,
            map(idx, (images[:n_train], labels[:n_train], images[n_train:], labels[n_train:])),
            strict=True,
        )
    ), (images.reshape(-1, 784), labels)


def store(folder, files, compressed=False):
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        if compressed:
            (folder / f"{name}.gz").write_bytes(gzip.compress(content, mtime=0))
        else:
            (folder / name).write_bytes(content)


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("subfolder", ["", "mnist"])
def test_files_are_found_plain_or_compressed_in_the_folder_or_below(tmp_path, compressed, subfolder):
    files, (images, labels) = contents()
    store(tmp_path / subfolder, files, compressed)
    X, y = datasets.load_mnist(tmp_path)
    np.testing.assert_array_equal(X, images)
    np.testing.assert_array_equal(y, labels)
    assert X.dtype == np.uint8
    assert np.issubdtype(y.dtype, np.signedinteger)
    np.testing.assert_array_equal(datasets.load_mnist(str(tmp_path))[0], X)


def test_without_a_folder_the_environment_comes_before_the_cache(tmp_path, monkeypatch):
    files, (_, labels) = contents()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    store(tmp_path / "cache" / "graphwell" / "mnist", files)
    np.testing.assert_array_equal(datasets.load_mnist()[1], labels)
    fewer, (_, other) = contents(3, 1)
    store(tmp_path / "named", fewer, compressed=True)
    monkeypatch.setenv("GRAPHWELL_DATA", str(tmp_path / "named"))
    np.testing.assert_array_equal(datasets.load_mnist()[1], other)


def test_what_is_nowhere_is_fetched_once_and_kept(tmp_path, monkeypatch):
    files, (images, labels) = contents(60, 10)
    packed = {f"{name}.gz": gzip.compress(content, mtime=0) for name, content in files.items()}
    sums = {
        name: Checksum("sha256", hashlib.sha256(files[name.removesuffix(".gz")]).hexdigest(), unpacked=True)
        for name in packed
    }
    asked = []

    def urlopen(address, timeout):
        asked.append(address)
        return io.BytesIO(packed[address.rsplit("/", 1)[1]])

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setitem(SOURCES, "mnist", Source("https://example.org/", 10**6, sums))
    monkeypatch.setattr("urllib.request.urlopen", urlopen)
    for _ in range(2):
        X, y = datasets.load_mnist()
        np.testing.assert_array_equal(X, images)
        np.testing.assert_array_equal(y, labels)
        assert X.dtype == np.uint8
    assert asked == [f"https://example.org/{name}" for name in packed]
    assert {path.name for path in (tmp_path / "graphwell" / "mnist").iterdir()} == set(packed)


def test_a_failed_download_says_where_to_put_the_files():
    with pytest.raises(OSError, match=r"downloaded \(no network in tests\); put the file into a folder"):
        datasets.load_mnist()


def test_a_folder_without_the_files_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"holds no MNIST files, nor does its subfolder mnist"):
        datasets.load_mnist(tmp_path)


@pytest.mark.parametrize("missing", NAMES)
def test_a_missing_file_is_named(tmp_path, missing):
    files, _ = contents()
    del files[missing]
    store(tmp_path, files)
    with pytest.raises(FileNotFoundError, match=f"neither {missing} nor {missing}.gz"):
        datasets.load_mnist(tmp_path)


def cut(content):
    return content[:-5]


def flip(content):
    return content[:30] + bytes([content[30] ^ 255]) + content[31:]


@pytest.mark.parametrize(
    ("name", "damage", "sentence"),
    [
        (NAMES[0], lambda c: c[:-1], "truncated or corrupt: it announces 4,704 values and holds 4,703"),
        (NAMES[0], lambda c: c + b"x", "it announces 4,704 values and holds 4,705"),
        (NAMES[1], lambda c: c[:6], "not an IDX file with 1 axes"),
        (NAMES[1], lambda c: b"", "not an IDX file"),
        (NAMES[2], lambda c: b"<html>not found</html>", "not an IDX file with 3 axes"),
        (f"{NAMES[0]}.gz", lambda c: cut(gzip.compress(c, mtime=0)), "truncated or corrupt"),
        (f"{NAMES[0]}.gz", lambda c: flip(gzip.compress(c, mtime=0)), "truncated or corrupt"),
        (f"{NAMES[3]}.gz", lambda c: c, "truncated or corrupt"),
        (NAMES[1], lambda c: idx(np.arange(5)), "the train files do not fit together"),
        (NAMES[2], lambda c: idx(np.zeros((2, 5, 5))), "the t10k files do not fit together"),
    ],
)
def test_a_damaged_file_gets_one_sentence(tmp_path, name, damage, sentence):
    files, _ = contents()
    original = files.pop(name.removesuffix(".gz"))
    store(tmp_path, files)
    (tmp_path / name).write_bytes(damage(original))
    with pytest.raises(ValueError, match=sentence) as caught:
        datasets.load_mnist(tmp_path)
    assert "\n" not in str(caught.value)
    assert name.split("-")[0] in str(caught.value)


def test_the_real_files(shared_data):
    X, y = datasets.load_mnist(shared_data)
    assert X.shape == (70_000, 784)
    assert X.dtype == np.uint8
    assert y[:5].tolist() == [5, 0, 4, 1, 9]
    assert y[60_000:60_005].tolist() == [7, 2, 1, 0, 4]
    assert np.bincount(y).tolist() == [6903, 7877, 6990, 7141, 6824, 6313, 6876, 7293, 6825, 6958]
