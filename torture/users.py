"""What users of the pages do, and what they expect to find again: the fold of all that was answered."""

import json
import math
import random
from pathlib import Path
from typing import Any

import numpy as np

from graphwell.serve.answers import Annotations, ClassList
from graphwell.serve.painting import Strokes
from torture.attack import Lost

N_ROWS = 60
SHAPE = (24, 30)
ODD: tuple[Any, ...] = (
    None, True, -1, 0, 1, 10**30, 1.5, math.nan, math.inf, 1e-300, "", "x", "\ud800", "\0<b>", "#+12345", [],
    [[]], [None], [10**30], [0, "a"], [math.nan], {}, {"do": "undo"}, "9" * 5000, [[0, 0]] * 6000,
    list(range(99)),
)  # fmt: skip
TEXTS = (
    "", "{", "[]", "5", '"undo"', "null", '{"do": []}', '{"do": "fly"}', "[" * 100_000, "\ud7ff", '{"id": 1}',
)  # fmt: skip


def nonsense(message: str, rng: random.Random) -> str | bytes:
    """A message with an odd value, or none at all; it may make sense by chance."""
    kind = rng.randrange(5)
    if kind == 0:
        return rng.choice(TEXTS)
    if kind == 1:
        return rng.randbytes(rng.randint(0, 40))
    told = json.loads(message)
    name = rng.choice([name for name in told if name not in ("do", "id")] or ["text"])
    if kind == 2:
        told.pop(name, None)
    else:
        told[rng.choice((name, "class", "rows", "id", "weight", "points"))] = rng.choice(ODD)
    return json.dumps(told)


class User:
    """Somebody at a page, who remembers what was answered.

    Parameters
    ----------
    rng : random.Random
    """

    arguments: tuple[str, ...]
    journal: str
    files: tuple[str, ...]
    event: str
    keeps: tuple[str, ...]

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.done: list[dict[str, Any]] = []
        self.undone: list[dict[str, Any]] = []
        self.said: list[dict[str, Any]] = []  # all that must stand in the journal

    def furnish(self, folder: Path) -> None:
        """Put what the page needs into its folder."""
        raise NotImplementedError

    def message(self) -> str:
        """Something that makes sense, mostly."""
        raise NotImplementedError

    def expected(self) -> dict[str, Any]:
        """What a new window must be told."""
        raise NotImplementedError

    def steps(self, command: str) -> int:
        """How often one can undo, or redo."""
        return len(self.done if command == "undo" else self.undone)

    def was_answered(self, message: str | bytes, answer: dict[str, Any]) -> None:
        """Remember what was done; anything that was not must be told in a sentence."""
        if "ok" in answer:
            assert isinstance(message, str)
            self.remember(message, answer["ok"])
        elif "mistake in graphwell" in answer["error"] or not answer["error"].endswith((".", "?")):
            raise Lost(f"no sentence for {message[:200]!r}: {answer['error']}")

    def remember(self, message: str, answer: Any) -> None:
        """Fold an action into what was done and undone."""
        told = json.loads(message)
        if told["do"] == "undo" and answer is not None:
            self.undone.append(self.done.pop())
        elif told["do"] == "redo" and answer is not None:
            self.done.append(self.undone.pop())
        elif told["do"] in self.keeps:
            self.done.append(told)
            self.undone.clear()
        else:
            return
        self.said.append({name: value for name, value in told.items() if name != "id"})

    def check(self, found: dict[str, Any]) -> None:
        """A page must show what was done."""
        expected = self.expected()
        wrong = [name for name in expected if found.get(name) != expected[name]]
        if wrong:
            raise Lost(f"{wrong[0]}: {found.get(wrong[0])!r} in place of {expected[wrong[0]]!r}"[:400])

    def came_back_to(self, found: dict[str, Any], hasty: list[str], kept: int) -> None:
        """After a kill there is what was answered, and what the journal kept of what was sent in haste."""
        for message in hasty:
            if len(self.said) >= kept:
                break
            self._guess(message)
        if len(self.said) != kept:
            raise Lost(f"the journal has {kept} actions, and {len(self.said)} were said")
        self.check(found)

    def _guess(self, message: str) -> None:
        """Do what a page would have done with a message; nothing if that makes no sense."""
        told = json.loads(message)
        possible = {"undo": self.steps("undo"), "redo": self.steps("redo")}.get(told["do"], 1)
        before = list(self.done), list(self.undone), list(self.said)
        try:
            self.remember(message, 0 if possible else None)
            self.expected()
        except ValueError:
            self.done, self.undone, self.said = before


