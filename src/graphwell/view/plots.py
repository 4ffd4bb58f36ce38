"""Pictures. The only module that imports matplotlib, and only when a picture is drawn."""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from graphwell._types import FloatArray, IntArray

CLASS_COLORS = "tab10"
GIVEN_COLOR = "black"


def new_figure(columns: int, width: float = 4.5, height: float = 4.0, rows: int = 1) -> tuple[Any, Any]:
    """Return a figure and a flat array of its panels, without touching the global state of pyplot."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    return figure, np.atleast_1d(figure.subplots(rows, columns)).ravel()


def scatter_classes(panel: Any, points: FloatArray, labels: IntArray, title: str) -> None:
    """Points of the plane, coloured by class."""
    from matplotlib import colormaps

    colors = colormaps[CLASS_COLORS]
    for c in np.unique(labels):
        members = points[labels == c]
        panel.scatter(members[:, 0], members[:, 1], s=6, color=colors(int(c) % 10), linewidths=0)
    panel.set_title(title)
    panel.set_aspect("equal")
    panel.set_xticks([])
    panel.set_yticks([])


def as_png(figure: Any) -> bytes:
    """A figure as the bytes of a PNG file."""
    file = BytesIO()
    figure.savefig(file, format="png", dpi=120)
    return file.getvalue()


def thumbnail(path: Path, side: int = 96) -> bytes | None:
    """A small copy of a photograph as JPEG; None where the file is none that can be read."""
    from PIL import Image, ImageOps

    try:
        with Image.open(path) as whole:
            whole.draft("RGB", (2 * side, 2 * side))
            small = ImageOps.exif_transpose(whole).convert("RGB")
    except OSError:
        return None
    small.thumbnail((side, side))
    file = BytesIO()
    small.save(file, format="jpeg", quality=75)
    return file.getvalue()


def places(panel: Any, points: FloatArray) -> FloatArray:
    """Where points lie in a picture that was drawn: shares of its width and, from the top, height."""
    size = panel.figure.bbox.size
    return np.asarray(panel.transData.transform(points) / size * [1, -1] + [0, 1])


def class_color(number: int, n_classes: int) -> Any:
    """Colour of a class; up to twenty classes have their own."""
    from matplotlib import colormaps

    return colormaps[CLASS_COLORS if n_classes <= 10 else "tab20"](number % (10 if n_classes <= 10 else 20))


def projection(
    panel: Any, plane: FloatArray, labels: IntArray, given: IntArray, names: Sequence[str]
) -> None:
    """Points of the plane coloured by class, given labels ringed; -1 is grey."""
    lost = labels < 0
    size = 14 if len(plane) <= 5000 else 5
    panel.scatter(plane[lost, 0], plane[lost, 1], s=size, color="0.8", linewidths=0)
    for c, name in enumerate(names):
        color = class_color(c, len(names))
        members, known = plane[labels == c], plane[given == c]
        panel.scatter(members[:, 0], members[:, 1], s=size, color=color, linewidths=0, alpha=0.6)
        panel.scatter(
            known[:, 0],
            known[:, 1],
            s=32,
            color=color,
            edgecolors=GIVEN_COLOR,
            linewidths=0.9,
            label=_short(name),
        )
    panel.set_xticks([])
    panel.set_yticks([])
    panel.spines[:].set_color("0.85")
    panel.set_aspect("equal", adjustable="datalim")
    panel.set_title("Neighbours lie near each other (ringed: label given)")
    if len(names) <= 20:
        panel.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))


def mark_questions(panel: Any, points: FloatArray) -> None:
    """Number the points to label next, best first, on a diamond; drawn above all others."""
    if len(points):
        panel.set_title(f"{panel.get_title()[:-1]}; numbered: to label next)")
    panel.scatter(
        points[:, 0],
        points[:, 1],
        s=90,
        marker="D",
        color="white",
        edgecolors="black",
        linewidths=1.2,
        zorder=4,
    )
    for number, (x, y) in enumerate(points, 1):
        panel.annotate(str(number), (x, y), ha="center", va="center", fontsize=7, zorder=5)


def confusion(panel: Any, counts: IntArray, true_names: Sequence[str], names: Sequence[str]) -> None:
    """Rows by true class and by assigned class, shaded by the share of the true class."""
    share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    panel.imshow(share, cmap="Blues", vmin=0, vmax=1)
    for (i, j), count in np.ndenumerate(counts):
        if count and counts.size <= 900:
            ink = "white" if share[i, j] > 0.5 else "black"
            panel.text(j, i, f"{count:,}", ha="center", va="center", fontsize=8, color=ink)
    upright = max(map(len, names)) <= 2
    slant = {} if upright else {"rotation": 45, "ha": "right"}
    panel.set_xticks(range(len(names)), [_short(name) for name in names], **slant)
    panel.set_yticks(range(len(true_names)), [_short(name) for name in true_names])
    panel.set_xlabel("assigned")
    panel.set_ylabel("true")


def _short(name: str) -> str:
    """A name that fits beside an axis, with nothing that matplotlib would take for a formula."""
    return (name if len(name) <= 18 else f"{name[:17]}…").replace("$", r"\$")
