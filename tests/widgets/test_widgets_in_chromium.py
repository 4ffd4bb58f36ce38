"""The widgets as a notebook shows them, in a real Chromium; a model made up here carries the messages."""

import numpy as np
import pytest
from PIL import Image

from graphwell import datasets
from graphwell.widgets import Label, Paint
from tests.serve.browser import browser, keep_screenshot
from tests.serve.test_paint_in_chromium import drag, press
from tests.widgets.notebook import Notebook

__all__ = ["browser"]
pytestmark = pytest.mark.slow


def hover(browser):
    """Move over the picture until the page hears of it: a frame may hear nothing just after it was shown."""
    from selenium.webdriver import ActionChains

    canvas = browser.find_element("id", "canvas")
    for step in range(200):
        ActionChains(browser, duration=20).move_to_element_with_offset(canvas, step % 7, 0).perform()
        if browser.execute_script("return graphwell.board.pointer"):
            return
    raise AssertionError("The page hears nothing of the pointer.")


def test_pictures_and_answers_go_through_the_kernel_and_a_widget_may_be_shown_twice(browser, tmp_path):
    Image.fromarray(np.full((8, 6, 3), 200, dtype=np.uint8)).save(tmp_path / "a b.png")
    rows = [f"{x * x},{'a b.png' if x < 9 else 'none.png'},{'' if x else 'small'}" for x in range(18)]
    (tmp_path / "in.csv").write_text("\n".join(["x,photo,label", *rows, ""]))
    shown = Label(tmp_path / "in.csv", image_column="photo", n_jobs=1)
    notebook = Notebook(browser, shown, tmp_path)
    notebook.wait("document.body.dataset.connected === 'true'")
    for row, width in ((3, 6), (12, 0)):
        browser.execute_script(f"document.getElementById('search').value = '{row + 1}'")
        browser.execute_script("document.getElementById('search-form').requestSubmit()")
        found = f"document.querySelector('#list .what')?.textContent === '{row + 1}'"
        notebook.wait(f"document.getElementById('list-title').textContent.startsWith('Found') && {found}")
        browser.execute_script("document.querySelector('#list button').click()")
        notebook.wait(f"document.body.dataset.question === '{row}'")
        image = "document.querySelector('#question .sight img')"
        notebook.wait(f"{image}.complete")
        assert browser.execute_script(f"return [{image}.naturalWidth, {image}.alt]") == [width, str(row + 1)]
    browser.find_element("id", "table").click()  # keys go to the page once one has clicked into it
    press(browser, "1")
    notebook.wait("document.body.dataset.steps === '1'")
    assert shown.labels[12] == "small"
    notebook.show()
    notebook.wait("document.body.dataset.connected === 'true'")
    assert len(shown._windows._open) == 2
    browser.switch_to.default_content()
    browser.execute_script("leave()")
    notebook.carry()
    assert len(shown._windows._open) == 1
    shown.close()


def test_a_paint_widget_segments_strokes(browser, tmp_path):
    image, _ = datasets.make_grey_image(180, 190, noise=0.2, random_state=0)
    Image.fromarray(np.round(255 * np.clip(image, 0, 1)).astype(np.uint8)).save(tmp_path / "in.png")
    shown = Paint(tmp_path / "in.png", ("sky", "disk"), n_jobs=1)
    notebook = Notebook(browser, shown, tmp_path)
    notebook.wait("globalThis.graphwell?.board.picture && graphwell.state.classes.length === 2")
    hover(browser)
    for number, (key, points) in enumerate((("1", [[10, 10], [150, 10]]), ("2", [[80, 60], [100, 62]])), 1):
        browser.find_element("id", "name").click()
        press(browser, key)
        drag(browser, points)
        notebook.wait(f"graphwell.board.strokes.length === {number}")
    notebook.wait("graphwell.state.fine && document.getElementById('status').textContent === ''")
    keep_screenshot(browser, "widget_paint")
    values = set(browser.execute_script("return [...graphwell.board.labels.values]"))
    assert values == {0, 1}
    press(browser, "s")
    notebook.wait("document.getElementById('status').textContent.startsWith('Saved')")
    assert (tmp_path / "painted" / "in_labels.png").is_file()
    shown.close()
