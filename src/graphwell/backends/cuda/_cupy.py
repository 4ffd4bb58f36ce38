"""The one place that imports CuPy: its device, compiled kernels, and sentences for what is missing."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib.resources import files
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from graphwell.errors import with_sentence
from graphwell.memory import in_words

GpuArray: TypeAlias = Any
"""An array of CuPy, which need not be installed for types to be checked."""

INSTALL = 'pip install "graphwell[cuda]"'
OLDEST_CAPABILITY = 70
"""Older ones lack the memory order that sweeps rely on."""
COOPERATIVE = ("sweeps_at_rest",)
"""Kernels whose blocks wait for each other, and so must all run at once."""
RESERVED_SHARED_MEMORY = 2048
"""Shared memory that kernels declare themselves, and that the GPU keeps for its own use."""
THREADS = 256
"""Threads of a block in kernels that have no reason for another number."""


@lru_cache(maxsize=1)
def cupy() -> Any:
    """Return CuPy, or say in a sentence why there is no GPU to compute on."""
    try:
        import cupy as library
    except ImportError as error:
        missing = isinstance(error, ModuleNotFoundError) and error.name == "cupy"
        why = "is not installed" if missing else f"cannot be loaded ({' '.join(str(error).split())})"
        problem = '{device="cuda"} needs CuPy, which {}; use {}, or {device="cpu"}.'
        raise with_sentence(ImportError, problem, why, INSTALL) from error
    try:
        count = library.cuda.runtime.getDeviceCount()
    except library.cuda.runtime.CUDARuntimeError as error:
        raise _trouble(library, str(error)) from error
    if count == 0:
        raise _trouble(library, "cudaErrorNoDevice")
    capability = int(library.cuda.Device().compute_capability)
    if capability < OLDEST_CAPABILITY:
        problem = (
            '{device="cuda"} needs an NVIDIA GPU of compute capability {} or newer, and this one has {}; '
            'use {device="cpu"}.'
        )
        raise with_sentence(OSError, problem, OLDEST_CAPABILITY / 10, capability / 10)
    return library


def filters() -> Any:
    """Return CuPy's twin of `scipy.ndimage`."""
    cupy()
    from cupyx.scipy import ndimage

    return ndimage


def gpu_name() -> str:
    """The GPU that is used, in words; what is missing is told as by `cupy`."""
    properties = cupy().cuda.runtime.getDeviceProperties(0)
    return f"{properties['name'].decode()}, {in_words(properties['totalGlobalMem'])}"


def _trouble(library: Any, error: str) -> OSError:
    if "InsufficientDriver" in error:
        built = library.cuda.runtime.runtimeGetVersion()
        problem = (
            "The NVIDIA driver is too old for CUDA {}.{}, which CuPy was built for; update the driver, "
            'install CuPy for an older CUDA, or use {device="cpu"}.'
        )
        return with_sentence(OSError, problem, built // 1000, built % 1000 // 10)
    if "NoDevice" in error:
        problem = (
            '{device="cuda"} needs an NVIDIA GPU, and none was found on this machine; use {device="cpu"}.'
        )
        return with_sentence(OSError, problem)
    return with_sentence(
        OSError, '{device="cuda"} cannot use the NVIDIA GPU ({}); use {device="cpu"}.', error
    )


@lru_cache(maxsize=64)
def cuda_kernel(file: str, name: str, **defined: str | int) -> Any:
    """Return a kernel of one of the ``.cu`` files here, compiled with these macros.

    Without fused multiply-adds: sums then round as they do on the CPU.
    """
    return _module(file, tuple(sorted(defined.items())), name in COOPERATIVE).get_function(name)


@lru_cache(maxsize=64)
def _module(file: str, defined: tuple[tuple[str, str | int], ...], cooperative: bool) -> Any:
    options = ("--std=c++17", "--fmad=false", *(f"-D{macro}={value}" for macro, value in defined))
    return cupy().RawModule(code=_source(file), options=options, enable_cooperative_groups=cooperative)


def _source(file: str) -> str:
    """Text of a file here, the files it includes put in their places."""
    text = (files(__package__) / file).read_text(encoding="utf-8")
    return re.sub(r'#include "(\w+\.cuh)"\n', lambda found: _source(found[1]), text)


class Limits(NamedTuple):
    """Sizes of the GPU: multiprocessors, bytes of shared memory for a block, blocks that can wait."""

    n_processors: int
    shared_memory: int
    blocks_can_wait: bool


@lru_cache(maxsize=1)
def gpu_limits() -> Limits:
    """Limits of the GPU; its library looks hundreds of them up whenever it is asked for one."""
    attributes = cupy().cuda.Device().attributes
    shared = int(attributes["MaxSharedMemoryPerBlockOptin"]) - RESERVED_SHARED_MEMORY
    return Limits(int(attributes["MultiProcessorCount"]), shared, bool(attributes["CooperativeLaunch"]))


def kind_of(array: Any) -> str:
    """Precision of an array, as kernels call it."""
    return "float" if array.dtype == np.float32 else "double"


def launch(function: Any, threads: int, arguments: tuple[Any, ...], block: int = THREADS) -> None:
    """Run a kernel with at least so many threads; plain integers are passed as 32 bits."""
    if threads > 0:
        function((-(-threads // block),), (block,), tuple(map(_argument, arguments)))


def _argument(value: Any) -> Any:
    return np.int32(value) if type(value) is int else value


def free_memory() -> int:
    """Bytes that arrays can still take on the GPU: what the driver has left, and what CuPy holds back."""
    library = cupy()
    return int(library.cuda.runtime.memGetInfo()[0] + library.get_default_memory_pool().free_bytes())


@contextmanager
def memory_in_words(what: str, needed: int, less: str = "fewer rows or neighbours") -> Iterator[None]:
    """Turn CuPy's lack of memory into a sentence with the bytes that are needed and those that are free.

    `less` is what would take less.
    """
    library = cupy()
    if needed > free_memory():
        raise MemoryError(_too_much(what, needed, less))
    try:
        yield
    except library.cuda.memory.OutOfMemoryError as error:
        raise MemoryError(_too_much(what, needed, less)) from error


def _too_much(what: str, needed: int, less: str) -> str:
    return (
        f"The GPU has too little memory for {what}: about {in_words(needed)} are needed and "
        f'{in_words(free_memory())} are free; use {less}, or device="cpu".'
    )
