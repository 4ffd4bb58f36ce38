"""The map of many points, in a real Chromium: what is drawn, picked, and caught by a lasso."""

from itertools import pairwise

import numpy as np
import pytest

from benchmarks.pages import points_page
from tests.serve.browser import browser, keep_screenshot, wait_until

pytestmark = pytest.mark.slow
__all__ = ["browser"]
HEAR = """window.heard = {};
const keep = (name) => (what) => (heard[name] = what);
map.on = { onHover: keep("hover"), onPick: keep("pick"), onSelect: keep("selected") };
for (const name of ["pointerdown", "pointerup"]) {
  map.canvas.addEventListener(name, (event) => (heard[name] = [event.offsetX, event.offsetY]));
}"""
CLOUD = """const n = arguments[0], places = new Float32Array(2 * n), classes = new Uint8Array(n);
let state = 1;
const random = () => (state = (state * 16807) % 2147483647) / 2147483647;
for (let i = 0; i < n; i++) {
  classes[i] = i % 4;
  places[2 * i] = 6 * (i % 4) + random() + random();
  places[2 * i + 1] = random() + random() - 3 * (i % 2);
}
window.places = places;
map.setPositions(places);
map.setColors(classes, [[0, 114, 178], [230, 159, 0], [0, 158, 115], [204, 121, 167]]);
map.setGiven([0, 1, 2, 3], [0, 1, 2, 3]);
map.focus(5);"""
INK = """const {gl} = map.painter;
map.painter.paint(map.view, map.fitted);
const pixels = new Uint8Array(4 * gl.drawingBufferWidth * gl.drawingBufferHeight);
gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
const counts = [0, 0, 0, 0];
[[0, 114, 178], [230, 159, 0], [0, 158, 115], [204, 121, 167]].forEach((color, c) => {
  for (let i = 0; i < pixels.length; i += 4) {
    if (pixels[i + 3] > 240 && color.every((value, k) => Math.abs(pixels[i + k] - value) < 12)) counts[c]++;
  }
});
return counts;"""


@pytest.fixture
def page(browser):
    with points_page() as address:
        browser.get(address)
        wait_until(browser, "window.map !== undefined")
        browser.execute_script(HEAR)
        yield browser


def drag(page, corners):
    from selenium.webdriver import ActionChains

    hand = ActionChains(page, duration=30)
    hand.move_to_element_with_offset(page.find_element("id", "map"), *corners[0]).click_and_hold()
    for (x, y), (next_x, next_y) in pairwise(corners):
        hand.move_by_offset(next_x - x, next_y - y)
    hand.release().perform()


def test_points_have_the_colours_of_their_classes_also_after_a_lost_context(page):
    page.execute_script(CLOUD, 100_000)
    before = page.execute_script(INK)
    assert min(before) > 50
    page.execute_script("const rows = [...Array(100000).keys()].filter((i) => i % 4 === 0);"
                        "map.updateColors(rows, rows.map(() => 1));")  # fmt: skip
    after = page.execute_script(INK)
    assert after[0] < 0.2 * before[0]  # the given ones keep theirs
    assert after[1] > 1.5 * before[1]
    keep_screenshot(page, "points")
    page.execute_script("window.lose = map.painter.gl.getExtension('WEBGL_lose_context'); lose.loseContext()")
    wait_until(page, "map.painter.gl.isContextLost()")
    page.execute_script("map.draw(); lose.restoreContext()")
    wait_until(page, "!map.painter.gl.isContextLost()")
    wait_until(page, "map.stale === false")
    assert np.allclose(page.execute_script(INK), after, atol=5)


def test_a_lasso_catches_what_lies_inside_and_nothing_else(page):
    page.execute_script(CLOUD, 20_000)
    page.execute_script("map.setMode('lasso')")
    drag(page, [(-300, -150), (120, -150), (120, 60), (-300, 60), (-300, 0)])
    rows = wait_until(page, "heard.selected")
    script = """const [x0, y0] = map.toPlane(...heard.pointerdown);
        const [x1, y1] = map.toPlane(heard.pointerdown[0] + 420, heard.pointerdown[1] + 210);
        return [...Array(places.length / 2).keys()].filter((i) => {
          const [x, y] = [places[2 * i], places[2 * i + 1]];
          return x >= x0 && x <= x1 && y <= y0 && y >= y1;
        });"""
    assert len(rows) > 100
    assert sorted(rows) == page.execute_script(script)


def test_a_point_is_picked_hovered_and_moved_from_under_the_pointer(page):
    page.execute_script(CLOUD, 400)
    place = "map.toScreen(places[14], places[15])"
    x, y = page.execute_script(f"return {place}")
    assert page.execute_script(f"return map.rowAt(...{place})") == 7
    width, height = page.execute_script("return [map.canvas.clientWidth, map.canvas.clientHeight]")
    drag(page, [(round(x - width / 2), round(y - height / 2))])
    picked = wait_until(page, "heard.pick !== undefined && [heard.pick]")[0]
    near = page.execute_script("return [places[2 * arguments[0]], places[2 * arguments[0] + 1]]", picked)
    wanted = page.execute_script("return [places[14], places[15]]")
    assert np.hypot(*np.subtract(near, wanted)) < 0.3
    drag(page, [(200, 200), (260, 230)])
    moved = page.execute_script(f"return {place}")
    assert np.allclose(np.subtract(moved, [x, y]), [60, 30], atol=2)
    page.execute_script("map.zoom(4); map.focus(null); map.fit()")
    assert np.allclose(page.execute_script(f"return {place}"), [x, y], atol=1)
