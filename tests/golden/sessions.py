"""A labelling and a painting session: the program in a process of its own, and a window without a browser."""

import csv
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from PIL import Image

import graphwell as gw
from tests.serve.pages import write_groups
from tests.serve.server import Server

Output = dict[str, Any]


def labelling() -> Output:
    """Classes named before and meanwhile, one renamed, undo and redo: what was told and written."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        table, _ = write_groups(folder)
        options = ("--id", "name", "--classes", "first,second", "--jobs", 1)
        with Server("label", table, *options, folder=folder) as server, server.channel() as window:
            window.until("positions")
            told = []
            for command, message in (
                ("label", {"rows": [0], "class": 0}),
                ("label", {"rows": [40, 41], "class": 1}),
                ("add class", {"name": "third"}),
                ("label", {"rows": [80], "class": 2}),
                ("rename class", {"class": 1, "name": "middle"}),
                ("undo", {}),
                ("redo", {}),
                ("label", {"rows": [3, 81], "class": 2}),
                ("undo", {}),
            ):
                number = window.do(command, **message)["ok"]["number"]
                answers = next(e for e in reversed(window.events) if e.get("event") == "answers")
                classes = [(known["name"], known["key"]) for known in answers["classes"]]
                told.append([command, number, answers["rows"], answers["codes"], classes])
            while not (last := _model(window.events, number)):
                window.receive()
            window.do("export")
        with (folder / "groups.labelled.csv").open(newline="") as file:
            written = list(csv.DictReader(file))
        return {
            "told": [str(step) for step in told],
            "sizes": [f"{known}: {size}" for known, size in sorted(last["sizes"].items())],
            "labels": [row["graphwell_label"] for row in written],
            "given": [row["graphwell_given"] for row in written],
        }


def painting() -> Output:
    """Strokes of two classes, undo and redo: the labels that were shown for each, and those saved."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        image, _ = gw.datasets.make_grey_image(60, 70, noise=0.1, random_state=0)
        Image.fromarray(np.round(255 * np.clip(image, 0, 1)).astype(np.uint8)).save(folder / "a.png")
        shown = []
        options = ("--classes", "leaf,ground", "--jobs", 1)
        with Server("paint", folder / "a.png", *options, folder=folder) as server, server.channel() as window:
            window.until("picture")
            for command, points in (
                ("stroke", [[5, 5], [60, 5]]),
                ("stroke", [[30, 30], [40, 30]]),
                ("stroke", [[50, 20], [50, 50]]),
                ("undo", None),
                ("redo", None),
                ("undo", None),
            ):
                kind = 1 if points and points[0] == [30, 30] else 0
                stroke = {"class": kind, "width": 3, "erase": False, "points": points} if points else {}
                number = window.do(command, **stroke)["ok"]
                while not (fine := _fine(window.events, number)):
                    window.receive()
                shown.append(np.frombuffer(fine["body"], dtype=np.uint8)[: 60 * 70])
            window.do("save")
        saved = np.asarray(Image.open(folder / "painted" / "a_labels.png"))
        return {"shown": np.stack(shown), "saved": saved}


def _fine(events: list[Output], number: int) -> Output | None:
    """The segmentation of the whole picture that knows an action; it can come before the reply to that."""
    told = (event for event in reversed(events) if event.get("event") == "segmentation")
    return next((event for event in told if event["number"] == number and not event["coarse"]), None)


def _model(events: list[Output], number: int) -> Output | None:
    return next((e for e in events if e.get("event") == "model" and e.get("number") == number), None)
