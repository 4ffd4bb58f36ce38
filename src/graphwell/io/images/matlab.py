"""Pictures and cubes in the files of MATLAB, `.mat`."""

import math
from pathlib import Path
from typing import Any

from graphwell._types import FloatArray
from graphwell.errors import OptionError
from graphwell.io.images.arrays import as_picture, check_shapes
from graphwell.io.images.base import ImageFormat, check_not_empty
from graphwell.memory import check_fits

BYTES_PER_NUMBER = 16
HDF5 = b"\x89HDF"


def read(path: Path, max_pixels: int) -> FloatArray:
    """Read the only array of two or three axes, or the one called `image`.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from scipy.io import savemat
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     savemat(Path(folder) / "cube.mat", {"cube": np.zeros((4, 5, 200)), "name": "field"})
    ...     read(Path(folder) / "cube.mat", 100).shape
    (4, 5, 200)
    """
    check_not_empty(path)
    shapes = {
        name: shape
        for name, shape, kind in _scipy(path, "whosmat")
        if len(shape) in (2, 3) and min(shape[:2]) > 1 and kind not in ("cell", "struct", "char", "object")
    }
    names = ["image"] if "image" in shapes else list(shapes)
    if len(names) != 1:
        problem = "{field} {} must hold one array of two or three axes, or one called image; it holds {}."
        raise OptionError("image", problem, path, ", ".join(names)[:200] or "none")
    shape = shapes[names[0]]
    check_shapes(path, [shape], max_pixels)
    check_fits(path, BYTES_PER_NUMBER * math.prod(shape))
    return as_picture(path, _scipy(path, "loadmat", variable_names=names)[names[0]])


def _scipy(path: Path, call: str, **options: Any) -> Any:
    from scipy import io

    with path.open("rb") as file:
        newest = HDF5 in file.read(1024)
    if newest:
        problem = "{field} {} is a MATLAB file of version 7.3; save it with -v7, or as .npy."
        raise OptionError("image", problem, path)
    try:
        return getattr(io, call)(path, **options)
    except (FileNotFoundError, PermissionError, MemoryError):
        raise
    except Exception as error:  # SciPy raises a dozen kinds for bad bytes
        raise ValueError(
            f"{path} cannot be read as a .mat file: it is damaged, truncated or something else."
        ) from error


FORMAT = ImageFormat(name="MATLAB", suffixes=(".mat",), read=read, rank=9)
