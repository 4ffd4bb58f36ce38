"""The pages: a scripted user of `graphwell label`, and strokes on `graphwell paint`.

- ``serve``: seconds to the map, from answers to labels, answers needed; then frames a second while a map of
  many points is moved, in Chromium without a graphics card.
- ``paint``: seconds from a stroke to its answers, coarse and fine.
"""

import json
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.data import load
from benchmarks.output import Figure, Options, report
from graphwell import datasets
from graphwell._types import IntArray
from graphwell.io.images import write_image
from graphwell.serve.security import PAGES
from tests.serve.server import Line, Server

SETS = ("digits", "mnist")
ANSWER_BARS = {"digits": (0.15, 0.5), "mnist": (1.2, 2.5)}
"""Seconds from an answer to the new labels: half of the answers, and 95 % of them."""
FIRST_MAP, WANTED, MOST_ANSWERS = 4.0, 0.97, 30
ANSWERS = {"digits": 30, "mnist": 20}
PANNED, LEAST_FRAMES, MOVED_SECONDS = (1, 100_000, 1_000_000), 15, 5.0
"""One point shows what the browser can do on this machine at all."""
NO_CLASS = 255
PAINT_BARS = {"coarse": 0.3, "fine": 1.5}
"""Seconds at one megapixel."""
CHROMIUM = (
    "--headless=new", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader", "--window-size=1280,860", "--force-device-scale-factor=1",
)  # fmt: skip
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


def start_chromium() -> Any:
    """A browser without a screen that keeps what pages log; an OSError says what is missing."""
    try:
        from selenium import webdriver
    except ImportError:
        raise OSError("selenium is not installed") from None
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if program is None or driver is None:
        raise OSError("there is no chromium, or no chromedriver")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for flag in CHROMIUM:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    made = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    made.set_script_timeout(120)
    return made


class User(Line):
    """A window of `graphwell label` that answers truly, and knows when labels of an action came."""

    def __init__(self, server: Server, truth: IntArray) -> None:
        super().__init__(server.address.replace("http", "ws", 1) + "channel", server.origin)
        self.truth, self.labels = truth, np.full(len(truth), NO_CLASS)
        self.action, self.repainted = 0, 0.0

    def receive(self, seconds: float = 600) -> dict[str, Any]:
        """The next message; labels are taken in."""
        event: dict[str, Any] = super().receive(seconds)
        self.events.clear()
        if event.get("event") == "labels":
            if event.get("number") == self.action and not self.repainted:
                self.repainted = time.perf_counter()
            rows = np.frombuffer(event["body"], dtype="<u4", count=event["count"])
            self.labels[rows] = np.frombuffer(event["body"], dtype=np.uint8, offset=4 * len(rows))
        return event

    def act(self, command: str, /, **message: Any) -> tuple[float, float]:
        """Do something; seconds until labels came that know it, and until a fit did."""
        self.action += 1
        self.repainted, began = 0.0, time.perf_counter()
        # the fit may be told before the reply, so nobody waits for that
        self.socket.send(json.dumps({**message, "do": command, "id": 0}))
        self.until("model", lambda event: event.get("number") == self.action, 600)
        ended = time.perf_counter()
        return (self.repainted or ended) - began, ended - began

    def answer(self) -> tuple[float, float]:
        """Answer the next question truly."""
        while not (question := self.do("next")["ok"]["question"]):
            self.until("questions", seconds=600)
        row = question["row"]
        return self.act("label", rows=[row], **{"class": int(self.truth[row])})


