"""Damaged tables of every format."""

import random
import tempfile
from pathlib import Path

from graphwell.io.tables.base import open_table
from graphwell.jobs.options import TableOptions
from graphwell.jobs.table import read_rows
from torture.attack import Attack
from torture.mutation import TABLES, mutated, sound_table
from torture.sentences import answers_or_tells

FOLDER = tempfile.TemporaryDirectory()


def attempt(seed: int) -> None:
    """Read a damaged table to its last label."""
    rng = random.Random(seed)
    suffix = rng.choice(TABLES)
    path = Path(FOLDER.name) / f"in{suffix}"
    path.write_bytes(mutated(sound_table(suffix), rng))
    answers_or_tells(lambda: _read(path))


def _read(path: Path) -> None:
    read_rows(open_table(path), TableOptions(table=path))


ATTACK = Attack("tables", "damaged CSV, TSV, .npy, .npz, Parquet, JSON, Excel", attempt, count=30_000)
