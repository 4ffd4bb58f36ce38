"""Pictures, volumes and marks in files: which format a name asks for, and reading and writing by it.

Arrays (`.npy`, `.npz`, folders of Zarr) and NIfTI are read here, pictures and marks in chapters of their own.
Only this module imports nibabel.
"""

import gzip
import math
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import IO, Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.errors import OptionError
from graphwell.io import drawings, pictures
from graphwell.io.arrays import load_npy, load_npz, opened_zarr, require_zarr
from graphwell.io.drawings import Colors, Marks, check_size, marked_classes, numbered
from graphwell.io.files import check_input, either, endings
from graphwell.io.painted import Painting, check_background, read_painted
from graphwell.io.pictures import (
    PLACES,
    Placement,
    arranged,
    as_classes,
    as_picture,
    check_pixels,
    check_shape,
    decoding,
    sound_spacing,
    without_missing,
)
from graphwell.memory import check_fits

MAX_PIXELS = 100_000_000
TIFF, NIFTI = (".tif", ".tiff"), (".nii", ".nii.gz")
BYTES_PER_POINT = 24  # of NIfTI: numbers as they are stored, brought to their scale, and as the picture
COPIES = 3  # arrays of Zarr in memory: as stored, arranged, and as the picture
Read = Callable[[Path, int], Any]  # path and most pixels, which are checked before memory is asked for


# ------------------------------------------------------------------------------------------ .npy and .npz


def _read_array(path: Path, max_pixels: int) -> FloatArray:
    """Read the array of a `.npy` file, or the only one of a `.npz` file, or `image` there; NaN is masked."""
    return as_picture(path, without_missing(_array(path, "image", max_pixels)))


def _read_array_classes(path: Path, max_pixels: int) -> IntArray:
    """Read classes in the same way, alone or called `seeds`."""
    return as_classes(path, _array(path, "seeds", max_pixels))


def _array(path: Path, name: str, max_pixels: int) -> Any:
    def check(shape: tuple[int, ...]) -> None:
        check_shape(path, shape, max_pixels)

    if path.suffix.lower() == ".npy":
        return load_npy(path, check)
    arrays = load_npz(path, check)
    if name not in arrays and len(arrays) != 1:
        names = ", ".join(sorted(arrays)) or "none"
        raise ValueError(f"{path} must hold one array, or one called {name!r}; it holds {names}.")
    return arrays.get(name, next(iter(arrays.values())))


# ---------------------------------------------------------------------------------------------------- Zarr


def _read_zarr(path: Path, max_pixels: int) -> FloatArray:
    """Read the only array, the one called `image`, or the largest of an OME-Zarr image."""
    values, names = _zarr_array(path, "image", max_pixels)
    return as_picture(path, without_missing(arranged(path, values, names) if names else values))


def _read_zarr_classes(path: Path, max_pixels: int) -> IntArray:
    """Read classes, from the only array or the one called `seeds`."""
    return as_classes(path, _zarr_array(path, "seeds", max_pixels)[0])


def _zarr_array(path: Path, name: str, max_pixels: int) -> tuple[Any, list[str]]:
    """The array meant, and the names of its axes where there are any."""
    with opened_zarr(path) as stored:
        described, names = _multiscales(stored), []
        if described is not None:
            array, names = stored[described["datasets"][0]["path"]], _axes(described)
        elif hasattr(stored, "shape"):
            array = stored
        else:
            arrays = dict(stored.arrays())
            if name not in arrays and len(arrays) != 1:
                problem = "{field} {} must hold one array, or one called {}; it holds {}."
                raise OptionError("image", problem, path, name, ", ".join(sorted(arrays))[:200] or "none")
            array = arrays.get(name) or next(iter(arrays.values()))
        check_shape(path, array.shape, max_pixels, names)
        check_fits(path, COPIES * math.prod(array.shape) * array.dtype.itemsize)
        return np.asarray(array[...]), names


def _read_zarr_placement(path: Path) -> Placement | None:
    """The distances between points that an OME-Zarr image holds."""
    with opened_zarr(path) as stored:
        described = _multiscales(stored)
        steps = () if described is None else described["datasets"][0].get("coordinateTransformations", ())
        scale = next((step["scale"] for step in steps if step.get("type") == "scale"), None)
        if scale is None:
            return None
        names = _axes(described)
        spacing = sound_spacing(float(scale[names.index(place)]) for place in PLACES if place in names)
    return None if spacing is None else Placement(spacing)


def _multiscales(stored: Any) -> Any:
    """The first image that OME-Zarr describes, or None."""
    found = stored.attrs.get("ome", stored.attrs).get("multiscales")
    return found[0] if found and not hasattr(stored, "shape") else None


def _axes(described: Any) -> list[str]:
    return [str(axis["name"] if isinstance(axis, dict) else axis).lower() for axis in described["axes"]]


# --------------------------------------------------------------------------------------------------- NIfTI


def _read_nifti(path: Path, max_pixels: int) -> FloatArray:
    """Read a volume, of shape (first, second, third axis of the file, channels); NaN is masked."""
    values = _nifti(path, max_pixels)
    return np.asanyarray(without_missing(values.astype(np.float32, copy=False)))