def user_figures(name: str) -> list[Figure]:
    """All figures of one data set."""
    data = load(name)
    classes, truth = np.unique(data.y, return_inverse=True)
    with tempfile.TemporaryDirectory() as folder:
        np.savez(Path(folder) / "rows.npz", X=data.X)
        began = time.perf_counter()
        with Server("label", "rows.npz", folder=Path(folder)) as server, User(server, truth) as user:
            user.until("positions", seconds=600)
            first_map = time.perf_counter() - began
            for each in classes:
                user.act("add class", name=str(each))
            seconds, needed = [], np.inf
            for number in range(1, ANSWERS[name] + 1):
                seconds.append(user.answer())
                if needed == np.inf and (user.labels == truth).mean() >= WANTED:
                    needed = number
    repainted, fitted = np.array(seconds).T
    half, most = ANSWER_BARS[name]
    return [
        Figure(f"{name}: first map", [first_map], FIRST_MAP, "s"),
        Figure(f"{name}: from an answer to its labels", repainted.tolist(), half, "s"),
        Figure(f"{name}: the same, 95 % of the answers", [float(np.quantile(repainted, 0.95))], most, "s"),
        Figure(f"{name}: from an answer to a fit", fitted.tolist(), None, "s"),
        Figure(f"{name}: answers to {WANTED:.0%}", [needed], MOST_ANSWERS, "answers"),
    ]


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder, and logs nothing."""

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


@contextmanager
def points_page() -> Iterator[str]:
    """The address of a page with nothing but a map of points."""
    with tempfile.TemporaryDirectory() as folder:
        for part in PAGES.glob("points*.js"):
            shutil.copy(part, folder)
        (Path(folder) / "map.html").write_text(PAGE)
        with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            yield f"http://127.0.0.1:{server.server_port}/map.html"
            server.shutdown()


def frame_figures(sizes: Sequence[int]) -> list[Figure]:
    """Milliseconds a frame of panning and zooming, by the number of points; none without a browser."""
    figures = []
    with points_page() as address, ExitStack() as stack:
        try:
            browser = start_chromium()
        except OSError as missing:
            print(f"No frames are counted: {missing}.")
            return []
        stack.callback(browser.quit)
        for n in sizes:
            browser.get(address)
            browser.execute_script(FILL, n)
            browser.execute_async_script("setTimeout(arguments[0], 2000)")  # all are drawn once
            frames = [browser.execute_async_script(MOVE, way, MOVED_SECONDS) for way in ("pan", "zoom")]
            bar = 1000 / LEAST_FRAMES if n == PANNED[1] else None
            figures.append(Figure(f"a frame of {n:,} points", [1000 / each for each in frames], bar, "ms"))
    return figures


def serve(options: Options) -> None:
    names = options.data or (SETS[:1] if options.quick else SETS)
    figures = [figure for name in names for figure in user_figures(name)]
    report("serve", "A scripted user of graphwell label", figures + frame_figures(PANNED), options)


def short_strokes(truth: IntArray, count: int) -> list[dict[str, Any]]:
    """Strokes, each inside one region."""
    rng = np.random.default_rng(0)
    made: list[dict[str, Any]] = []
    while len(made) < count:
        row, column = (int(rng.integers(30, side - 30)) for side in truth.shape)
        points = [[column - 20.0, float(row)], [column + 20.0, float(row)]]
        if len(set(truth[row, column - 24 : column + 24].tolist())) == 1:
            made.append({"class": int(truth[row, column]), "width": 6, "erase": False, "points": points})
    return made


def stroke_seconds(side: int, count: int) -> dict[str, list[float]]:
    """Seconds from each stroke to its answers on a noisy picture in colours."""
    grey, truth = datasets.make_grey_image(side, side, noise=0.1, random_state=0)
    pixels = np.round(255 * np.clip(np.dstack([grey, 0.8 * grey, 1 - grey]), 0, 1)).astype(np.uint8)
    found: dict[str, list[float]] = {"coarse": [], "fine": []}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with (folder / "picture.png").open("wb") as file:
            write_image(pixels, folder / "picture.png", file)
        page = Server("paint", "picture.png", "--classes", "a,b,c,d,e", folder=folder)
        with page as server, server.channel() as window:
            window.until("picture")
            for stroke in short_strokes(truth, count):
                began = time.perf_counter()
                number = window.do("stroke", **stroke)["ok"]
                for kind in ("coarse", "fine"):
                    while not any(_answers(event, number, kind) for event in window.events):
                        window.receive(600)
                    found[kind].append(time.perf_counter() - began)
                window.events.clear()
    return found


def _answers(event: dict[str, Any], number: int, kind: str) -> bool:
    """Whether an event is the coarse or the fine segmentation that knows an action."""
    is_coarse = kind == "coarse"
    return event.get("event") == "segmentation" and (event["number"], event["coarse"]) == (number, is_coarse)


def paint(options: Options) -> None:
    figures = []
    for side in (500,) if options.quick else (500, 1000):
        for kind, seconds in stroke_seconds(side, 6 if options.quick else 12).items():
            bar, what = PAINT_BARS[kind] if side == 1000 else None, f"{side} x {side}, {kind}"
            first = f"{max(seconds[:4]):.2f} s for the first strokes, which build the graphs"
            figures.append(Figure(what, seconds[4:], bar, "s", first))
    report("paint", "From a stroke to its answer", figures, options)
