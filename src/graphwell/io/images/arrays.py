"""Pictures and classes as numbers: `.npy`, `.npz`, folders of Zarr, NIfTI and lines of text.

The only module that imports nibabel.
"""

import math
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.errors import OptionError
from graphwell.io.images.base import (
    LARGEST_CLASS,
    PLACES,
    Colors,
    ImageFormat,
    Marks,
    Placement,
    RefusedError,
    arranged,
    as_classes,
    as_picture,
    check_pixels,
    check_shape,
    decoding,
    numbered,
    sound_spacing,
    without_missing,
)
from graphwell.io.npy import declared, load_npy, load_npz
from graphwell.io.zarr_store import opened_zarr, require_zarr
from graphwell.memory import check_fits

BYTES_PER_POINT = 24  # of NIfTI: numbers as they are stored, brought to their scale, and as the picture
COPIES = 3  # arrays of Zarr in memory: as stored, arranged, and as the picture
MOST_BYTES = 200_000_000  # of a list of pixels as text


def _read(path: Path, max_pixels: int) -> FloatArray:
    return as_picture(path, _array(path, "image", max_pixels))


def _read_numbers(path: Path, max_pixels: int) -> IntArray:
    return as_classes(path, _array(path, "seeds", max_pixels))


def _array(path: Path, name: str, max_pixels: int) -> Any:
    """The array of a `.npy` file; that of a `.npz` file which is alone, or has the name."""
    is_alone, shapes = path.suffix.lower() == ".npy", []
    with suppress(Exception), path.open("rb") as file:  # reading will say what is wrong with a damaged file
        if is_alone:
            shapes.append(declared(file)[0])
        else:
            with zipfile.ZipFile(file) as archive:
                for member in archive.namelist():
                    shapes.append(declared(archive.open(member))[0])
    for shape in shapes:
        check_shape(path, shape, max_pixels)
    if is_alone:
        return load_npy(path)
    arrays = load_npz(path)
    if name not in arrays and len(arrays) != 1:
        names = ", ".join(sorted(arrays)) or "none"
        raise ValueError(f"{path} must hold one array, or one called {name!r}; it holds {names}.")
    return arrays[name] if name in arrays else next(iter(arrays.values()))


def _read_zarr(path: Path, max_pixels: int) -> FloatArray:
    """The only array, the one called `image`, or the largest of an OME-Zarr image."""
    values, names = _zarr_array(path, "image", max_pixels)
    return as_picture(path, without_missing(arranged(path, values, names) if names else values))


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
    """The distances between points that an OME-Zarr image tells."""
    with opened_zarr(path) as stored:
        described = _multiscales(stored)
        steps = () if described is None else described["datasets"][0].get("coordinateTransformations", ())
        scale = next((step["scale"] for step in steps if step.get("type") == "scale"), None)
        if scale is None:
            return None
        names = _axes(described)
        spacing = sound_spacing(float(scale[names.index(place)]) for place in PLACES if place in names)
    return None if spacing is None else Placement("", None, spacing)


def _multiscales(stored: Any) -> Any:
    """The first image that OME-Zarr describes, or None."""
    found = stored.attrs.get("ome", stored.attrs).get("multiscales")
    return found[0] if found and not hasattr(stored, "shape") else None


def _axes(described: Any) -> list[str]:
    return [str(axis["name"] if isinstance(axis, dict) else axis).lower() for axis in described["axes"]]


def _read_nifti(path: Path, max_pixels: int) -> FloatArray:
    """A volume, of shape (first, second, third axis of the file, channels); NaN is masked."""
    values = _nifti(path, max_pixels)
    return np.asanyarray(without_missing(values.astype(np.float32, copy=False)))


def _read_nifti_classes(path: Path, max_pixels: int) -> IntArray:
    """Classes of a volume: whole numbers, 0 for unknown."""
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
            raise RefusedError("image", problem, path, shape)
        check_pixels(path, places, max_pixels)
        check_fits(path, BYTES_PER_POINT * math.prod(shape))
        return np.asarray(image.dataobj).reshape(*places, *(channels or [1]))


