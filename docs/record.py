"""Record the labelling page and the report: ``PYTHONPATH=. python docs/record.py`` (needs Chromium).

Ten questions about 1,797 digits are answered by key, as a person would who knows all digits.
"""

import contextlib
import io
import tempfile
from pathlib import Path

import PIL.Image
from sklearn.datasets import load_digits

from benchmarks.pages import start_chromium
from graphwell.datasets import digits_table
from graphwell.jobs.classify import ClassifyOptions, classify
from tests.serve.browser import wait_until
from tests.serve.server import Server

FOLDER = Path(__file__).parent / "_static"
SIZE, SHOWN = (1280, 800), (900, 562)
QUESTIONS, SECONDS, LAST = 10, 0.8, 3.0


def main() -> None:
    """Answer the questions and write the pictures."""
    report()
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
            for number in range(QUESTIONS + 1):
                wait_until(browser, "document.body.dataset.fitted === document.body.dataset.number", 120)
                row = int(wait_until(browser, "document.body.dataset.question || null", 120))
                picture = PIL.Image.open(io.BytesIO(browser.get_screenshot_as_png())).convert("RGB")
                frames.append(picture.resize(SHOWN, PIL.Image.Resampling.LANCZOS))
                if number < QUESTIONS:
                    browser.find_element(By.TAG_NAME, "body").send_keys(str(truth[row]))
                    wait_until(browser, f"document.body.dataset.question !== '{row}'")
    finally:
        browser.quit()
    return frames


if __name__ == "__main__":
    main()
