"""What a job on a picture is asked to do."""

from dataclasses import dataclass
from pathlib import Path

from graphwell.io.images.base import MAX_PIXELS
from graphwell.io.images.seeds import Painting


@dataclass(frozen=True, kw_only=True)
class SegmentOptions:
    """How to segment a picture.

    Attributes
    ----------
    image, seeds : Path
        The picture, and the marks in it.
    output : Path
        File for the labels.
    overlay, sheet, scores : Path, optional
        Files for the picture tinted and outlined by its classes, for a contact sheet (picture, marks, labels
        and doubt in one), and for a map of the uncertainty.
    masks : Path, optional
        Folder for one mask per class.
    background : str
        Which pixels of a seeds picture are unknown: "auto", "transparent", "black", "white", or "#rrggbb".
    strokes_on_picture : bool
        The seeds were painted over a copy of the picture; "auto" finds out where it is clear.
    snap : bool
        Give colours of the seeds that are no clear mixture to the nearest plain colour.
    seeds_out : Path, optional
        File for the marks as they were read, written before anything is computed.
    max_pixels : int
        Larger pictures are refused before they are read.
    max_memory : str, optional
        Pictures that need more are refused before they are read, "4GB" say; what is free by default.
    spacing : tuple of float, optional
        Distance between points along each axis, as in `graphwell.Segmenter`; what the file tells by default.
    channel_axis : int, optional
        The axis that holds channels, the last by default; a picture of three axes is then no volume.
    radius, color_scale, smoothing, patch, device, n_jobs
        As in `graphwell.Segmenter`.
    """

    image: Path
    seeds: Path
    output: Path
    overlay: Path | None = None
    sheet: Path | None = None
    scores: Path | None = None
    masks: Path | None = None
    background: str = "auto"
    strokes_on_picture: bool = False
    snap: bool = False
    seeds_out: Path | None = None
    max_pixels: int = MAX_PIXELS
    max_memory: str | None = None
    spacing: tuple[float, ...] | None = None
    channel_axis: int | None = None
    radius: float = 3.0
    color_scale: float | None = None
    smoothing: float | None = None
    patch: int = 1
    device: str = "cpu"
    n_jobs: int | None = None

    @property
    def painting(self) -> Painting:
        """How the colours of the seeds are to be understood."""
        return Painting(background=self.background, on_picture=self.strokes_on_picture, snap=self.snap)
