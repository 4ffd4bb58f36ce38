"""Public data sets: downloaded once, when asked for, and held against their checksums."""

import hashlib
import os
import zlib
from collections.abc import Iterator
from pathlib import Path

from graphwell.datasets.sources import SOURCES, Checksum, Source
from graphwell.io.files import written_together, written_whole

SECONDS = 60
"""How long a server may stay silent."""
PIECE = 1 << 20
GZIP = 31
"""What zlib calls a gzipped stream."""


def fetch(name: str, data_dir: str | Path | None = None) -> Path:
    """Return the folder of a public data set, which is downloaded if one of its files is missing.

    Files appear all together, once all of them are known to be sound. Nothing else in graphwell downloads
    anything; `load_mnist` calls this where it finds no files.

    Parameters
    ----------
    name : {"mnist", "fashion-mnist"}
    data_dir : str or Path, optional
        Folder that holds the folder of the data set, or gets it. By default those that have all files among
        ``GRAPHWELL_DATA`` and the user's cache, else the cache.

    Returns
    -------
    Path
        `load_mnist` reads both.

    Examples
    --------
    >>> X, y = load_mnist(fetch("fashion-mnist"))  # doctest: +SKIP
    """
    if name not in SOURCES:
        raise ValueError(f"There is no data set {name!r}; there are {', '.join(SOURCES)}.")
    source = SOURCES[name]
    places = [Path(data_dir)] if data_dir is not None else list(usual_folders())
    for place in places:
        folder = place / name
        if all((folder / file).is_file() for file in source.files):
            for file, wanted in source.files.items():
                check_bytes(folder / file, (folder / file).read_bytes(), wanted)
            return folder
    folder = (Path(data_dir) if data_dir is not None else users_cache()) / name
    _download_all(source, folder)
    return folder


def usual_folders() -> Iterator[Path]:
    """Folders that data sets are looked for in."""
    if os.environ.get("GRAPHWELL_DATA"):
        yield Path(os.environ["GRAPHWELL_DATA"])
    yield users_cache()


def users_cache() -> Path:
    """Where downloaded data is kept."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "graphwell"


def check_bytes(path: Path, content: bytes, wanted: Checksum) -> None:
    """Refuse bytes that are not those of the public file.

    Examples
    --------
    >>> check_bytes(Path("a"), b"abc", Checksum("md5", "900150983cd24fb0d6963f7d28e17f72"))
    >>> check_bytes(Path("a"), b"abd", Checksum("md5", "900150983cd24fb0d6963f7d28e17f72"))
    Traceback (most recent call last):
    ValueError: a is not the file that it should be: its md5 is 4911e516e5aa21d327512e0c8b197616, ...
    """
    if wanted.unpacked:
        try:
            content = zlib.decompress(content, GZIP)
        except zlib.error as error:
            raise ValueError(f"{path} is truncated or corrupt ({error}); remove it and try again.") from error
    found = hashlib.new(wanted.kind, content, usedforsecurity=False).hexdigest()
    if found != wanted.digest:
        raise ValueError(
            f"{path} is not the file that it should be: its {wanted.kind} is {found}, not {wanted.digest}; "
            "remove it and try again."
        )


def _download_all(source: Source, folder: Path) -> None:
    """Put all files of a data set into a folder, or none."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OSError(
            f"{folder} cannot be made ({error.strerror}); fetch the data into another folder, as data_dir."
        ) from error
    with written_together() as held:
        for file, wanted in source.files.items():
            content = _download(source, file)
            check_bytes(Path(source.address + file), content, wanted)
            held.enter_context(written_whole(folder / file)).write(content)


def _download(source: Source, file: str) -> bytes:
    """The bytes of a file in a public place; a server that sends too many is stopped."""
    from urllib.request import urlopen

    address = source.address + file
    pieces, size = [], 0
    try:
        with urlopen(address, timeout=SECONDS) as answer:
            while piece := answer.read(PIECE):
                pieces.append(piece)
                size += len(piece)
                if size > source.most_bytes:
                    raise ValueError(
                        f"{address} sends more than the {source.most_bytes:,} bytes it may have."
                    )
    except OSError as error:
        raise OSError(
            f"{address} could not be downloaded ({error}); "
            "put the file into a folder of that name and give the one above as data_dir."
        ) from error
    return b"".join(pieces)
