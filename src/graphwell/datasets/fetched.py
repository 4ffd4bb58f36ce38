"""Public data sets, found on this machine or downloaded once, and MNIST read from its files."""

import gzip
import hashlib
import os
import zlib
from pathlib import Path
from urllib.request import urlopen

import numpy as np

from graphwell._types import IntArray
from graphwell.io.files import written_together, written_whole

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
MOST_BYTES = 60_000_000  # no file is larger; of a longer answer the rest is not waited for


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
    places = _places(data_dir)
    for place in places:
        if all((place / name / file).is_file() for file in files):
            for file, checksum in files.items():
                _unpacked(place / name / file, (place / name / file).read_bytes(), checksum)
            return place / name
    folder = places[-1] / name
    folder.mkdir(parents=True, exist_ok=True)
    with written_together() as held:
        for file, checksum in files.items():
            try:
                with urlopen(address + file, timeout=SECONDS) as answer:
                    content = answer.read(MOST_BYTES)
            except OSError as error:
                raise OSError(
                    f"{address + file} could not be downloaded ({error}); "
                    "put the file into a folder of that name and give the one above as data_dir."
                ) from error
            _unpacked(Path(address + file), content, checksum)
            held.enter_context(written_whole(folder / file)).write(content)
    return folder


def _places(data_dir: str | Path | None) -> list[Path]:
    if data_dir is not None:
        return [Path(data_dir)]
    named = os.environ.get("GRAPHWELL_DATA")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "graphwell"
    return [*([Path(named)] if named else []), cache]


def _unpacked(path: Path, content: bytes, checksum: str) -> bytes:
    """The content of a packed file, or the file itself; refused if it is not the public one."""
    kind, _, digest = checksum.partition(":")
    packed = content
    try:
        content = gzip.decompress(content) if path.suffix == ".gz" else content
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(f"{path} is truncated or corrupt ({error}); remove it and get it anew.") from error
    found = hashlib.new(kind, content if kind == "sha256" else packed, usedforsecurity=False).hexdigest()
    if found != digest:
        raise ValueError(
            f"{path} is not the file that it should be: its {kind} is {found}, not {digest}; "
            "remove it and try again."
        )
    return content


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
    files = SOURCES["mnist"][1]
    folders = [folder for place in _places(data_dir) for folder in (place, place / "mnist")]
    some = [name for file in files for name in (file, file.removesuffix(".gz"))]
    folder = next((f for f in folders if any((f / name).is_file() for name in some)), None)
    if folder is None and data_dir is not None:
        raise FileNotFoundError(
            f"The folder {str(data_dir)!r} holds no MNIST files, nor does its subfolder mnist; "
            f"it should hold {some[1]} and the three others, plain or .gz."
        )
    folder = folder or fetch("mnist")
    values = []
    for file, checksum in files.items():
        plain = file.removesuffix(".gz")
        path = next((p for p in (folder / plain, folder / file) if p.is_file()), None)
        if path is None:
            raise FileNotFoundError(f"{folder} has some of the MNIST files but neither {plain} nor {file}.")
        # Type and number of axes in four bytes, each length in four, then the values.
        header = 16 if IMAGES in file else 8
        values.append(np.frombuffer(_unpacked(path, path.read_bytes(), checksum), np.uint8, offset=header))
    return np.concatenate(values[::2]).reshape(-1, 784), np.concatenate(values[1::2]).astype(np.int64)
