"""Pictures, volumes and marks in files: which format a name asks for, and reading and writing by it.

Arrays (`.npy`, `.npz`, folders of Zarr) and NIfTI are read here, pictures and marks in chapters of their own.
"""

import gzip
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import IO, Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.errors import OptionError
from graphwell.io import pictures
from graphwell.io.arrays import load_arrays, opened_zarr
from graphwell.io.drawings import LARGEST_CLASS, Colors, Marks, check_size, numbered, read_drawing
from graphwell.io.files import check_input, decoding, either, endings, optional
from graphwell.io.painted import check_background, read_painted
from graphwell.io.pictures import Placement
from graphwell.memory import check_fits

MAX_PIXELS = 100_000_000
TIFF, NIFTI, ARRAYS, ZARR = (".tif", ".tiff"), (".nii", ".nii.gz"), (".npy", ".npz"), (".zarr",)
EXACT = (".png", *TIFF)  # colours come back as they were written; labels and marks need that
COLORS = (".png", ".jpg", ".jpeg", *TIFF)
OF_NUMBERS = (".npy", *NIFTI)  # what labels and scores are written to as numbers
IMAGES = (*COLORS, *ARRAYS, *NIFTI, *ZARR)
TAKEN = {  # by options that have a file; labels and scores take what is exact
    "image": IMAGES,
    "seeds": (*EXACT, *ARRAYS, ".json", *NIFTI, *ZARR),
    "overlay": COLORS,
}
BYTES_PER_POINT = 24  # of NIfTI: numbers as they are stored, brought to their scale, and as the picture
COPIES = 3  # arrays of Zarr in memory: as stored, pictures.arranged, and as the picture


def suffix_for(path: Path, field: str) -> str:
    """The end of a name that says which format the file of an option has."""
    known = TAKEN.get(field, EXACT + OF_NUMBERS)
    for suffix in endings(path) & set(known):
        if suffix in NIFTI:  # before the work
            _nibabel()
        return suffix
    problem = "{field} {}: the name must end in {}."
    if field == "seeds" and path.suffix.lower() in COLORS:
        problem = "{field} {}: JPEG smears the colours of marks; save them as PNG. The name must end in {}."
    raise OptionError(field, problem, path, either(known))


# ------------------------------------------------------------------------------------------------- reading


def read_image(path: Path, max_pixels: int = MAX_PIXELS, *, volumes: bool = False) -> FloatArray:
    """Read a picture of shape (height, width[, channels]); a larger one is refused before it is decoded.

    Where `volumes` are allowed, it may also have the shape (height, width, depth, channels). Points without a
    value are masked.
    """
    suffix = suffix_for(path, "image")
    check_input(path, "image", folder=suffix in ZARR)
    if suffix in TIFF:
        found = pictures.read_tiff(path, max_pixels)
    elif suffix in COLORS:
        found = pictures.read_picture(path, max_pixels)
    else:
        values, names = _numbers(path, suffix, "image", max_pixels)
        values = values.astype(np.float32, copy=False) if suffix in NIFTI else values
        found = pictures.without_missing(pictures.arranged(path, values, names) if names else values)
    if found.ndim not in (2, 3, 4):
        shapes = "(height, width[, depth][, channels])"
        raise ValueError(f"{path} must have the shape {shapes}, not {found.shape}.")
    if found.dtype.kind not in "biuf":
        raise ValueError(f"{path} must hold real numbers, not {found.dtype}.")
    if found.ndim == 4 and not volumes:
        problem = "{field} {} holds {} pictures; save the one you want in a file of its own."
        raise OptionError("image", problem, path, found.shape[2])
    return np.asanyarray(found)


def read_placement(path: Path) -> Placement | None:
    """Where the points of an image lie; None where its file does not tell."""
    suffix = suffix_for(path, "image")
    if suffix in TIFF:
        return pictures.read_tiff_placement(path)
    if suffix in NIFTI:
        with decoding(path, "a NIfTI picture"):
            image = _nibabel().load(path)
            sides = [abs(float(side)) for side in image.header.get_zooms()[:3]]
        return Placement(pictures.sound_spacing(sides) if len(sides) == 3 else None, NIFTI, image.affine)
    if suffix in ZARR:
        with opened_zarr(path) as stored:
            described = _multiscales(stored)
            steps = () if described is None else described["datasets"][0].get("coordinateTransformations", ())
            for scale in (step["scale"] for step in steps if step.get("type") == "scale"):
                names = _axes(described)
                spacing = pictures.sound_spacing(
                    scale[names.index(place)] for place in pictures.PLACES if place in names
                )
                return None if spacing is None else Placement(spacing)
    return None


def read_seeds(
    path: Path,
    shape: tuple[int, ...],
    background: str = "auto",
    *,
    picture: FloatArray | None = None,
    max_pixels: int = MAX_PIXELS,
) -> Marks:
    """Read the seeds of a picture or volume, of the size `shape`.

    Seeds of three axes, as large as the whole `picture`, say that it is a volume. The background says which
    pixels of painted marks are unknown: see `painted.read_painted`.
    """
    check_background(background)
    suffix = suffix_for(path, "seeds")
    check_input(path, "seeds", folder=suffix in ZARR)
    if len(shape) == 3 and suffix in (".png", ".json"):
        problem = "{field} {} cannot mark a volume; save integers of the shape {}, -1 for unknown, as .npy."
        raise OptionError("seeds", problem, path, tuple(shape))
    if len(shape) == 2 and suffix in EXACT:
        pixels = pictures.read_colors(path, max_pixels)
        check_size(path, pixels.shape[:2], shape)
        return read_painted(path, pixels, background, picture)
    if suffix == ".json":
        return read_drawing(path, (shape[0], shape[1]))
    classes = _classes(path, suffix, max_pixels)
    is_volume = picture is not None and classes.ndim == picture.ndim == 3  # its last axis is no channels
    return numbered(path, classes, picture.shape if is_volume and picture is not None else tuple(shape))


