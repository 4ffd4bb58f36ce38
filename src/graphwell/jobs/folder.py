"""A folder of photographs or texts as a table: a row for each file, compared by the vectors of an encoder."""

import os
import shutil
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from graphwell._types import FloatArray, IntArray
from graphwell._unknown import is_spelled
from graphwell.encoders import photographs, texts
from graphwell.encoders.encode import better_encoder, default_encoder, encode
from graphwell.encoders.report import listed
from graphwell.errors import OptionError, Sentence, counted
from graphwell.graph.knn import build_search, neighbors_of_all
from graphwell.io.cells import Table, as_text, text_column
from graphwell.io.tables import open_table
from graphwell.progress import Progress

PATH, TEXT, LABEL = "path", "text", "label"
"""Columns of the table."""
NEIGHBORS_LOOKED_AT = 4
NEAR = 0.03
"""Largest squared distance of near copies, as a share of the mean between any two."""
PAIRS_NAMED = 3
LONGEST_NAME = 100


def open_folder(options: Any, progress: Progress) -> Table:
    """Read a folder of photographs or of texts; files that cannot be read are left out and named."""
    folder: Path = options.table
    notes: list[Sentence] = []
    found, takes = _files(folder, notes)
    name = default_encoder(takes) if options.encoder == "auto" else options.encoder
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of files that cannot be read: they are named here
        vectors = encode([folder / path for path in found], name, cache=options.cache, progress=progress)
    readable = np.asarray(np.isfinite(vectors).all(axis=1))
    if not readable.all():
        lost = [path for path, is_sound in zip(found, readable.tolist(), strict=True) if not is_sound]
        told = counted(len(lost), "file")
        notes.append(Sentence("{} left out, as reading failed: {}.", (told, listed(lost))))
        found, vectors = [path for path in found if path not in set(lost)], vectors[readable]
    if len(found) < 2:
        raise OptionError("table", "{field} {}: at least two files that can be read are needed.", folder)
    better = better_encoder(takes) if options.encoder == "auto" else None
    told = "The {:,} files are compared by {:,} numbers of the encoder {}"
    hint = "." if better is None else f"; {better} brings a better one."
    notes.append(Sentence(told + hint, (len(found), vectors.shape[1], name)))
    groups, near = near_copies(vectors)
    if near:
        copies = len(groups) - len(np.unique(groups))
        how = "is a near copy of another" if copies == 1 else "are near copies of others"
        pairs = "; ".join(f"{found[a]} and {found[b]}" for a, b in near[:PAIRS_NAMED])
        told = "{} {} ({}); near copies are held out together."
        notes.append(Sentence(told, (counted(copies, "file"), how, pairs)))
    columns = {PATH: text_column(found), options.label or LABEL: text_column(_labels(found, options, notes))}
    if hasattr(options, "text_column") and takes == "texts":  # shown on a page
        columns[TEXT] = text_column([texts.read_text(folder / path) for path in found])
    import pandas

    frame = pandas.DataFrame({name: column.astype(object) for name, column in columns.items()})
    block = pandas.DataFrame(vectors, columns=[f"{name} {i + 1}" for i in range(vectors.shape[1])])
    return Table(folder, frame, written=columns, vectors=block, groups=groups, notes=tuple(notes))


def _files(folder: Path, notes: list[Sentence]) -> tuple[list[str], str]:
    """Names of the files inside a folder, and whether they are images or texts, whichever are more."""
    by_kind: dict[str, list[str]] = {"images": [], "texts": []}
    others: Counter[str] = Counter()
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            suffix, path = Path(name).suffix.lower(), Path(place, name).relative_to(folder).as_posix()
            if name.startswith("."):
                continue
            if suffix in photographs.SUFFIXES:
                by_kind["images"].append(path)
            elif suffix in texts.SUFFIXES:
                by_kind["texts"].append(path)
            else:
                others[suffix or name] += 1
    takes = "texts" if len(by_kind["texts"]) > len(by_kind["images"]) else "images"
    if not by_kind[takes]:
        problem = "{field} {}: the folder holds no photographs and no texts (.txt, .md)."
        raise OptionError("table", problem, folder)
    other = "images" if takes == "texts" else "texts"
    if by_kind[other]:
        others[other] = len(by_kind[other])
    if others:
        kinds = listed([f"{count:,} {kind}" for kind, count in others.most_common()])
        notes.append(Sentence("Files of other kinds are left out: {}.", (kinds,)))
    return sorted(by_kind[takes]), takes


