"""What the first directory of a TIFF file says of its picture, and of the ground that it shows."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphwell.io.images.base import check_not_empty
from graphwell.io.images.pillow import decoding, read_directory

BITS, PHOTOMETRIC, DESCRIPTION, SAMPLES, EXTRA = 258, 262, 270, 277, 338
GREY, COLORS, SEPARATED = (0, 1), 2, 5
"""Kinds of pictures; those of SEPARATED hold cyan, magenta, yellow and black."""
NODATA = 42113
TEXT, SHORT, DOUBLE = 2, 3, 12
GEOREFERENCE = {33550: DOUBLE, 33922: DOUBLE, 34264: DOUBLE, 34735: SHORT, 34736: DOUBLE, 34737: TEXT}
"""Tags that GeoTIFF places a picture with, and the kinds of their values."""


@dataclass(frozen=True)
class TiffTags:
    """The tags of a picture by number, and whether another picture follows.

    Examples
    --------
    >>> TiffTags({258: (16, 16, 16), 262: 2, 277: 3}, pages_follow=False).is_plain
    False
    >>> TiffTags({258: (8,), 262: 1}, pages_follow=False).is_plain
    True
    """

    by_number: dict[int, Any]
    pages_follow: bool

    @property
    def samples(self) -> int:
        """Numbers that a pixel has."""
        return int(self.by_number.get(SAMPLES, 1))

    @property
    def has_opacity(self) -> bool:
        """Whether the last number of a pixel says how opaque it is."""
        extra = self.by_number.get(EXTRA, ())
        return any(kind in (1, 2) for kind in (extra if isinstance(extra, tuple) else (extra,)))

    @property
    def nodata(self) -> float | None:
        """Value of pixels that show nothing, as GDAL writes it; None where there is none."""
        text = str(self.by_number.get(NODATA, "")).strip("\0 ")
        try:
            return float(text)
        except ValueError:
            return None

    @property
    def georeference(self) -> dict[int, Any]:
        """Those tags that say where on earth the picture lies; garbled ones say nothing."""
        return {
            number: self.by_number[number]
            for number, kind in GEOREFERENCE.items()
            if number in self.by_number and _is_sound(kind, self.by_number[number])
        }

    @property
    def is_plain(self) -> bool:
        """Whether Pillow reads the picture as it is: no depth, channel or order of axes is lost."""
        if self.nodata is not None or self.has_named_axes or (self.georeference and self.pages_follow):
            return False
        if self.samples == 1:
            return True
        most = {GREY[0]: 2, GREY[1]: 2, SEPARATED: 4}.get(self._kind, 3 + self.has_opacity)
        return set(self._bits) == {8} and self.samples <= most

    @property
    def is_deep_color(self) -> bool:
        """Whether it is a colour picture of 16 bits, which Pillow reads with 8."""
        alone = self.nodata is None and not self.has_named_axes and not self.pages_follow
        colors = self._kind == COLORS and self.samples == 3 + self.has_opacity
        return alone and colors and set(self._bits) == {16}

    @property
    def _kind(self) -> int:
        return int(self.by_number.get(PHOTOMETRIC, GREY[1]))

    @property
    def _bits(self) -> tuple[int, ...]:
        bits = self.by_number.get(BITS, (1,))
        return bits if isinstance(bits, tuple) else (bits,)

    @property
    def has_named_axes(self) -> bool:
        """Whether the description of a microscope tells channels from slices."""
        text = str(self.by_number.get(DESCRIPTION, ""))
        if text.startswith("ImageJ="):
            return "channels=" in text or "frames=" in text
        return "<OME" in text[:2000]


def _is_sound(kind: int, value: Any) -> bool:
    """Whether a value can be written again as what it should be."""
    if kind == TEXT:
        return isinstance(value, str) and value.isascii()
    values = value if isinstance(value, tuple) else (value,)
    if kind == SHORT:
        return all(isinstance(one, int) and 0 <= one < 1 << 16 for one in values)
    return all(isinstance(one, int | float) for one in values)


def read_tags(path: Path) -> TiffTags:
    """Read the first directory; whatever is wrong with the file becomes one sentence."""
    check_not_empty(path)
    with decoding(path, "TIFF"):
        return TiffTags(*read_directory(path))