def _classes(path: Path, suffix: str, max_pixels: int) -> IntArray:
    """Classes as numbers, -1 for unknown; 0 means it in volumes of TIFF and NIfTI."""
    is_volume = suffix in TIFF + NIFTI
    if suffix in TIFF:
        values = pictures.first_series(path, max_pixels)
    else:
        values = _numbers(path, suffix, "seeds", max_pixels)[0]
    values = values[..., 0] if is_volume and values.ndim == 4 else values
    if is_volume and values.dtype.kind == "f" and bool((values % 1 == 0).all()):
        values = values.astype(np.int64)
    if values.dtype.kind not in "iu":
        problem = "{field} {} must hold integers with {} for unknown, not {}."
        raise OptionError("seeds", problem, path, 0 if is_volume else -1, values.dtype)
    if values.size and (values.min() < -1 or values.max() > LARGEST_CLASS):
        problem = "{field} {} must hold classes from 0 to {}, and -1 for unknown."
        raise OptionError("seeds", problem, path, LARGEST_CLASS)
    classes = values.astype(np.int64)
    return np.where(classes == 0, -1, classes) if is_volume else classes


def _numbers(path: Path, suffix: str, name: str, max_pixels: int) -> tuple[Any, list[str]]:
    """The numbers of a file that holds one array, or one of this name, and names of its axes if it has any.

    Sizes are checked by what the file declares, before memory is asked for.
    """
    if suffix in NIFTI:
        return _nifti(path, max_pixels), []

    def check(shape: tuple[int, ...], names: Sequence[str] = ()) -> None:
        if names:
            pictures.check_pixels(
                path, [s for s, n in zip(shape, names, strict=True) if n != pictures.CHANNELS], max_pixels
            )
        elif len(shape) in (2, 3):
            pictures.check_pixels(path, (shape[1], shape[0]), max_pixels)

    if suffix in ARRAYS:
        return _chosen(path, load_arrays(path, check), name), []
    with opened_zarr(path) as stored:
        described, names = _multiscales(stored), []
        if described is not None:
            array, names = stored[described["datasets"][0]["path"]], _axes(described)
        else:
            array = stored if hasattr(stored, "shape") else _chosen(path, dict(stored.arrays()), name)
        check(array.shape, names)
        check_fits(path, COPIES * math.prod(array.shape) * array.dtype.itemsize)
        return np.asarray(array[...]), names


def _chosen(path: Path, arrays: Mapping[str, Any], name: str) -> Any:
    """The array of this name, or the only one."""
    if name not in arrays and len(arrays) != 1:
        problem = "{field} {} must hold one array, or one called {}; it holds {}."
        raise OptionError(name, problem, path, name, ", ".join(sorted(arrays))[:200] or "none")
    return arrays[name] if name in arrays else next(iter(arrays.values()))


def _multiscales(stored: Any) -> Any:
    """The first image that OME-Zarr describes, or None."""
    found = stored.attrs.get("ome", stored.attrs).get("multiscales")
    return found[0] if found and not hasattr(stored, "shape") else None


def _axes(described: Any) -> list[str]:
    return [str(axis["name"] if isinstance(axis, dict) else axis).lower() for axis in described["axes"]]


def _nifti(path: Path, max_pixels: int) -> Any:
    """Three axes of places and one of channels."""
    nibabel = _nibabel()
    with decoding(path, "a NIfTI picture"):
        image = nibabel.load(path)
        shape = image.shape
        places = (*shape[:3], *(1,) * (3 - len(shape)))
        channels = [side for side in shape[3:] if side > 1]
        if len(channels) > 1 or min(places) < 1:
            problem = (
                "{field} {} has the shape {}; a volume has three axes, and at most one of channels more."
            )
            raise OptionError("image", problem, path, shape)
        pictures.check_pixels(path, places, max_pixels)
        check_fits(path, BYTES_PER_POINT * math.prod(shape))
        return np.asarray(image.dataobj).reshape(*places, *(channels or [1]))


def _nibabel() -> Any:
    return optional("nibabel", "NIfTI files", "nifti")


# ------------------------------------------------------------------------------------------------- writing


def write_image(pixels: Any, path: Path, file: IO[bytes]) -> None:
    """Write 8-bit colours or 16-bit grey into an open file, in the format that `path` names."""
    from PIL import Image

    Image.fromarray(pixels).save(file, format=pictures.PILLOW[suffix_for(path, "overlay")])


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
    if suffix in NIFTI:
        if values.dtype.kind in "iu":  # 0 for no class, or -1 where 0 is a class
            values = np.where(values < 0, -1 if (values == 0).any() else 0, values).astype(np.int32)
        image = _nibabel().Nifti1Image(values, np.eye(4) if kept is None else kept)
        image.header.set_xyzt_units("mm")
        packed: Any = nullcontext(file)
        if suffix == ".nii.gz":  # without the time of day: equal labels are equal files
            packed = gzip.GzipFile(fileobj=file, mode="wb", mtime=0)
        with packed as opened:
            opened.write(image.to_bytes())
    elif suffix == ".npy":
        np.save(file, values)
    elif kept is not None:
        pictures.write_tiff(values, colors, kept, file)
    else:
        write_image(draw(values), path, file)
