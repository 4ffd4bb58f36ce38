"""Changed pixels of a marked picture, and the paints that they are made of."""

from dataclasses import dataclass

import numpy as np

from graphwell._types import BoolArray, IntArray


@dataclass(frozen=True, eq=False)
class Layer:
    """Changed pixels of a marked picture, over what is below them.

    Attributes
    ----------
    colors : array of shape (height, width)
        Packed colours.
    changed : array of shape (height, width)
        Where they are not the ground.
    ground : array of shape (height, width, 3) or (3,), optional
        Colours below; None where the ground is transparent, so that edges have no mixed colours.
    exact : bool
        Whether colours are as they were painted; compression changes them.
    """

    colors: IntArray
    changed: BoolArray
    ground: IntArray | None
    exact: bool = True


@dataclass(frozen=True, eq=False)
class Paints:
    """The paints of a layer.

    Attributes
    ----------
    colors : array of shape (n_paints,)
        Packed, in ascending order.
    places : array of shape (height, width)
        Place of each pixel's paint among them, or -1.
    mixed, left : int
        Marked pixels of another colour than their paint, and changed pixels that got no class.
    clear : bool
        Whether paints explain nearly all that was changed.
    """

    colors: IntArray
    places: IntArray
    mixed: int
    left: int
    clear: bool


def no_paints(layer: Layer, *, clear: bool) -> Paints:
    """Nothing that was found: because nothing was changed, or because it is not clear what was."""
    none = np.array([], dtype=np.int64)
    return Paints(none, np.full(layer.colors.shape, -1, dtype=np.int32), 0, int(layer.changed.sum()), clear)