def _labels(found: list[str], options: Any, notes: list[Sentence]) -> list[str]:
    """Given labels of the files: from a table, from the names of their folders, or none."""
    labels = [""] * len(found)
    if options.labels_from_folders:
        for place, path in enumerate(found):
            first, slash, _ = path.partition("/")
            labels[place] = first if slash and not is_spelled(text_column([first]))[0] else ""
    if options.labels is None:
        return labels
    table = open_table(options.labels)
    label = options.label or LABEL
    for name in (PATH, label):
        if name not in table.names:
            problem = "{field} {}: there is no column {!r}; it needs a path and a label in each row."
            raise OptionError("labels", problem, options.labels, name)
    by_path = {path: place for place, path in enumerate(found)}
    names = Counter(path.rpartition("/")[2] for path in found)
    by_path |= {
        path.rpartition("/")[2]: p for p, path in enumerate(found) if names[path.rpartition("/")[2]] == 1
    }
    unknown: list[str] = []
    for path, given in zip(as_text(table.column(PATH)).tolist(), table.text(label).tolist(), strict=True):
        inside, root = Path(path).resolve(), options.table.resolve()
        name = inside.relative_to(root).as_posix() if inside.is_relative_to(root) else path
        at = by_path.get(Path(path).as_posix(), by_path.get(name))
        if at is None:
            unknown.append(path)
        elif given.strip():
            labels[at] = given.strip()
    if unknown:
        told = "{:,} rows of {} name no file that is compared: {}."
        notes.append(Sentence(told, (len(unknown), options.labels.name, listed(unknown))))
    return labels


def near_copies(vectors: FloatArray) -> tuple[IntArray, list[tuple[int, int]]]:
    """Groups of rows that are nearly equal, and the nearest pairs of them.

    Nearly equal are rows whose squared distance is a small share of the mean between any two, which is twice
    the variance.
    """
    n = len(vectors)
    points = np.ascontiguousarray(vectors, dtype=np.float64)
    k = min(NEIGHBORS_LOOKED_AT, n - 1)
    near, distances = neighbors_of_all(build_search(points, k + 1), k)
    far = 2 * float(points.var(axis=0).sum())
    rows, columns = np.nonzero(distances**2 <= NEAR * far)
    others = near[rows, columns]
    links = sparse.coo_array((np.ones(len(rows)), (rows, others)), (n, n))
    groups = connected_components(links, directed=False)[1].astype(np.int64)
    order = np.argsort(distances[rows, columns], kind="stable")
    pairs = list(
        dict.fromkeys(
            (min(a, b), max(a, b)) for a, b in zip(rows[order].tolist(), others[order].tolist(), strict=True)
        )
    )
    return groups, pairs


# ------------------------------------------------------------------------------------------------ sorting


def sort_files(table: Table, labels: Any, target: Path) -> None:
    """Put a link to each file, or a copy where links cannot be made, into a subfolder for its class."""
    taken: set[str] = set()
    for path, label in zip(table.text(PATH).tolist(), labels.tolist(), strict=True):
        safe = "".join("-" if c in '/\\:*?"<>|' or ord(c) < 32 else c for c in label or "unknown").strip(" .")
        folder = target / (safe[:LONGEST_NAME] or "-")
        folder.mkdir(exist_ok=True)
        name = path.rpartition("/")[2]
        if f"{folder.name}/{name}".casefold() in taken:  # of another folder: its whole path is its name
            name = path.replace("/", "-")
        taken.add(f"{folder.name}/{name}".casefold())
        source = (table.path / path).resolve()
        try:
            (folder / name).symlink_to(source)
        except OSError:
            shutil.copyfile(source, folder / name)
