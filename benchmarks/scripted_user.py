"""A window of `graphwell label` that knows the truth, and what a patient user does with it for an hour."""

import json
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from graphwell._types import IntArray
from graphwell.memory import held

NO_CLASS = 255
PAUSE, SECONDS_BETWEEN_LOOKS = 0.5, 10.0
LASSO = 40
"""Rows that the user labels at once."""


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
        self.number = self.messages = 0
        self.repainted = 0.0
        self.until("positions")
        self.first_map = time.perf_counter() - began

    def until(self, name: str, number: int | None = None) -> dict[str, Any]:
        """Take what comes, up to an event, the fit that knows an action, or the reply to a message."""
        while True:
            got = self.socket.recv(timeout=600)
            event = self._frame(got) if isinstance(got, bytes) else json.loads(got)
            if event.get("error"):
                raise RuntimeError(event["error"])
            if name == "reply" and event.get("re") == number:
                return event
            if event.get("event") == name and (number is None or event.get("number") == number):
                return event

    def _frame(self, got: bytes) -> dict[str, Any]:
        length = int.from_bytes(got[:4], "little")
        event: dict[str, Any] = json.loads(got[4 : 4 + length])
        if event["event"] == "labels":
            if event.get("number") == self.number and not self.repainted:
                self.repainted = time.perf_counter()
            rows = np.frombuffer(got, dtype="<u4", count=event["count"], offset=4 + length)
            self.labels[rows] = np.frombuffer(got, dtype=np.uint8, offset=4 + length + 4 * len(rows))
        return event

    def send(self, command: str, /, **message: Any) -> None:
        """Ask for something."""
        self.messages += 1
        self.socket.send(json.dumps({**message, "do": command, "id": self.messages}))

    def do(self, command: str, /, **message: Any) -> tuple[float, float]:
        """Do something; seconds until labels came that know it, and until a fit did."""
        self.number += 1
        self.repainted, began = 0.0, time.perf_counter()
        self.send(command, **message)
        self.until("model", self.number)
        ended = time.perf_counter()
        return (self.repainted or ended) - began, ended - began

    def answer(self) -> tuple[float, float]:
        """Answer the next question truly."""
        self.send("next")
        while not (question := self.until("reply", self.messages)["ok"]["question"]):
            self.until("questions")
            self.send("next")
        row = question["row"]
        return self.do("label", rows=[row], **{"class": int(self.truth[row])})

    def right(self) -> float:
        """Share of right labels that the window was told."""
        return float((self.labels == self.truth).mean())

    def memory(self) -> float:
        """Megabytes that the program holds."""
        return (held(process=self.program.pid) or 0) / 2**20

    def go_on(self, minutes: float) -> list[float]:
        """Use everything there is for so long; the memory, looked at again and again."""
        rng = np.random.default_rng(0)
        end, looked = time.monotonic() + 60 * minutes, 0.0
        memory: list[float] = []
        for turn in range(10**9):
            if time.monotonic() > end:
                break
            if time.monotonic() - looked > SECONDS_BETWEEN_LOOKS:
                memory, looked = [*memory, self.memory()], time.monotonic()
            rows = rng.choice(len(self.truth), LASSO, replace=False).tolist()
            self.answer()
            self.do("label", rows=rows, weight=0.1, **{"class": int(self.truth[rows[0]])})
            for command in ("undo", "redo", "undo", "undo"):
                self.do(command)
            self.send("row", row=rows[0])
            self.send("search", text=str(rows[0]))
            if turn % 20 == 0:
                self.send("export")
            time.sleep(PAUSE)
        return memory
