"""Damaged tables of every format."""

import random
import tempfile
from pathlib import Path

from graphwell.io.tables.base import open_table
from graphwell.jobs.columns import Roles, named_columns, read_features
from graphwell.jobs.facts import read_given
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
    table, roles = open_table(path), Roles("label")
    named_columns(table, roles)
    read_given(table, roles)
    read_features(table, roles)


ATTACK = Attack("tables", "damaged CSV, TSV, .npy, .npz, Parquet, JSON, Excel", attempt, count=30_000)
