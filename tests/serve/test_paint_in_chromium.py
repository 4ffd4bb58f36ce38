"""`graphwell paint` as a person uses it, in a real Chromium."""

import json
from itertools import pairwise

import numpy as np
import pytest
from PIL import Image

from graphwell import datasets
from tests.cli.blobs import run
from tests.serve.browser import browser, keep_screenshot, serious, wait_until
from tests.serve.server import Server

pytestmark = pytest.mark.slow
__all__ = ["browser"]
HEIGHT, WIDTH = 180, 190
FINE = "graphwell.state.fine && document.getElementById('status').textContent === ''"


@pytest.fixture
def folder(tmp_path):
    for number, name in enumerate(("a <b>.png", "b.png")):
        image, _ = datasets.make_grey_image(HEIGHT, WIDTH, noise=0.2, random_state=number)
        Image.fromarray(np.round(255 * np.clip(image, 0, 1)).astype(np.uint8)).save(tmp_path / name)
    return tmp_path


def press(browser, key):
    from selenium.webdriver import ActionChains

    ActionChains(browser).send_keys(key).perform()


def drag(browser, points):
    """Drag through places of the picture, x and y in its pixels."""
    from selenium.webdriver import ActionChains

    script = """const {board} = graphwell, {x, y, scale} = board.view;
        return arguments[0].map(([a, b]) => [Math.round((a - x) * scale), Math.round((b - y) * scale)]);"""
    places = browser.execute_script(script, points)
    canvas = browser.find_element("id", "canvas")
    hand = ActionChains(browser, duration=20)
    hand.move_to_element_with_offset(canvas, *places[0]).click_and_hold()
    for (x, y), (next_x, next_y) in pairwise(places):
        hand.move_by_offset(next_x - x, next_y - y)
    hand.release().perform()


def said(browser, text):
    wait_until(browser, f"document.getElementById('status').textContent.includes('{text}')")


def stroke(browser, points):
    """Paint a stroke, and wait until it is there."""
    strokes = count(browser)
    drag(browser, points)
    wait_until(browser, f"graphwell.board.strokes.length === {strokes + 1}")


def count(browser):
    return len(browser.execute_script("return graphwell.board.strokes"))


def test_three_strokes_are_saved_as_segment_makes_them_of_the_same_strokes(browser, folder):
    with Server("paint", folder, "--classes", "sky,disk,ring", "--jobs", 1, folder=folder) as server:
        browser.get(server.address)
        wait_until(browser, "graphwell.board.picture && graphwell.state.classes.length === 3")
        for key, points in (
            ("1", [[10, 10], [60, 12], [150, 10]]),
            ("2", [[80, 60], [100, 62]]),
            ("3", [[20, 160], [170, 165]]),
        ):
            press(browser, key)
            stroke(browser, points)
        wait_until(browser, f"graphwell.state.shown >= 3 && {FINE}")  # the answer to two may come late
        keep_screenshot(browser, "paint")
        shown = browser.execute_script("return [...graphwell.board.labels.values.slice(0, 190 * 180)]")
        browser.find_element("id", "save").click()
        said(browser, "Saved")
        assert browser.find_element("id", "name").text == "a <b>.png"
    painted = folder / "painted"
    done = run(
        "segment", folder / "a <b>.png", "--seeds", painted / "a <b>_strokes.json",
        "-o", folder / "again.png", "--overlay", folder / "over.png", "--masks", folder / "masks",
        "--jobs", 1,
    )  # fmt: skip
    assert done.exit_code in (0, 1), done.output
    assert (folder / "again.png").read_bytes() == (painted / "a <b>_labels.png").read_bytes()
    assert (folder / "over.png").read_bytes() == (painted / "a <b>_overlay.png").read_bytes()
    for mask in (folder / "masks").iterdir():
        assert mask.read_bytes() == (painted / "a <b>_masks" / mask.name).read_bytes()
    strokes = json.loads((painted / "a <b>_strokes.json").read_text())["strokes"]
    assert [made["class"] for made in strokes] == [0, 1, 2]
    colors = np.asarray(Image.open(painted / "a <b>_labels.png").convert("RGB")).reshape(-1, 3)
    tops = {0: (0, 0x72, 0xB2), 1: (0xE6, 0x9F, 0), 2: (0, 0x9E, 0x73)}
    assert [tops[label] for label in shown] == [tuple(color) for color in colors.tolist()]


