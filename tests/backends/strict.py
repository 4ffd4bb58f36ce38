"""A stand-in for a library of arrays on a device: they are no arrays of NumPy, and never become any.

It shows on any machine that pictures are segmented where the engine is: an array of the host among those of
the device, or one of the device taken for one of the host, is an error here as it is with CuPy.
"""

from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from scipy import ndimage

from graphwell.backends.cpu.pixels import Movers, Pixels


class StrictArray(NDArrayOperatorsMixin):
    """An array that only functions of its own library take."""

    def __init__(self, values: Any) -> None:
        self.values = values

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError("an array of the device was taken for one of the host")

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return wrapped(getattr(function, method)(*bare(inputs), **bare(options)))

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return wrapped(function(*bare(args), **bare(kwargs)))

    def __getitem__(self, key: Any) -> Any:
        return wrapped(self.values[bare(key)])

    def __setitem__(self, key: Any, values: Any) -> None:
        self.values[bare(key)] = bare(values)

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Any:
        return (StrictArray(np.asarray(part)) for part in self.values)

    def __float__(self) -> float:
        return float(self.values)

    def __bool__(self) -> bool:
        return bool(self.values)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.values, name)
        if not callable(found):
            return wrapped(found)
        return lambda *args, **kwargs: wrapped(found(*bare(args), **bare(kwargs)))


def wrapped(values: Any) -> Any:
    """What the library hands back: its own arrays, numbers as arrays without axes."""
    if isinstance(values, tuple | list):
        return type(values)(wrapped(value) for value in values)
    return StrictArray(np.asarray(values)) if isinstance(values, np.ndarray | np.generic) else values


def bare(values: Any) -> Any:
    """What the library is given: its own arrays and plain numbers, no array of the host."""
    if isinstance(values, StrictArray):
        return values.values
    if isinstance(values, tuple | list):
        return type(values)(bare(value) for value in values)
    if isinstance(values, dict):
        return {name: bare(value) for name, value in values.items()}
    if isinstance(values, np.ndarray):
        raise TypeError("an array of the host was given to a function of the device")
    return values


class Library:
    """Functions of a module, for strict arrays."""

    def __init__(self, module: Any) -> None:
        self._module = module

    def asarray(self, values: Any) -> StrictArray:
        return StrictArray(np.array(values))

    def __getattr__(self, name: str) -> Any:
        function = getattr(self._module, name)
        return lambda *args, **kwargs: wrapped(function(*bare(args), **bare(kwargs)))


class StrictPixels:
    """The verbs of the processor on strict arrays."""

    def __init__(self) -> None:
        self.xp, self.ndimage, self._pixels = Library(np), Library(ndimage), Pixels(1)

    def asarray(self, values: Any) -> Any:
        return self.xp.asarray(values)

    def to_host(self, values: Any) -> Any:
        return values if isinstance(values, np.ndarray) else values.values.copy()

    def log_likelihoods(self, values: Any, *model: Any) -> Any:
        return wrapped(self._pixels.log_likelihoods(bare(values), *model))

    def movers(self, *arguments: Any) -> Movers:
        return Movers(*map(wrapped, vars(self._pixels.movers(*map(inside, arguments))).values()))

    def sweep(self, *arguments: Any) -> Any:
        return self._pixels.sweep(*map(inside, arguments))

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments: wrapped(getattr(self._pixels, name)(*map(inside, arguments)))


def inside(argument: Any) -> Any:
    """An argument of a verb as the processor takes it."""
    if isinstance(argument, StrictArray | tuple | int | float):
        return bare(argument)
    if isinstance(argument, Movers):
        return Movers(*map(bare, vars(argument).values()))
    names = ("size", "begin", "end", "steps", "nearness", "pieces")
    return SimpleNamespace(**{name: bare(getattr(argument, name)) for name in names})
