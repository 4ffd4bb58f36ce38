"""A scripted user of `graphwell label`: seconds to the map, from answers to labels, answers, memory.

Then frames a second while a map of many points is moved, in Chromium without a graphics card.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from benchmarks.chromium import start_chromium
from benchmarks.data import load
from benchmarks.output import Options, show_table, write_json
from graphwell._types import IntArray
from graphwell.memory import held
from graphwell.serve.files import PAGES

SETS = ("digits", "mnist")
BARS = {"digits": (0.15, 0.5), "mnist": (1.2, 2.5)}
"""Seconds from an answer to the new labels: half of the answers, and 95 % of them."""
FIRST_MAP, WANTED, MOST_ANSWERS = 4.0, 0.97, 30
ANSWERS = {"digits": 30, "mnist": 20}
FURTHER = 600
"""Actions after which the memory is looked at again."""
PANNED, FRAMES = (1, 100_000, 1_000_000), 15
"""One point shows what the browser can do on this machine at all."""
NO_CLASS = 255
PAUSE, SECONDS_BETWEEN_LOOKS = 0.5, 10.0
LASSO = 40
"""Rows that the user labels at once."""
PAGE = """<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">
<style>html, body, main { margin: 0; height: 100%; position: relative; }
#map { position: absolute; inset: 0; width: 100%; height: 100%; }</style>
<main><canvas id="map"></canvas></main><script type="module">
import { PointsMap } from "./points.js";
window.map = new PointsMap(document.getElementById("map"));
</script>"""
FILL = """const n = arguments[0], places = new Float32Array(2 * n), classes = new Uint8Array(n);
for (let i = 0; i < n; i++) {
  classes[i] = i % 10;
  const [far, way] = [Math.sqrt(-2 * Math.log(1 - Math.random())), 2 * Math.PI * Math.random()];
  places[2 * i] = 5 * Math.cos(i % 10) + far * Math.cos(way);
  places[2 * i + 1] = 5 * Math.sin(i % 10) + far * Math.sin(way);
}
map.setPositions(places);
map.setColors(classes, Array.from({ length: 10 }, (_, c) => [25 * c, 90, 250 - 25 * c]));
map.focus(5);"""
MOVE = """const [way, seconds, done] = arguments;
let frames = 0, began = null;
const step = (now) => {
  began ??= now;
  if (now - began > 1000 * seconds) return done(frames / seconds);
  const turn = 2 * Math.PI * (now - began) / 2000;
  if (way === "pan") map.pan(12 * Math.cos(turn), 12 * Math.sin(turn));
  else map.zoom(1 + 0.03 * Math.cos(turn));
  frames++;
  requestAnimationFrame(step);
};
requestAnimationFrame(step);"""
SECONDS = 5.0


class User:
    """The program on a table, and a window that knows the truth."""

    def __init__(self, table: Path, truth: IntArray, stack: ExitStack) -> None:
        from websockets.sync.client import connect

        began = time.perf_counter()
        command = [sys.executable, "-m", "graphwell", "label", str(table), "--no-browser"]
        self.program = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        stack.callback(self.program.wait)
        stack.callback(self.program.kill)
        assert self.program.stdout is not None
        address = self.program.stdout.readline().split()[1]
        origin: Any = "http://" + urlsplit(address).netloc
        line = connect(address.replace("http", "ws", 1) + "channel", origin=origin, max_size=None)
        self.socket = stack.enter_context(line)
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


def measured(name: str, options: Options) -> dict[str, Any]:
    """All figures of one data set."""
    data = load(name)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        np.save(Path(folder) / "rows.npy", data.X)
        classes, truth = np.unique(data.y, return_inverse=True)
        user = User(Path(folder) / "rows.npy", truth, stack)
        for each in classes:
            user.do("add class", name=str(each))
        seconds, right = [], []
        for _ in range(ANSWERS[name]):
            seconds.append(user.answer())
            right.append(user.right())
        memory = [user.memory()]
        for _ in range((FURTHER // 10 if options.quick else FURTHER) // 2 if name == "digits" else 0):
            user.do("undo")
            user.do("redo")
        memory += [user.memory(), *user.go_on(options.minutes)]
        repaint, fit = np.array(seconds).T.tolist()
        return {"first map": user.first_map, "repaint": repaint, "fit": fit, "right": right, "memory": memory}


def figures_in_words(name: str, found: dict[str, Any]) -> list[str]:
    """A row of the table, bars in brackets."""
    half, most = np.quantile(found["repaint"], [0.5, 0.95])
    fit = " / ".join(f"{each:.2f}" for each in np.quantile(found["fit"], [0.5, 0.95]))
    enough = [n for n, share in enumerate(found["right"], start=1) if share >= WANTED]
    memory = found["memory"]
    later = f", then {min(memory[2:]):.0f} to {max(memory[2:]):.0f}" if memory[2:] else ""
    return [
        name, f"{found['first map']:.1f} ({FIRST_MAP:g})", f"{half:.2f} ({BARS[name][0]:g})",
        f"{most:.2f} ({BARS[name][1]:g})", fit, f"{enough[0] if enough else 'more'} ({MOST_ANSWERS})",
        f"{memory[0]:.0f} to {memory[1]:.0f}{later}",
    ]  # fmt: skip


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder, and says nothing."""

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def frames_a_second(sizes: Sequence[int]) -> dict[int, tuple[float, float]] | None:
    """Frames a second of panning and zooming, by the number of points; None without a browser."""
    try:
        browser = start_chromium()
    except OSError:
        return None
    try:
        return {n: frames(browser, n) for n in sizes}
    finally:
        browser.quit()


def frames(browser: Any, n: int) -> tuple[float, float]:
    with tempfile.TemporaryDirectory() as folder:
        for part in PAGES.glob("points*.js"):
            shutil.copy(part, folder)
        (Path(folder) / "map.html").write_text(PAGE)
        with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            browser.get(f"http://127.0.0.1:{server.server_port}/map.html")
            browser.execute_script(FILL, n)
            browser.execute_async_script("setTimeout(arguments[0], 2000)")  # all are drawn once
            found = [browser.execute_async_script(MOVE, way, SECONDS) for way in ("pan", "zoom")]
            server.shutdown()
    return found[0], found[1]


def main(options: Options) -> None:
    figures: dict[str, Any] = {}
    for name in options.data or (SETS[:1] if options.quick else SETS):
        figures[name] = measured(name, options)
    columns = ["", "first map s", "to labels s, p50", "p95", "to a fit", "answers to 97 %", "memory MB"]
    rows = [figures_in_words(name, found) for name, found in figures.items()]
    show_table("A scripted user of graphwell label; bars in brackets", columns, rows)
    if (panning := frames_a_second(PANNED)) is None:
        print("No frames are counted: Chromium, chromedriver or selenium is missing.")
    else:
        shown = [[f"{n:,}", *(f"{each:.0f}" for each in found)] for n, found in panning.items()]
        title = f"Frames a second in Chromium without a graphics card (bar {FRAMES} at {PANNED[1]:,} points)"
        show_table(title, ["points", "panning", "zooming"], shown)
        figures["frames"] = {str(n): found for n, found in panning.items()}
    write_json(options.out / "serve.json", figures)
