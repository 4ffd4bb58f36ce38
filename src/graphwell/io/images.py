"""Pictures, volumes and marks in files: which format a name asks for, and reading and writing by it."""

import gzip
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import IO, Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.errors import OptionError
from graphwell.io import drawings, pictures, volumes
from graphwell.io.arrays import require_zarr
from graphwell.io.drawings import Colors, Marks, check_size, marked_classes, numbered
from graphwell.io.files import check_input, either, endings
from graphwell.io.painted import Painting, check_background, read_painted
from graphwell.io.pictures import Placement

MAX_PIXELS = 100_000_000
TIFF, NIFTI = (".tif", ".tiff"), (".nii", ".nii.gz")
Read = Callable[[Path, int], Any]  # path and most pixels, which are checked before memory is asked for

# Pictures of shape (height, width[, channels]), or volumes (height, width, depth, channels), masked where a
# point has no value.
IMAGES: dict[str, Read] = {
    **dict.fromkeys((".png", ".jpg", ".jpeg"), pictures.read_picture),
    **dict.fromkeys(TIFF, pictures.read_tiff),
    **dict.fromkeys((".npy", ".npz"), volumes.read_array),
    **dict.fromkeys(NIFTI, volumes.read_nifti),
    ".zarr": volumes.read_zarr,
}
PLACEMENTS: dict[str, Callable[[Path], Placement | None]] = {
    **dict.fromkeys(TIFF, pictures.read_tiff_placement),
    **dict.fromkeys(NIFTI, volumes.read_nifti_placement),
    ".zarr": volumes.read_zarr_placement,
}
# Marks are painted colours, or shapes and lists of pixels, or the classes of a picture or volume as numbers.
PAINTED = (".png", ".jpg", ".jpeg", *TIFF)
DRAWN: dict[str, Callable[[Path, tuple[int, int], str | None], Marks]] = {
    **dict.fromkeys((".txt", ".csv"), drawings.read_list),
    ".json": drawings.read_drawing,
}
NUMBERS: dict[str, Read] = {
    **dict.fromkeys((".npy", ".npz"), volumes.read_array_classes),
    **dict.fromkeys(NIFTI, volumes.read_nifti_classes),
    **dict.fromkeys(TIFF, pictures.read_tiff_classes),
    ".zarr": volumes.read_zarr_classes,
}
EXACT = (".png", *TIFF)  # colours come back as they were written; labels need that
OF_NUMBERS = (".npy", *NIFTI)  # what labels and scores are written to as numbers
REQUIRED = {**dict.fromkeys(NIFTI, volumes.require_nibabel), ".zarr": require_zarr}
TAKEN = {  # by options that have a file; labels and scores take what is exact
    "image": tuple(IMAGES),
    "seeds": tuple(dict.fromkeys((*PAINTED, ".npy", ".npz", *DRAWN, *NUMBERS))),
    "overlay": PAINTED,
    "sheet": PAINTED,
}


def suffix_for(path: Path, field: str) -> str:
    """The end of a name that says which format the file of an option has."""
    known = TAKEN.get(field, EXACT + OF_NUMBERS)
    for suffix in endings(path) & set(known):
        REQUIRED.get(suffix, lambda: None)()
        return suffix
    raise OptionError(field, "{field} {}: the name must end in {}.", path, either(known))


def read_image(path: Path, max_pixels: int = MAX_PIXELS, *, volumes: bool = False) -> FloatArray:
    """Read a picture of shape (height, width[, channels]); a larger one is refused before it is decoded.

    Where `volumes` are allowed, it may also have the shape (height, width, depth, channels).
    """
    suffix = suffix_for(path, "image")
    check_input(path, "image", folder=suffix == ".zarr")
    found: FloatArray = IMAGES[suffix](path, max_pixels)
    if found.ndim == 4 and not volumes:
        problem = "{field} {} holds {} pictures; save the one you want in a file of its own."
        raise OptionError("image", problem, path, found.shape[2])
    return found


def read_placement(path: Path) -> Placement | None:
    """Where the points of an image lie; None where its file does not tell."""
    read = PLACEMENTS.get(suffix_for(path, "image"))
    return None if read is None else read(path)


def read_seeds(
    path: Path,
    shape: tuple[int, ...],
    painting: Painting = Painting(),  # noqa: B008 (frozen)
    *,
    picture: FloatArray | None = None,
    name: str | None = None,
    max_pixels: int = MAX_PIXELS,
) -> Marks:
    """Read the seeds of a picture or volume, of the size `shape`.

    Seeds of three axes, as large as the whole `picture`, say that it is a volume. Marks may be painted over
    a copy of the picture. `name` is that of its file, where a drawing holds the shapes of several.
    """
    check_background(painting.background)
    suffix = suffix_for(path, "seeds")
    check_input(path, "seeds", folder=suffix == ".zarr")
    if len(shape) == 3 and suffix not in NUMBERS:
        problem = "{field} {} cannot mark a volume; save integers of the shape {}, -1 for unknown, as .npy."
        raise OptionError("seeds", problem, path, tuple(shape))
    if len(shape) == 2 and suffix in PAINTED:
        pixels = pictures.read_colors(path, max_pixels)
        check_size(path, pixels.shape[:2], shape)
        return read_painted(path, pixels, painting, picture, exact=suffix in EXACT)
    if suffix in DRAWN:
        marks = DRAWN[suffix](path, (shape[0], shape[1]), name)
        marked_classes(path, marks.classes)
        return marks
    classes: IntArray = NUMBERS[suffix](path, max_pixels)
    is_volume = picture is not None and classes.ndim == picture.ndim == 3  # its last axis is no channels
    return numbered(path, classes, picture.shape if is_volume and picture is not None else tuple(shape))


def write_image(pixels: Any, path: Path, file: IO[bytes]) -> None:
    """Write 8-bit colours or 16-bit grey into an open file, in the format that `path` names."""
    pictures.write_colors(pixels, suffix_for(path, "overlay"), file)


def writes_numbers(path: Path, placement: Placement | None = None) -> bool:
    """Whether the name asks for a file of numbers rather than a picture."""
    suffix = suffix_for(path, "output")
    return suffix in OF_NUMBERS or (placement is not None and suffix in placement.suffixes)


def write_values(
    values: Any,
    draw: Callable[[Any], Any],
    colors: Colors,
    placement: Placement | None,
    path: Path,
    file: IO[bytes],
) -> None:
    """Write classes or real numbers into an open file, in the format that `path` names.

    Numbers lie where the image lies, if the format can say so; a format of colours has what `draw` makes.
    """
    suffix = suffix_for(path, "output")
    kept = placement.kept if placement is not None and suffix in placement.suffixes else None
    packed: Any = nullcontext(file)
    if suffix == ".nii.gz":  # without the time of day: equal labels are equal files
        packed = gzip.GzipFile(fileobj=file, mode="wb", mtime=0)
    with packed as opened:
        if suffix in NIFTI:
            volumes.write_nifti(values, np.eye(4) if kept is None else kept, opened)
        elif suffix == ".npy":
            np.save(opened, values)
        elif kept is not None:
            pictures.write_tiff(values, colors, kept, opened)
        else:
            write_image(draw(values), path, file)
