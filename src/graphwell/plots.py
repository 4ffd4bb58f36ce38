"""Pictures. The only module that imports matplotlib, and only when a picture is drawn."""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.solve.result import Result

CLASS_COLORS = "tab10"
GIVEN_COLOR = "black"


def new_figure(columns: int, width: float = 4.5, height: float = 4.0, rows: int = 1) -> tuple[Any, Any]:
    """Return a figure and a flat array of its panels, without touching the global state of pyplot."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    return figure, np.atleast_1d(figure.subplots(rows, columns)).ravel()


def save(figure: Any, path: Path) -> None:
    """Write a figure as PNG."""
    figure.savefig(path, dpi=120)


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


def mark_given(panel: Any, points: FloatArray, labels: IntArray) -> None:
    """Ring the points whose label was given."""
    from matplotlib import colormaps

    given = labels >= 0
    colors = [colormaps[CLASS_COLORS](int(c) % 10) for c in labels[given]]
    panel.scatter(points[given, 0], points[given, 1], s=34, c=colors, edgecolors=GIVEN_COLOR, linewidths=0.8)


def energy_per_step(panel: Any, results: Sequence[tuple[str, Result]]) -> None:
    """Energy of each result against the number of the schedule step."""
    for name, result in results:
        panel.plot(np.arange(1, len(result.energies) + 1), result.energies, marker=".", label=name)
    panel.set_xlabel("step of the schedule")
    panel.set_ylabel("energy")
    panel.set_yscale("log")
    panel.set_title("Energy per step")
    panel.legend(frameon=False)


def mark_wrong(panel: Any, points: FloatArray, wrong: BoolArray) -> None:
    """Cross out the points that got a wrong label."""
    panel.scatter(points[wrong, 0], points[wrong, 1], s=28, color="red", marker="x", linewidths=1)


def as_png(figure: Any) -> bytes:
    """A figure as the bytes of a PNG file."""
    file = BytesIO()
    figure.savefig(file, format="png", dpi=120)
    return file.getvalue()