def _read_nifti_placement(path: Path) -> Placement:
    """How far apart points are, in millimetres, and where they lie in the body."""
    nibabel = _require_nibabel()
    with decoding(path, "NIfTI"):
        image = nibabel.load(path)
        sides = [abs(float(side)) for side in image.header.get_zooms()[:3]]
    return Placement("NIfTI", image.affine, sound_spacing(sides) if len(sides) == 3 else None)


def _write_nifti(values: Any, colors: Colors, placement: Placement, file: IO[bytes]) -> None:
    """Write classes or real numbers where the volume lies; 0 for no class, or -1 where 0 is a class."""
    nibabel = _require_nibabel()
    if values.dtype.kind in "iu":
        values = np.where(values < 0, -1 if (values == 0).any() else 0, values).astype(np.int32)
    image = nibabel.Nifti1Image(values, placement.kept)
    image.header.set_xyzt_units("mm")
    file.write(image.to_bytes())


def _require_nibabel() -> Any:
    try:
        import nibabel
    except ImportError as error:
        raise ImportError(
            'NIfTI files need nibabel, which is not installed: pip install "graphwell[nifti]"'
        ) from error
    return nibabel


def _read_lines(path: Path, shape: tuple[int, int], _: str | None) -> Marks:
    """Marks as lines ``row,col,class`` of text, counted from 0 at the top left; all other pixels are -1."""
    if path.stat().st_size > MOST_BYTES:
        problem = "{field} {} is too large for a list of pixels; save the seeds as .npy."
        raise OptionError("seeds", problem, path)
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        problem = "{field} {} is no text; its lines must be row,col,class."
        raise OptionError("seeds", problem, path) from error
    classes = np.full(shape, -1)
    for number, line in enumerate(lines, start=1):
        content = line.split("#")[0].strip()
        if not content or (number == 1 and content.replace(" ", "").lower() == "row,col,class"):
            continue
        wrong = ""
        parts = content.replace(";", ",").replace("\t", ",").split(",")
        try:  # more digits than any place or class has would take int() long
            row, column, marked = (int(part) if len(part) < 20 else int("x") for part in parts)
        except ValueError as error:
            problem = "{field} {}, line {}: expected three integers row,col,class, got {!r}."
            raise OptionError("seeds", problem, path, number, content[:60]) from error
        if not (0 <= row < shape[0] and 0 <= column < shape[1]):
            wrong = (
                f"row {row}, column {column} lies outside the picture of {shape[0]} rows and {shape[1]} "
                "columns (both count from 0)"
            )
        elif not 0 <= marked <= LARGEST_CLASS:
            wrong = f"the class must be 0 or more, got {marked}"
        elif classes[row, column] not in (-1, marked):
            given = classes[row, column]
            wrong = (
                f"row {row}, column {column} has the class {given} already; leave one of the two lines out"
            )
        if wrong:
            raise OptionError("seeds", "{field} {}, line {}: {}.", path, number, wrong)
        classes[row, column] = marked
    return numbered(path, classes, shape)


FORMAT = (
    ImageFormat(
        name=".npy",
        suffixes=(".npy",),
        read=_read,
        read_numbers=_read_numbers,
        write_numbers=lambda values, file: np.save(file, values),
        rank=4,
    ),
    ImageFormat(name=".npz", suffixes=(".npz",), read=_read, read_numbers=_read_numbers, rank=5),
    ImageFormat(name="text", suffixes=(".txt", ".csv"), read_marks=_read_lines, rank=6),
    ImageFormat(
        name="Zarr",
        suffixes=(".zarr",),
        read=_read_zarr,
        read_placement=_read_zarr_placement,
        read_numbers=lambda path, most: as_classes(path, _zarr_array(path, "seeds", most)[0]),
        extra="zarr",
        require=require_zarr,
        is_folder=True,
        rank=11,
    ),
    ImageFormat(
        name="NIfTI",
        suffixes=(".nii", ".nii.gz"),
        read=_read_nifti,
        read_placement=_read_nifti_placement,
        read_numbers=_read_nifti_classes,
        write_numbers=lambda values, file: _write_nifti(values, {}, Placement("NIfTI", np.eye(4)), file),
        write_placed=_write_nifti,
        extra="nifti",
        require=_require_nibabel,
        rank=10,
    ),
)