def test_undo_redo_erase_classes_pictures_and_a_kill(browser, folder):
    arguments = ("paint", folder, "--jobs", 1)
    with Server(*arguments, folder=folder) as server:
        browser.get(server.address)
        wait_until(browser, "graphwell.state.classes.length === 2")
        stroke(browser, [[10, 10], [150, 10]])
        wait_until(browser, FINE)
        wait_until(browser, "document.getElementById('hint').innerText.startsWith('Only class 1 is painted')")
        keep_screenshot(browser, "paint-one-class")
        press(browser, "s")
        said(browser, "every pixel has it")
        press(browser, "n")
        browser.switch_to.active_element.send_keys("third\n")
        wait_until(browser, "graphwell.state.classes.length === 3")
        press(browser, "3")
        stroke(browser, [[80, 60], [100, 62]])
        wait_until(browser, "document.getElementById('hint').hidden && graphwell.state.fine")
        press(browser, "e")
        stroke(browser, [[90, 61]])
        press(browser, "z")
        wait_until(browser, "graphwell.board.strokes.length === 2")
        press(browser, "y")
        wait_until(browser, "graphwell.board.strokes.length === 3")
        press(browser, "z")
        wait_until(browser, "graphwell.board.strokes.length === 2")
        server.kill()
    with Server(*arguments, folder=folder) as server:
        browser.get(server.address)
        wait_until(browser, "graphwell.board.strokes.length === 2 && graphwell.state.classes.length === 3")
        assert not browser.find_element("id", "redo").get_property("disabled")
        wait_until(browser, FINE)
        browser.find_element("id", "next").click()
        wait_until(browser, "graphwell.state.picture === 1")
        assert count(browser) == 0
        assert len(browser.execute_script("return graphwell.state.classes")) == 3
        keep_screenshot(browser, "paint-next")
        browser.find_element("id", "previous").click()
        wait_until(browser, "graphwell.state.picture === 0")
        browser.find_element("id", "save-all").click()
        said(browser, "1 of 1 other pictures were painted and saved")
        browser.find_element("id", "next").click()
        wait_until(browser, "graphwell.state.picture === 1 && graphwell.board.strokes.length === 2")
        wait_until(browser, FINE)
        assert (folder / "painted" / "b_labels.png").exists()


def test_slices_uncertainty_and_a_label_image_to_start_from(browser, tmp_path):
    volume = np.zeros((8, 60, 70))
    volume[:, 15:40, 20:50] = 1
    np.save(tmp_path / "labels.npy", volume.astype(int))
    np.save(tmp_path / "a.npy", volume + 0.3 * np.random.default_rng(0).standard_normal(volume.shape))
    options = ("--set", "slice_axis=0", "--set", "labels=labels.npy")
    with Server("paint", "a.npy", *options, "--jobs", 1, folder=tmp_path) as server:
        browser.get(server.address)
        wait_until(browser, f"graphwell.state.slice === 4 && {FINE}")
        strokes = count(browser)
        assert strokes > 1
        labels = "return [...graphwell.board.labels.values]"
        assert (np.reshape(browser.execute_script(labels), (60, 70)) == volume[4]).mean() > 0.98
        press(browser, ".")
        wait_until(browser, "graphwell.state.slice === 5")
        assert browser.find_element("id", "slice-says").text == "6 of 8"
        press(browser, "2")
        stroke(browser, [[5, 50], [20, 52]])
        press(browser, ",")
        wait_until(browser, "graphwell.state.slice === 4")
        assert count(browser) == strokes  # it is on another slice
        press(browser, "z")
        wait_until(browser, "graphwell.state.slice === 5")  # and is seen when it is taken back
        wait_until(browser, f"graphwell.board.strokes.length === {strokes} && {FINE}")
        corner = """const {board} = graphwell, at = 4 * (70 * arguments[0] + arguments[1]);
            return board.tinted.getContext('2d').getImageData(0, 0, 70, 60).data[at + 3]"""
        before = browser.execute_script(corner, 5, 5)
        press(browser, "d")
        assert browser.execute_script(corner, 5, 5) < before / 2  # it is certain
        keep_screenshot(browser, "paint-slices")
        shown = "return graphwell.board.canvas.toDataURL()"
        before = browser.execute_script(shown)
        script = "const range = document.getElementById('contrast'); range.value = 300; range.oninput()"
        browser.execute_script(script)
        wait_until(browser, "graphwell.board.wanted === undefined")
        assert browser.execute_script(shown) != before


@pytest.mark.parametrize("width", [1440, 390])
def test_nothing_serious_is_found_for_those_who_cannot_see_the_page(browser, folder, width):
    with Server("paint", folder, "--jobs", 1, folder=folder) as server:
        browser.set_window_size(width, 860)
        browser.get(server.address)
        wait_until(browser, "graphwell.state.classes.length === 2")
        stroke(browser, [[10, 10], [150, 10]])
        assert serious(browser) == []
        press(browser, "k")
        assert serious(browser) == []
