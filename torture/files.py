"""Damaged files of every format: tables, pictures and marks.

An attempt in Python must end with an answer, or with an error that is one sentence.
"""

import gzip
import io
import random
import resource
import struct
import tempfile
import threading
import warnings
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from graphwell.cli._run import EXPECTED, sentence
from graphwell.io.images import read_image, read_seeds
from graphwell.io.tables import open_table
from graphwell.jobs.table import TableOptions, read_rows
from torture.attack import Lost, attack

TABLES = (".csv", ".tsv", ".npz", ".parquet", ".jsonl", ".xlsx")
PICTURES = (".png", ".jpg", ".tif", ".npy", ".npz")
ODD = (
    b"\0", b"\xff", b"\n", b",", b'"', b"-1", b"1e308", b"nan", b"\x80", b"PK\x03\x04",
    b"\x7f\xff\xff\xff",
)  # fmt: skip


def mutated(content: bytes, rng: random.Random) -> bytes:
    """The same bytes, damaged in one to four places."""
    data = bytearray(content)
    for _ in range(rng.randint(1, 4)):
        place = rng.randint(0, len(data))
        kind = rng.randrange(6)
        if kind == 0 and data:
            data[place % len(data)] ^= 1 << rng.randrange(8)
        elif kind == 1:
            del data[place : place + rng.randint(1, 64)]
        elif kind == 2:
            data[place:place] = rng.randbytes(rng.randint(1, 16))
        elif kind == 3:
            data[place:place] = rng.choice(ODD)
        elif kind == 4:
            data[place:place] = data[place // 2 : place // 2 + rng.randint(1, 200)]
        else:
            del data[place:]
    return bytes(data)


@cache
def sound_table(suffix: str) -> bytes:
    """A small table with labels."""
    import pandas as pd

    rng, out = np.random.default_rng(0), io.BytesIO()
    frame = pd.DataFrame(rng.normal(size=(30, 3)).round(3), columns=["x", "y", "z"])
    frame["label"] = ["a", "b", "c"] + [""] * 27
    if suffix in (".csv", ".tsv"):
        return frame.to_csv(index=False, sep="," if suffix == ".csv" else "\t").encode()
    if suffix == ".jsonl":
        return frame.to_json(orient="records", lines=True).encode()
    if suffix == ".npz":
        np.savez(out, X=frame[["x", "y", "z"]].to_numpy(), label=frame.label.to_numpy().astype("U"))
    elif suffix == ".xlsx":
        frame.to_excel(out, index=False)
    else:
        frame.to_parquet(out)
    return out.getvalue()


@cache
def sound_picture(suffix: str) -> bytes:
    """A small picture, whose colours also serve as marks."""
    from PIL import Image

    out, pixels = io.BytesIO(), np.zeros((16, 20, 3), dtype=np.uint8)
    pixels[4:8, 2:6], pixels[10:14, 12:18] = (255, 0, 0), (0, 255, 0)
    if suffix in (".npy", ".npz"):
        save = np.save if suffix == ".npy" else np.savez
        save(out, pixels[..., 0].astype(int) // 255)
    else:
        names = {".png": "PNG", ".jpg": "JPEG", ".tif": "TIFF"}
        Image.fromarray(pixels).save(out, format=names[suffix])
    return out.getvalue()


OTHER_NAMES = "The feature names should match those that were passed during fit"
"""How scikit-learn begins what it says of other columns; its own tests of classifiers ask for its words."""


def answers_or_tells(attempt: Callable[[], Any]) -> Any:
    """Return what an attempt answers, None if it is refused in a sentence; anything else is lost."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return attempt()
    except EXPECTED as error:
        said = sentence(error)
        if not said.rstrip().endswith((".", "?")) and not said.startswith(OTHER_NAMES):
            raise Lost(f"no sentence: {type(error).__name__}: {said}") from error
        return None


FOLDER = tempfile.TemporaryDirectory()


@attack("tables", "damaged CSV, TSV, .npz, Parquet, JSON, Excel", count=30000)
def read_damaged_table(seed: int) -> None:
    """Read a damaged table to its last label."""
    rng = random.Random(seed)
    suffix = rng.choice(TABLES)
    path = Path(FOLDER.name) / f"in{suffix}"
    path.write_bytes(mutated(sound_table(suffix), rng))
    answers_or_tells(lambda: _read(path))


def _read(path: Path) -> Any:
    return read_rows(open_table(path), TableOptions(table=path)).encoded()


@attack("pictures", "damaged PNG, JPEG, TIFF, .npy and .npz pictures and marks", count=27000)
def read_damaged_picture(seed: int) -> None:
    """Read damaged bytes as a picture, and as marks in one."""
    rng = random.Random(seed)
    suffix = rng.choice(PICTURES)
    path = Path(FOLDER.name) / f"in{suffix}"
    path.write_bytes(mutated(sound_picture(suffix), rng))
    answers_or_tells(lambda: read_image(path, 10**6))
    answers_or_tells(lambda: read_seeds(path, (16, 20), max_pixels=10**6))


MEMORY = 600 * 2**20
"""That no file of some kilobytes may take."""
HUGE = (30_000, 60_000, 65_000)


@attack("bombs", "small files that say they are huge: PNG, JPEG, TIFF, gzip, .npz", count=300)
def read_bomb(seed: int) -> None:
    """Read a file that would fill the memory: refused in a sentence before it does."""
    rng = random.Random(seed)
    suffix = rng.choice((".png", ".jpg", ".tif", ".csv.gz", ".npz"))
    path = Path(FOLDER.name) / f"bomb{suffix}"
    path.write_bytes(bomb(suffix, rng.choice(HUGE), rng.choice(HUGE)))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if suffix in (".csv.gz", ".npz"):
        found = answers_or_tells(lambda: _read(path))
    else:
        found = answers_or_tells(lambda: read_image(path, 10**8))
        found = found or answers_or_tells(lambda: read_seeds(path, (16, 20), max_pixels=10**8))
    took = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    if took > MEMORY:
        raise Lost(f"{suffix}: {took / 2**20:.0f} MiB for {path.stat().st_size:,} bytes")
    if found is not None:
        raise Lost(f"{suffix}: it was taken")


@cache
def bomb(suffix: str, height: int, width: int) -> bytes:
    """A picture whose header has this size, or zeros that were compressed."""
    if suffix == ".csv.gz":
        return gzip.compress(b"x,y,label\n1,2,a\n" + b"0,0,\n" * 10**8)
    if suffix == ".npz":
        np.savez_compressed(out := io.BytesIO(), X=np.zeros((10**8, 2), dtype=np.int8))
        return out.getvalue()
    data = bytearray(sound_picture(suffix))
    if suffix == ".png":
        data[16:24] = struct.pack(">II", width, height)
        data[29:33] = struct.pack(">I", zlib.crc32(data[12:29]))
    elif suffix == ".jpg":
        place = data.index(b"\xff\xc0") + 5
        data[place : place + 4] = struct.pack(">HH", height, width)
    else:
        for tag, size in ((256, width), (257, height)):
            place = min(p for p in (data.find(struct.pack("<HHI", tag, kind, 1)) for kind in (3, 4)) if p > 0)
            data[place : place + 12] = struct.pack("<HHII", tag, 4, 1, size)
    return bytes(data)


@attack("changing", "files that change while they are read", count=300)
def read_changing(seed: int) -> None:
    """Read a table or a picture that another thread damages, cuts short and mends meanwhile."""
    rng, over = random.Random(seed), threading.Event()
    suffix = rng.choice((*TABLES, *PICTURES[:3]))
    path = Path(FOLDER.name) / f"changing{suffix}"
    sound = sound_table(suffix) if suffix in TABLES else sound_picture(suffix)
    path.write_bytes(sound)

    def change() -> None:
        other = random.Random(seed + 1)
        while not over.wait(other.uniform(0, 0.003)):
            damaged = other.choice((mutated(sound, other), sound[: other.randrange(len(sound))], b""))
            path.write_bytes(damaged)
            path.write_bytes(sound)

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(10):
            answers_or_tells(lambda: _read(path) if suffix in TABLES else read_image(path, 10**6))
    finally:
        over.set()
        thread.join()
