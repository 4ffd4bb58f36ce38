"""Damaged pictures and marks of every format."""

import random
import tempfile
from pathlib import Path

from graphwell.io.images.registry import read_image
from graphwell.io.images.seeds import Painting, read_seeds
from torture.attack import Attack
from torture.mutation import PICTURES, mutated, sound_picture
from torture.sentences import answers_or_tells

FOLDER = tempfile.TemporaryDirectory()


def attempt(seed: int) -> None:
    """Read damaged bytes as a picture, and as marks in one."""
    rng = random.Random(seed)
    suffix = rng.choice(PICTURES)
    path = Path(FOLDER.name) / f"in{suffix}"
    path.write_bytes(mutated(sound_picture(suffix), rng))
    answers_or_tells(lambda: read_image(path, 10**6))
    answers_or_tells(lambda: read_seeds(path, (16, 20), Painting(snap=rng.random() < 0.5), max_pixels=10**6))


ATTACK = Attack(
    "pictures", "damaged PNG, JPEG, TIFF, .npy and .npz pictures and marks", attempt, count=27_000
)
