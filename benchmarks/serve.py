"""A scripted user of `graphwell label`: seconds to the map, from answers to labels, answers, memory."""

import json
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from benchmarks.data import load
from benchmarks.output import Options, show_table, write_json
from graphwell._types import IntArray

SETS = ("digits", "mnist")
BARS = {"digits": (0.15, 0.5), "mnist": (1.2, 2.5)}
"""Seconds from an answer to the new labels: half of the answers, and 95 % of them."""
FIRST_MAP, WANTED, MOST_ANSWERS = 4.0, 0.97, 30
ANSWERS = {"digits": 30, "mnist": 20}
NO_CLASS = 255
FURTHER = 600
"""Actions after which the memory is looked at again."""


class User:
    """The program on a table, and a window that knows the truth."""

    def __init__(self, table: Path, truth: IntArray, held: ExitStack) -> None:
        from websockets.sync.client import connect

        began = time.perf_counter()
        command = [sys.executable, "-m", "graphwell", "label", str(table), "--no-browser"]
        self.program = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        held.callback(self.program.wait)
        held.callback(self.program.kill)
        assert self.program.stdout is not None
        address = self.program.stdout.readline().split()[1]
        origin: Any = "http://" + urlsplit(address).netloc
        line = connect(address.replace("http", "ws", 1) + "channel", origin=origin, max_size=None)
        self.socket = held.enter_context(line)
        self.truth, self.labels = truth, np.full(len(truth), NO_CLASS)
        self.number = 0
        self.question: int | None = None
        self.until("positions")
        self.first_map = time.perf_counter() - began

    def until(self, name: str, number: int | None = None) -> dict[str, Any]:
        """Take what comes, up to an event, or up to the fit that knows an action."""
        while True:
            got = self.socket.recv(timeout=600)
            event = self._frame(got) if isinstance(got, bytes) else json.loads(got)
            if event.get("event") == "question" and event["question"]:
                self.question = event["question"]["row"]
            if event.get("event") == name and (number is None or event.get("number") == number):
                return event

    def _frame(self, got: bytes) -> dict[str, Any]:
        length = int.from_bytes(got[:4], "little")
        event: dict[str, Any] = json.loads(got[4 : 4 + length])
        if event["event"] == "labels":
            rows = np.frombuffer(got, dtype="<u4", count=event["count"], offset=4 + length)
            self.labels[rows] = np.frombuffer(got, dtype=np.uint8, offset=4 + length + 4 * len(rows))
        return event

    def do(self, command: str, /, **message: Any) -> float:
        """Do something, and wait until a fit knows it; the seconds that it took."""
        self.number += 1
        began = time.perf_counter()
        self.socket.send(json.dumps({**message, "do": command, "id": self.number}))
        self.until("model", self.number)
        return time.perf_counter() - began

    def answer(self) -> float:
        """Answer the question of the moment truly."""
        while self.question is None:
            self.until("question")
        row, self.question = self.question, None
        return self.do("label", rows=[row], **{"class": int(self.truth[row])})

    def right(self) -> float:
        """Share of right labels that the window was told."""
        return float((self.labels == self.truth).mean())

    def memory(self) -> float:
        """Megabytes that the program holds."""
        lines = Path(f"/proc/{self.program.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) / 1024


def measured(name: str, quick: bool) -> dict[str, Any]:
    """All figures of one data set."""
    data = load(name)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as held:
        np.save(Path(folder) / "rows.npy", data.X)
        classes, truth = np.unique(data.y, return_inverse=True)
        user = User(Path(folder) / "rows.npy", truth, held)
        for each in classes:
            user.do("add class", name=str(each))
        seconds, right = [], []
        for _ in range(ANSWERS[name]):
            seconds.append(user.answer())
            right.append(user.right())
        memory = [user.memory()]
        for _ in range((FURTHER // 10 if quick else FURTHER) // 2 if name == "digits" else 0):
            user.do("undo")
            user.do("redo")
        memory.append(user.memory())
        return {"first map": user.first_map, "seconds": seconds, "right": right, "memory": memory}


def main(options: Options) -> None:
    rows, figures = [], {}
    for name in options.data or (SETS[:1] if options.quick else SETS):
        figures[name] = found = measured(name, options.quick)
        half, most = np.quantile(found["seconds"], [0.5, 0.95])
        enough = [n for n, share in enumerate(found["right"], start=1) if share >= WANTED]
        rows.append([
            name, f"{found['first map']:.1f} ({FIRST_MAP:g})", f"{half:.2f} ({BARS[name][0]:g})",
            f"{most:.2f} ({BARS[name][1]:g})", f"{enough[0] if enough else 'more'} ({MOST_ANSWERS})",
            " to ".join(f"{each:.0f}" for each in found["memory"]),
        ])  # fmt: skip
    columns = ["", "first map s", "answer s, p50", "p95", "answers to 97 %", "memory MB"]
    show_table("A scripted user of graphwell label; bars in brackets", columns, rows)
    write_json(options.out / "serve.json", figures)
