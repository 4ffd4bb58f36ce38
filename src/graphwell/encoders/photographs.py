"""Encoders of photographs: thumbnails, descriptors without a model, and models of timm and ONNX.

Photographs are read by Pillow, upright and in RGB; of an animation the first picture counts. One that cannot
be read has a vector of NaN.
"""

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from graphwell._types import FloatArray
from graphwell.errors import OptionError

SUFFIXES = (
    ".jpg", ".jpeg", ".png", ".gif", ".bmp", ".webp", ".tif", ".tiff", ".ppm", ".pgm", ".avif", ".heic",
    ".heif",
)  # fmt: skip
"""Ends of the names of photographs."""
MOST_PIXELS = 200_000_000
THUMBNAIL = 16
SIDE = 128
"""Pixels of a side of what `descriptors` looks at."""
COLORS = 4
"""Steps of each colour channel in a histogram."""
MEAN, SPREAD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
"""Of the pixels of ImageNet, which models of ONNX are given, as nearly all of them were trained."""
SIDE_OF_ONNX = 224
Encoded = Callable[[Sequence[Path]], FloatArray]


class Unreadable(Exception):  # noqa: N818
    """Why a photograph cannot be read, in a few words."""


def photograph(path: Path) -> Any:
    """A photograph as a picture of Pillow: upright, in RGB, the first of an animation."""
    from PIL import Image, ImageOps

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of tags and sizes, which are judged here
            with Image.open(path) as opened:
                if opened.width * opened.height > MOST_PIXELS:
                    raise Unreadable(f"{opened.width:,} x {opened.height:,} pixels are too many")
                opened.draft("RGB", (2 * SIDE_OF_ONNX, 2 * SIDE_OF_ONNX))  # a JPEG is read in parts
                upright = ImageOps.exif_transpose(opened)
                if upright.mode in ("RGBA", "LA", "PA") or "transparency" in upright.info:
                    upright = upright.convert("RGBA")
                    ground = Image.new("RGBA", upright.size, "white")
                    return Image.alpha_composite(ground, upright).convert("RGB")
                if upright.mode.startswith(("I", "F")):  # 16 bits and more: from the darkest to the lightest
                    values = np.asarray(upright, dtype=np.float64)
                    low, high = float(values.min()), float(values.max())
                    return Image.fromarray(np.uint8(255 * (values - low) / ((high - low) or 1))).convert(
                        "RGB"
                    )
                return upright.convert("RGB")
    except Unreadable:
        raise
    except Exception as error:  # Pillow raises a dozen kinds for damaged files
        kind = "no reader for HEIC" if path.suffix.lower() in (".heic", ".heif") else "damaged, or no picture"
        raise Unreadable(f"missing ({error})" if isinstance(error, FileNotFoundError) else kind) from error


def together(encoded: Callable[[list[Any]], Any]) -> Encoded:
    """An encoder of paths from one of pictures; where none can be read the width is told by a grey one."""

    def of_paths(paths: Sequence[Path]) -> FloatArray:
        from PIL import Image

        pictures, places = [], []
        for place, path in enumerate(paths):
            try:
                pictures.append(photograph(path))
            except Unreadable:
                continue
            places.append(place)
        vectors = np.asarray(encoded(pictures or [Image.new("RGB", (SIDE, SIDE), "grey")]), dtype=np.float32)
        found = np.full((len(paths), vectors.shape[1]), np.nan, dtype=np.float32)
        found[places] = vectors[: len(places)]
        return found

    return of_paths


# ---------------------------------------------------------------------------------------- without a model


def load_pixels(_: str) -> Encoded:
    """Thumbnails of 16 x 16 pixels in colour, from 0 to 1."""

    def thumbnail(picture: Any) -> FloatArray:
        from PIL import Image

        small = picture.resize((THUMBNAIL, THUMBNAIL), Image.Resampling.BOX)
        return np.asarray(small, dtype=np.float32).ravel() / 255

    return together(lambda pictures: np.stack([thumbnail(one) for one in pictures]))


def load_descriptors(_: str) -> Encoded:
    """Histograms of gradients on two grids and of colours; each of the three has length 1."""
    from skimage.color import rgb2hsv
    from skimage.feature import hog

    def described(picture: Any) -> FloatArray:
        from PIL import Image

        pixels = np.asarray(picture.resize((SIDE, SIDE), Image.Resampling.BOX), dtype=np.float32) / 255
        grey = pixels @ np.array([0.299, 0.587, 0.114], dtype=np.float32)
        coarse = hog(grey, 9, pixels_per_cell=(32, 32), cells_per_block=(2, 2))
        fine = hog(grey, 9, pixels_per_cell=(16, 16), cells_per_block=(1, 1))
        hsv = rgb2hsv(pixels).reshape(2, SIDE // 2, 2, SIDE // 2, 3).swapaxes(1, 2).reshape(4, -1, 3)
        steps = np.minimum((hsv * COLORS).astype(int), COLORS - 1) @ np.array([COLORS**2, COLORS, 1])
        colors = np.sqrt([np.bincount(quarter, minlength=COLORS**3) for quarter in steps]).ravel()
        parts = [part / (np.linalg.norm(part) or 1.0) for part in (coarse, fine, colors)]
        return np.concatenate(parts).astype(np.float32)

    return together(lambda pictures: np.stack([described(one) for one in pictures]))


# ------------------------------------------------------------------------------------------------ models


def load_timm(name: str) -> Encoded:
    """A model of timm without its classifier; weights that are not on this machine are fetched by timm."""
    import timm
    import torch

    model = timm.create_model(name, pretrained=True, num_classes=0).eval()
    prepared = timm.data.create_transform(**timm.data.resolve_model_data_config(model))

    def encoded(pictures: list[Any]) -> Any:
        with torch.inference_mode():
            return model(torch.stack([prepared(picture) for picture in pictures])).float().numpy()

    return together(encoded)


def load_dinov2(_: str) -> Encoded:
    """The small model of DINOv2."""
    return load_timm("vit_small_patch14_dinov2.lvd142m")


def load_onnx(name: str) -> Encoded:
    """A network in a file of ONNX that takes pictures as (n, 3, side, side); its first output counts."""
    import onnxruntime

    if not Path(name).is_file():
        raise OptionError("encoder", "{field} onnx:{}: there is no such file.", name)
    session = onnxruntime.InferenceSession(name, providers=onnxruntime.get_available_providers())
    given = session.get_inputs()[0]
    if len(given.shape) != 4:
        problem = "{field} onnx:{}: it takes {!r}, not pictures as (n, 3, side, side)."
        raise OptionError("encoder", problem, name, given.shape)
    height, width = (side if isinstance(side, int) else SIDE_OF_ONNX for side in given.shape[2:])
    alone = isinstance(given.shape[0], int)  # a network of a fixed number of pictures is given one at a time

    def encoded(pictures: list[Any]) -> Any:
        from PIL import Image

        pixels = [picture.resize((width, height), Image.Resampling.BICUBIC) for picture in pictures]
        scaled = (np.stack([np.asarray(each) for each in pixels]) / 255 - MEAN) / SPREAD
        planes = scaled.astype(np.float32).transpose(0, 3, 1, 2)
        batches = np.split(planes, len(planes)) if alone else [planes]
        found = [session.run(None, {given.name: np.ascontiguousarray(batch)})[0] for batch in batches]
        vectors = np.concatenate(found)
        return vectors.reshape(len(vectors), vectors.shape[1], -1).mean(
            axis=2
        )  # over places, if there are such

    return together(encoded)
