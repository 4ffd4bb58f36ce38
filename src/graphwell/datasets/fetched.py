"""Public data sets, found on this machine or downloaded once, and MNIST read from its files."""

import gzip
import hashlib
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import numpy as np

from graphwell._types import IntArray
from graphwell.io.files import written_together, written_whole

PARTS = ("train", "t10k")
IMAGES, LABELS = "images-idx3-ubyte", "labels-idx1-ubyte"
# Address, and the checksum of each file: sha256 of what is packed in it, which does not depend on who packed
# it; md5, as others publish it, of the file itself.
SOURCES = {
    "mnist": (
        "https://storage.googleapis.com/cvdf-datasets/mnist/",
        {
            f"train-{IMAGES}.gz": "sha256:ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
            f"train-{LABELS}.gz": "sha256:65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
            f"t10k-{IMAGES}.gz": "sha256:0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
            f"t10k-{LABELS}.gz": "sha256:ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
        },
    ),
    "fashion-mnist": (
        "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion/",
        {
            f"train-{IMAGES}.gz": "md5:8d4fb7e6c68d591d4c3dfef9ec88bf0d",
            f"train-{LABELS}.gz": "md5:25c81989df183df01b3e8a0aad5dffbe",
            f"t10k-{IMAGES}.gz": "md5:bef4ecab320f06d8554ea6380940ec79",
            f"t10k-{LABELS}.gz": "md5:bb300cfdad3c16e7a12a480ee83cd310",
        },
    ),
}
SECONDS = 60  # that a server may stay silent
MOST_BYTES = 60_000_000  # no file is larger


def fetch(name: str, data_dir: str | Path | None = None) -> Path:
    """Return the folder of a public data set, which is downloaded if one of its files is missing.

    Files appear all together, once all of them are known to be sound. Nothing else in graphwell downloads
    anything; `load_mnist` calls this where it finds no files.

    Parameters
    ----------
    name : {"mnist", "fashion-mnist"}
    data_dir : str or Path, optional
        Folder that holds the folder of the data set, or gets it. By default those that have all files among
        ``GRAPHWELL_DATA`` and the user's cache, else the cache.

    Returns
    -------
    Path
        `load_mnist` reads both.

    Examples
    --------
    >>> X, y = load_mnist(fetch("fashion-mnist"))  # doctest: +SKIP
    """
    if name not in SOURCES:
        raise ValueError(f"There is no data set {name!r}; there are {', '.join(SOURCES)}.")
    address, files = SOURCES[name]
    places = list(_usual_folders()) if data_dir is None else [Path(data_dir)]
    for place in places:
        folder = place / name
        if all((folder / file).is_file() for file in files):
            for file, checksum in files.items():
                _check_bytes(folder / file, (folder / file).read_bytes(), checksum)
            return folder
    folder = places[-1] / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OSError(
            f"{folder} cannot be made ({error.strerror}); fetch the data into another folder, as data_dir."
        ) from error
    with written_together() as held:
        for file, checksum in files.items():
            try:
                with urlopen(address + file, timeout=SECONDS) as answer:
                    content = answer.read(MOST_BYTES + 1)
            except OSError as error:
                raise OSError(
                    f"{address + file} could not be downloaded ({error}); "
                    "put the file into a folder of that name and give the one above as data_dir."
                ) from error
            if len(content) > MOST_BYTES:
                raise ValueError(f"{address + file} sends more than the {MOST_BYTES:,} bytes it may have.")
            _check_bytes(Path(address + file), content, checksum)
            held.enter_context(written_whole(folder / file)).write(content)
    return folder


def _usual_folders() -> Iterator[Path]:
    if os.environ.get("GRAPHWELL_DATA"):
        yield Path(os.environ["GRAPHWELL_DATA"])
    yield Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "graphwell"


