"""The 70,000 handwritten digits of MNIST: found on this machine, or downloaded once and kept."""

import gzip
import zlib
from pathlib import Path

import numpy as np

from graphwell._types import IntArray
from graphwell.datasets.fetching import fetch, usual_folders

PARTS = ("train", "t10k")
IMAGES, LABELS = "images-idx3-ubyte", "labels-idx1-ubyte"
UNSIGNED_BYTES = 8
"""The code of the element type in an IDX file; MNIST has no other."""


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
    if data_dir is not None:
        folder = _holding_folder(Path(data_dir))
        if folder is None:
            raise FileNotFoundError(
                f"data_dir={str(data_dir)!r} holds no MNIST files, nor does its subfolder mnist; "
                f"it should hold {PARTS[0]}-{IMAGES} and the three others, plain or .gz."
            )
        return _read_folder(folder)
    for candidate in usual_folders():
        folder = _holding_folder(candidate)
        if folder is not None:
            return _read_folder(folder)
    return _read_folder(fetch("mnist"))


def _holding_folder(folder: Path) -> Path | None:
    """The folder itself or its subfolder ``mnist``, whichever holds at least one of the files."""
    names = [f"{part}-{kind}{end}" for part in PARTS for kind in (IMAGES, LABELS) for end in ("", ".gz")]
    for place in (folder, folder / "mnist"):
        if any((place / name).is_file() for name in names):
            return place
    return None


def _read_folder(folder: Path) -> tuple[IntArray, IntArray]:
    parts = [(_read_idx(folder, f"{p}-{IMAGES}", 3), _read_idx(folder, f"{p}-{LABELS}", 1)) for p in PARTS]
    for part, (images, labels) in zip(PARTS, parts, strict=True):
        if len(images) != len(labels) or images.shape[1:] != (28, 28):
            raise ValueError(
                f"{folder}: the {part} files do not fit together: images of shape {images.shape} and "
                f"{len(labels)} labels; get MNIST anew."
            )
    X = np.concatenate([images.reshape(len(images), -1) for images, _ in parts])
    return X, np.concatenate([labels for _, labels in parts]).astype(np.int64)


def _read_idx(folder: Path, name: str, n_axes: int) -> IntArray:
    """Read one IDX file: type and number of axes in four bytes, each length in four, then the values."""
    path = next((p for p in (folder / name, folder / f"{name}.gz") if p.is_file()), None)
    if path is None:
        raise FileNotFoundError(f"{folder} has some of the MNIST files but neither {name} nor {name}.gz.")
    try:
        content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(f"{path} is truncated or corrupt ({error}); get this file anew.") from error
    if len(content) < 4 + 4 * n_axes or content[:4] != bytes([0, 0, UNSIGNED_BYTES, n_axes]):
        raise ValueError(f"{path} is not an IDX file with {n_axes} axes of bytes; get this file anew.")
    shape = np.frombuffer(content, ">u4", n_axes, offset=4).astype(np.int64)
    values = np.frombuffer(content, np.uint8, offset=4 + 4 * n_axes)
    if len(values) != shape.prod():
        raise ValueError(
            f"{path} is truncated or corrupt: it announces {shape.prod():,} values and holds "
            f"{len(values):,}; get this file anew."
        )
    return values.reshape(shape)
