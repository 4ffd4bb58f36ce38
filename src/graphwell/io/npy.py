"""Reading `.npy` and `.npz` files that may hold anything."""

from pathlib import Path
from typing import Any

import numpy as np


def load_npy(path: Path) -> Any:
    """Read the array of a `.npy` file; whatever is wrong with the file becomes one sentence.

    Examples
    --------
    >>> load_npy(Path(np.__file__))
    Traceback (most recent call last):
    ValueError: ...__init__.py cannot be read as a .npy file: it is damaged, truncated or something else.
    """
    loaded = _load(path, ".npy")
    if not isinstance(loaded, np.ndarray):
        raise ValueError(f"{path} holds several arrays although its name ends in .npy; rename it to .npz.")
    return loaded


def load_npz(path: Path) -> dict[str, Any]:
    """Read the arrays of a `.npz` file by name; whatever is wrong with the file becomes one sentence.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.savez(Path(folder) / "data.npz", X=np.eye(2), y=np.array([0, 1]))
    ...     sorted(load_npz(Path(folder) / "data.npz"))
    ['X', 'y']
    """
    loaded: dict[str, Any] = _load(path, ".npz")
    if not isinstance(loaded, dict):
        raise ValueError(f"{path} holds one array although its name ends in .npz; rename it to .npy.")
    return loaded


def _load(path: Path, kind: str) -> Any:
    try:
        with path.open("rb") as file:
            loaded = np.load(file, allow_pickle=False)
            return loaded if isinstance(loaded, np.ndarray) else {name: loaded[name] for name in loaded.files}
    except (OSError, MemoryError):
        raise
    except Exception as error:  # zip, zlib, header parser and NumPy raise a dozen kinds for bad bytes
        raise ValueError(
            f"{path} cannot be read as a {kind} file: it is damaged, truncated or something else."
        ) from error