def _check_bytes(path: Path, content: bytes, checksum: str) -> None:
    """Refuse bytes that are not those of the public file."""
    kind, _, digest = checksum.partition(":")
    content = _unpacked(path, content) if kind == "sha256" else content
    found = hashlib.new(kind, content, usedforsecurity=False).hexdigest()
    if found != digest:
        raise ValueError(
            f"{path} is not the file that it should be: its {kind} is {found}, not {digest}; "
            "remove it and try again."
        )


def _unpacked(path: Path, content: bytes) -> bytes:
    try:
        return gzip.decompress(content)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(f"{path} is truncated or corrupt ({error}); remove it and get it anew.") from error


def load_mnist(data_dir: str | Path | None = None) -> tuple[IntArray, IntArray]:
    """Return the images and labels of MNIST, the 60,000 training images first.

    The four IDX files, plain or gzipped, are looked for in `data_dir` or its subfolder ``mnist``. Without
    `data_dir`, they are looked for in the same way in the folder named by the environment variable
    ``GRAPHWELL_DATA`` and in the user's cache; if they are in neither, `fetch` downloads them to the cache.

    Parameters
    ----------
    data_dir : str or Path, optional
        Folder with the files.

    Returns
    -------
    X : array of shape (70000, 784), uint8
        One image of 28 x 28 pixels per row.
    y : array of shape (70000,)
        The digit each image shows.

    Examples
    --------
    >>> X, y = load_mnist("data")  # doctest: +SKIP
    >>> X.shape, y[:3]  # doctest: +SKIP
    ((70000, 784), array([5, 0, 4]))
    """
    names = [f"{part}-{kind}{end}" for part in PARTS for kind in (IMAGES, LABELS) for end in ("", ".gz")]
    places = list(_usual_folders()) if data_dir is None else [Path(data_dir)]
    folders = [folder for place in places for folder in (place, place / "mnist")]
    folder = next((f for f in folders if any((f / name).is_file() for name in names)), None)
    if folder is None and data_dir is not None:
        raise FileNotFoundError(
            f"data_dir={str(data_dir)!r} holds no MNIST files, nor does its subfolder mnist; "
            f"it should hold {PARTS[0]}-{IMAGES} and the three others, plain or .gz."
        )
    folder = folder or fetch("mnist")
    images, labels = [], []
    for part in PARTS:
        images.append(_read_idx(folder, f"{part}-{IMAGES}", 3))
        labels.append(_read_idx(folder, f"{part}-{LABELS}", 1))
        if len(images[-1]) != len(labels[-1]) or images[-1].shape[1:] != (28, 28):
            raise ValueError(
                f"{folder}: the {part} files do not fit together: images of shape {images[-1].shape} and "
                f"{len(labels[-1])} labels; get MNIST anew."
            )
    return np.concatenate(images).reshape(-1, 784), np.concatenate(labels).astype(np.int64)


def _read_idx(folder: Path, name: str, n_axes: int) -> IntArray:
    """Read one IDX file: type and number of axes in four bytes, each length in four, then the values."""
    path = next((p for p in (folder / name, folder / f"{name}.gz") if p.is_file()), None)
    if path is None:
        raise FileNotFoundError(f"{folder} has some of the MNIST files but neither {name} nor {name}.gz.")
    content = path.read_bytes()
    content = _unpacked(path, content) if path.suffix == ".gz" else content
    if len(content) < 4 + 4 * n_axes or content[:4] != bytes([0, 0, 8, n_axes]):  # 8: unsigned bytes
        raise ValueError(f"{path} is not an IDX file with {n_axes} axes of bytes; get this file anew.")
    shape = np.frombuffer(content, ">u4", n_axes, offset=4).astype(np.int64)
    values = np.frombuffer(content, np.uint8, offset=4 + 4 * n_axes)
    if len(values) != shape.prod():
        raise ValueError(
            f"{path} is truncated or corrupt: it announces {shape.prod():,} values and holds "
            f"{len(values):,}; get this file anew."
        )
    return values.reshape(shape)
