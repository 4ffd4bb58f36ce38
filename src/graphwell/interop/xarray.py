"""DataArrays of xarray as pictures: channels by the name of a dimension, labels with the same coordinates.

The library itself need not be imported.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from graphwell.io.pictures import without_missing

CHANNELS = ("band", "bands", "channel", "channels", "wavelength", "wavelengths", "rgb", "c")
FILL = ("_FillValue", "missing_value", "nodata")  # attributes that name a value which stands for none


def has_names(image: Any) -> bool:
    """Whether its axes have names, as those of a DataArray or of a Dataset have."""
    return hasattr(image, "dims") and hasattr(image, "coords")


def as_arrays(
    image: Any, seeds: Any, channel_axis: int | str | None
) -> tuple[Any, Any, int | None, Callable[[Any], Any]]:
    """Take names off a picture and its seeds; also return the axis of channels, and what names labels again.

    The dimension of channels is given by name or place; -1 is the one that is called like channels, if any.
    NaN, and values that attributes call no data, are masked.
    """
    if not has_names(image) or hasattr(image, "data_vars"):
        raise ValueError(
            f"A DataArray is expected, got {type(image).__name__}; turn a Dataset into one with to_array()."
        )
    channels: Any = channel_axis
    if isinstance(channel_axis, str) and channel_axis not in image.dims:
        names = ", ".join(map(str, image.dims))
        raise ValueError(f"The image has no dimension {channel_axis!r}; it has {names}.")
    if channel_axis == -1:
        channels = next((name for name in image.dims if str(name).lower() in CHANNELS), None)
    elif isinstance(channel_axis, int):
        channels = image.dims[channel_axis]
    places = [name for name in image.dims if name != channels]
    if has_names(seeds):
        if set(seeds.dims) != set(places):
            raise ValueError(f"seeds have the dimensions {seeds.dims}, but those of the image are {places}.")
        seeds = seeds.transpose(*places).values
    like = image if channels is None else image.isel({channels: 0}, drop=True)
    ordered = image if channels is None else image.transpose(*places, channels)

    def put_back(labels: Any) -> Any:
        made = like.copy(data=labels)
        made.name, made.attrs, made.encoding = "labels", {"long_name": "class of each point"}, {}
        return made

    fills = [source.get(name) for source in (image.attrs, image.encoding) for name in FILL]
    missing = [np.asarray(fill).item() for fill in fills if fill is not None]
    values = without_missing(ordered.values, missing, has_channels=channels is not None)
    return values, seeds, None if channels is None else -1, put_back