def _read_nifti_classes(path: Path, max_pixels: int) -> IntArray:
    """Read classes of a volume: whole numbers, 0 for unknown."""
    values = _nifti(path, max_pixels)[..., 0]
    if values.dtype.kind == "f":
        if not (np.isfinite(values).all() and (values == np.round(values)).all()):
            problem = "{field} {} must hold whole numbers, the classes, and 0 for unknown."
            raise OptionError("seeds", problem, path)
        values = values.astype(np.int64)
    classes = as_classes(path, values)
    return np.where(classes == 0, -1, classes)


def _nifti(path: Path, max_pixels: int) -> Any:
    """Three axes of places and one of channels; absurd sizes are refused before memory is asked for."""
    nibabel = _require_nibabel()
    with decoding(path, "NIfTI"):
        image = nibabel.load(path)
        shape = image.shape
        places = (*shape[:3], *(1,) * (3 - len(shape)))
        channels = [side for side in shape[3:] if side > 1]
        if len(channels) > 1 or min(places) < 1:
            problem = (
                "{field} {} has the shape {}; a volume has three axes, and at most one of channels more."
            )
            raise OptionError("image", problem, path, shape)
        check_pixels(path, places, max_pixels)
        check_fits(path, BYTES_PER_POINT * math.prod(shape))
        return np.asarray(image.dataobj).reshape(*places, *(channels or [1]))


def _read_nifti_placement(path: Path) -> Placement:
    """How far apart points are, in millimetres, and where they lie in the body."""
    nibabel = _require_nibabel()
    with decoding(path, "NIfTI"):
        image = nibabel.load(path)
        sides = [abs(float(side)) for side in image.header.get_zooms()[:3]]
    spacing = sound_spacing(sides) if len(sides) == 3 else None
    return Placement(spacing, (".nii", ".nii.gz"), image.affine)


def _write_nifti(values: Any, affine: Any, file: IO[bytes]) -> None:
    """Write classes or real numbers where the volume lies; 0 for no class, or -1 where 0 is a class."""
    nibabel = _require_nibabel()
    if values.dtype.kind in "iu":
        values = np.where(values < 0, -1 if (values == 0).any() else 0, values).astype(np.int32)
    image = nibabel.Nifti1Image(values, affine)
    image.header.set_xyzt_units("mm")
    file.write(image.to_bytes())


def _require_nibabel() -> Any:
    """Return nibabel, or say how to install it."""
    try:
        import nibabel
    except ImportError as error:
        raise ImportError(
            'NIfTI files need nibabel, which is not installed: pip install "graphwell[nifti]"'
        ) from error
    return nibabel


# -------------------------------------------------------------------------------------------------- formats

# Pictures of shape (height, width[, channels]), or volumes (height, width, depth, channels), masked where a
# point has no value.
IMAGES: dict[str, Read] = {
    **dict.fromkeys((".png", ".jpg", ".jpeg"), pictures.read_picture),
    **dict.fromkeys(TIFF, pictures.read_tiff),
    **dict.fromkeys((".npy", ".npz"), _read_array),
    **dict.fromkeys(NIFTI, _read_nifti),
    ".zarr": _read_zarr,
}
PLACEMENTS: dict[str, Callable[[Path], Placement | None]] = {
    **dict.fromkeys(TIFF, pictures.read_tiff_placement),
    **dict.fromkeys(NIFTI, _read_nifti_placement),
    ".zarr": _read_zarr_placement,
}
# Marks are painted colours, or shapes and lists of pixels, or the classes of a picture or volume as numbers.
PAINTED = (".png", ".jpg", ".jpeg", *TIFF)
DRAWN: dict[str, Callable[[Path, tuple[int, int]], Marks]] = {
    **dict.fromkeys((".txt", ".csv"), drawings.read_list),
    ".json": drawings.read_drawing,
}
NUMBERS: dict[str, Read] = {
    **dict.fromkeys((".npy", ".npz"), _read_array_classes),
    **dict.fromkeys(NIFTI, _read_nifti_classes),
    **dict.fromkeys(TIFF, pictures.read_tiff_classes),
    ".zarr": _read_zarr_classes,
}
EXACT = (".png", *TIFF)  # colours come back as they were written; labels need that
OF_NUMBERS = (".npy", *NIFTI)  # what labels and scores are written to as numbers
REQUIRED = {**dict.fromkeys(NIFTI, _require_nibabel), ".zarr": require_zarr}
TAKEN = {  # by options that have a file; labels and scores take what is exact
    "image": tuple(IMAGES),
    "seeds": tuple(dict.fromkeys((*PAINTED, ".npy", ".npz", *DRAWN, *NUMBERS))),
    "overlay": PAINTED,
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
    max_pixels: int = MAX_PIXELS,
) -> Marks:
    """Read the seeds of a picture or volume, of the size `shape`.

    Seeds of three axes, as large as the whole `picture`, say that it is a volume. Marks may be painted over
    a copy of the picture.
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
        marks = DRAWN[suffix](path, (shape[0], shape[1]))
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
            _write_nifti(values, np.eye(4) if kept is None else kept, opened)
        elif suffix == ".npy":
            np.save(opened, values)
        elif kept is not None:
            pictures.write_tiff(values, colors, kept, opened)
        else:
            write_image(draw(values), path, file)
