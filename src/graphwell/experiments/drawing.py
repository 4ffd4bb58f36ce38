"""What the figures of the experiments share. Panels come from `graphwell.view.plots`."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray


def show_image(panel: Any, image: FloatArray, title: str) -> None:
    """A grey picture, 0 black and 1 white, without axes."""
    panel.imshow(image, cmap="gray", vmin=0, vmax=1, interpolation="nearest")
    panel.set_title(title, fontsize=10)
    panel.set_xticks([])
    panel.set_yticks([])


def show_wrong_pixels(panel: Any, image: FloatArray, wrong: BoolArray, title: str) -> None:
    """A grey picture with its wrong pixels in red."""
    colored = np.repeat(0.25 + 0.6 * image[..., None], 3, axis=2)
    colored[wrong] = (0.85, 0.1, 0.1)
    panel.imshow(colored, interpolation="nearest")
    panel.set_title(title, fontsize=10)
    panel.set_xticks([])
    panel.set_yticks([])


def show_confusion(panel: Any, matrix: IntArray, title: str, darkest: int) -> None:
    """A confusion matrix, rows obtained and columns true; its mistakes coloured up to the count `darkest`."""
    mistakes = np.where(np.eye(len(matrix), dtype=bool), 0, matrix)
    panel.imshow(np.sqrt(mistakes), cmap="Reds", vmin=0, vmax=np.sqrt(darkest))
    for row, column in np.ndindex(matrix.shape):
        weight = "bold" if row == column else "normal"
        panel.text(
            column, row, f"{matrix[row, column]}", ha="center", va="center", fontsize=7, fontweight=weight
        )
    panel.set_xticks(range(len(matrix)))
    panel.set_yticks(range(len(matrix)))
    panel.set_xlabel("true")
    panel.set_ylabel("obtained")
    panel.set_title(title, fontsize=11)


def draw_curves(
    panel: Any, x: Sequence[float], curves: Mapping[str, Sequence[Sequence[float]]], x_label: str
) -> None:
    """Mean of each curve with a band from its smallest to its largest value, in per cent."""
    for name, values in curves.items():
        means = [np.mean(v) for v in values]
        drawn = panel.plot(x, means, marker="o", markersize=4, label=name)[0]
        low, high = [min(v) for v in values], [max(v) for v in values]
        panel.fill_between(x, low, high, color=drawn.get_color(), alpha=0.15, linewidth=0)
    panel.set_xlabel(x_label)
    panel.set_ylabel("error (%)")
    panel.set_ylim(bottom=0)
    panel.grid(alpha=0.3)
    panel.legend(frameon=False)
