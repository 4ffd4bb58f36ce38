"""Frames a second while a map of many points is moved, in Chromium without a graphics card."""

import shutil
import threading
from collections.abc import Sequence
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.chromium import start_chromium
from graphwell.serve.files import PAGES

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
        return {n: _measured(browser, n) for n in sizes}
    finally:
        browser.quit()


def _measured(browser: Any, n: int) -> tuple[float, float]:
    with TemporaryDirectory() as folder:
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