class Labeller(User):
    """A user of the label page."""

    arguments = ("label", "in.csv")
    journal = "in.csv.journal"
    files = ("in.csv", "in.csv.journal", ".in.csv.journal.address", "in.labelled.csv", "in.answers.csv")
    event = "answers"
    keeps = ("label", "cannot tell", "skip", "clear", "add class", "rename class", "merge classes",
             "remove class", "color class")  # fmt: skip

    def furnish(self, folder: Path) -> None:
        """A table with a few labels."""
        X = np.random.default_rng(0).normal(size=(N_ROWS, 3)).round(3)
        given = ["a", "b", *[""] * (N_ROWS - 2)]
        lines = ["x,y,z,label", *(",".join(map(str, [*x, g])) for x, g in zip(X, given, strict=True))]
        (folder / "in.csv").write_text("\n".join(lines) + "\n")

    def message(self) -> str:
        """An answer, another class, a step back, a question."""
        rng = self.rng
        number, rows = rng.randrange(4), rng.sample(range(N_ROWS), rng.choice((1, 1, 5)))
        choices: list[dict[str, Any]] = [
            *[{"do": "label", "rows": rows, "class": number}] * 4,
            {"do": "label", "rows": rows, "class": number, "weight": rng.choice((1, 0.5, 0.25))},
            *[{"do": kind, "rows": rows} for kind in ("cannot tell", "skip", "clear")],
            {"do": "add class", "name": f"class {rng.randrange(9)}"},
            {"do": "rename class", "class": number, "name": f"other {rng.randrange(9)}"},
            {"do": "color class", "class": number, "color": f"#{rng.randrange(16**6):06x}"},
            {"do": "merge classes", "class": number, "into": rng.randrange(4)},
            {"do": "remove class", "class": 2 + number},
            *[{"do": "undo"}, {"do": "redo"}] * 2,
            {"do": "next", "first": rows},
            {"do": "row", "row": rows[0]},
            {"do": "search", "text": str(rows[0])},
            {"do": "export"},
        ]
        return json.dumps({**rng.choice(choices), "id": rng.randrange(99)})

    def expected(self) -> dict[str, Any]:
        """The fold of all actions over the labels of the table."""
        answers = Annotations(np.array([0, 1, *[-1] * (N_ROWS - 2)]), ClassList.named(["a", "b"]))
        for action in self.done:
            answers.go(answers.planned(action))
        rows = answers.labelled
        return {
            "rows": rows.tolist(),
            "codes": answers.codes[rows].tolist(),
            "weights": answers.weights[rows].round(3).tolist(),
            "classes": [vars(entry) for entry in answers.classes],
            "steps": len(self.done),
            "undo": self.done[-1]["do"] if self.done else None,
            "redo": self.undone[-1]["do"] if self.undone else None,
        }


class Painter(User):
    """A user of the paint page."""

    arguments = ("paint", "in.png", "--output", "painted")
    journal = "painted/in.png.journal"
    files = ("in.png", "painted", ".painted.address")
    event = "picture"
    keeps = ("stroke", "add class", "rename class", "color class", "merge classes", "remove class")

    def furnish(self, folder: Path) -> None:
        """A small picture."""
        from PIL import Image

        pixels = np.random.default_rng(0).integers(0, 60, size=(*SHAPE, 3), dtype=np.uint8)
        pixels[:, SHAPE[1] // 2 :] += 150
        Image.fromarray(pixels).save(folder / "in.png")

    def message(self) -> str:
        """A stroke, another class, a step back."""
        rng = self.rng
        height, width = SHAPE
        points = [[rng.uniform(0, width), rng.uniform(0, height)] for _ in range(rng.randint(1, 4))]
        stroke = {"class": rng.randrange(3), "width": rng.choice((1, 2.5, 9)), "points": points}
        choices: list[dict[str, Any]] = [
            *[{"do": "stroke", "erase": False, **stroke}] * 4,
            {"do": "stroke", "erase": True, **stroke},
            {"do": "add class", "name": f"class {rng.randrange(9)}"},
            {"do": "rename class", "class": rng.randrange(3), "name": f"other {rng.randrange(9)}"},
            {"do": "color class", "class": rng.randrange(3), "color": f"#{rng.randrange(16**6):06x}"},
            {"do": "merge classes", "class": rng.randrange(3), "into": rng.randrange(3)},
            {"do": "remove class", "class": rng.randrange(3)},
            *[{"do": "undo"}, {"do": "redo"}] * 2,
            {"do": "open", "picture": 0},
            {"do": "save"},
        ]
        return json.dumps({**rng.choice(choices), "id": rng.randrange(99)})

    def expected(self) -> dict[str, Any]:
        """The fold of all actions over an empty picture."""
        painting = Strokes((*SHAPE, 1))
        painting.classes = ClassList.named(["class 1", "class 2"])
        for action in self.done:
            painting.go(painting.planned(action))
        told = {"classes": [vars(entry) for entry in painting.classes], "strokes": painting.strokes}
        return {**told, "undo": bool(self.done), "redo": bool(self.undone)}


USERS = (Labeller, Painter)
