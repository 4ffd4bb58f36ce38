"""Record both pages and the report: ``PYTHONPATH=. python docs/record.py`` (needs Chromium).

Ten questions about 1,797 digits are answered by key, as a person would who knows all digits; then some more,
a lasso is drawn, and a photograph of a cup is painted on.
"""

import contextlib
import io
import tempfile
from pathlib import Path

import PIL.Image
import skimage.data
from sklearn.datasets import load_digits

from benchmarks.pages import start_chromium
from graphwell.datasets import digits_table
from graphwell.jobs.classify import ClassifyOptions, classify
from tests.serve.browser import wait_until
from tests.serve.server import Server
from tests.serve.test_label_in_chromium import drag

FOLDER = Path(__file__).parent / "_static"
SIZE, WIDTH = (1280, 890), 900
QUESTIONS, SECONDS, LAST = 10, 0.8, 3.0
MORE = 16
"""Questions before the pages that stand still."""
LASSO = [(0.26, 0.43), (0.41, 0.43), (0.41, 0.72), (0.26, 0.72), (0.26, 0.45)]
STROKES = [
    (0, [[215, 100], [250, 160], [330, 190], [400, 110]]),
    (0, [[250, 90], [300, 75], [350, 90], [300, 140]]),
    (1, [[20, 20], [40, 370], [560, 390]]),
    (1, [[520, 40], [580, 300]]),
    (2, [[110, 190], [150, 290], [270, 350], [400, 310], [450, 200]]),
]


def main() -> None:
    """Answer the questions and write the pictures."""
    report()
    painted()
    truth = load_digits().target
    with tempfile.TemporaryDirectory() as folder:
        frames = recorded(Path(folder), truth)
    colours = frames[-1].quantize(255, PIL.Image.Quantize.FASTOCTREE, dither=PIL.Image.Dither.NONE)
    frames = [frame.quantize(palette=colours, dither=PIL.Image.Dither.NONE) for frame in frames]
    times = [int(1000 * SECONDS)] * (len(frames) - 1) + [int(1000 * LAST)]
    frames[0].save(
        FOLDER / "label-page.gif",
        save_all=True,
        append_images=frames[1:],
        duration=times,
        loop=0,
        optimize=True,
    )


def report() -> None:
    """The top of the page that ``graphwell classify --report`` writes of the digits."""
    browser = start_chromium()
    browser.set_window_size(1100, 1330)
    try:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            table, page = Path("digits.csv"), Path("report.html")
            table.write_text(digits_table(random_state=0))
            options = ClassifyOptions(
                table=table, truth="truth", row_id="id", report=page, output=Path("labelled.csv")
            )
            classify(options)
            browser.get(page.absolute().as_uri())
            browser.execute_script("document.documentElement.style.overflow = 'hidden'")
            shown = PIL.Image.open(io.BytesIO(browser.get_screenshot_as_png())).convert("RGB")
    finally:
        browser.quit()
    shown.quantize(255, PIL.Image.Quantize.FASTOCTREE).save(FOLDER / "report.png", optimize=True)


def painted() -> None:
    """Four strokes on a photograph."""
    browser = start_chromium()
    browser.set_window_size(*SIZE)
    try:
        with tempfile.TemporaryDirectory() as folder:
            PIL.Image.fromarray(skimage.data.coffee()).save(Path(folder) / "coffee.png")
            options = ("paint", "coffee.png", "--classes", "cup,table,saucer")
            with Server(*options, folder=Path(folder)) as server:
                browser.get(server.address)
                wait_until(browser, "graphwell.board.picture && graphwell.state.classes.length === 3")
                for number, points in STROKES:
                    stroke = {"class": number, "width": 8, "erase": False, "points": points}
                    browser.execute_script("graphwell.hand.onStroke(arguments[0])", stroke)
                wait_until(browser, f"graphwell.board.strokes.length === {len(STROKES)}")
                done = "document.getElementById('status').textContent === ''"
                wait_until(browser, f"graphwell.state.fine && {done}")
                keep(browser, "page-paint", 900)
    finally:
        browser.quit()


def shot(browser, width: int) -> PIL.Image.Image:
    """What the browser shows, made smaller."""
    picture = PIL.Image.open(io.BytesIO(browser.get_screenshot_as_png())).convert("RGB")
    return picture.resize((width, picture.height * width // picture.width), PIL.Image.Resampling.LANCZOS)


def keep(browser, name: str, width: int) -> None:
    """Write a picture of the page once the map rests."""
    browser.execute_async_script("setTimeout(arguments[0], 2000)")
    picture = shot(browser, width)
    picture.quantize(255, PIL.Image.Quantize.FASTOCTREE).save(FOLDER / f"{name}.png", optimize=True)


def recorded(folder: Path, truth) -> list[PIL.Image.Image]:
    """The page before the first question and after each answer."""
    from selenium.webdriver.common.by import By

    (folder / "digits.csv").write_text(digits_table(random_state=0))
    options = (
        "label",
        "digits.csv",
        "--drop",
        "truth,label",
        "--pixels",
        "8x8",
        "--classes",
        ",".join("0123456789"),
    )
    browser, frames = start_chromium(), []
    browser.set_window_size(*SIZE)
    try:
        with Server(*options, folder=folder) as server:
            browser.get(server.address)
            for number in range(QUESTIONS + MORE + 1):
                wait_until(browser, "document.body.dataset.fitted === document.body.dataset.number", 120)
                row = int(wait_until(browser, "document.body.dataset.question || null", 120))
                if number <= QUESTIONS:
                    frames.append(shot(browser, WIDTH))
                if number < QUESTIONS + MORE:
                    browser.find_element(By.TAG_NAME, "body").send_keys(str(truth[row]))
                    wait_until(browser, f"document.body.dataset.question !== '{row}'")
            browser.set_window_size(1440, 990)
            browser.find_element(By.TAG_NAME, "body").send_keys("l")
            drag(browser, LASSO)
            wait_until(browser, "document.querySelector('#many .pick')")
            browser.execute_script("document.querySelectorAll('#many .answers button')[3].focus()")
            keep(browser, "page-lasso", 940)
            browser.find_element(By.TAG_NAME, "body").send_keys("\ue00c")  # Escape
            dark = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
            browser.execute_cdp_cmd("Emulation.setEmulatedMedia", dark)
            browser.set_window_size(1008, 790)
            keep(browser, "page-label", 900)
    finally:
        browser.quit()
    return frames


if __name__ == "__main__":
    main()
