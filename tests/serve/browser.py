"""A real Chromium for tests; without one they are skipped, unless GRAPHWELL_BROWSER requires it."""

import os
import time
from pathlib import Path

import pytest

from benchmarks.pages import start_chromium


def no_browser(reason):
    if os.environ.get("GRAPHWELL_BROWSER"):
        pytest.fail(f"GRAPHWELL_BROWSER is set, but {reason}")
    pytest.skip(reason)


def start_browser():
    """A browser driven by Selenium."""
    try:
        return start_chromium()
    except OSError as missing:
        no_browser(str(missing))


@pytest.fixture
def browser():
    made = start_browser()
    yield made
    errors = [entry["message"] for entry in made.get_log("browser") if entry["level"] == "SEVERE"]
    made.quit()
    assert [error for error in errors if "ERR_CONNECTION_REFUSED" not in error] == []  # servers end before


def wait_until(browser, script, seconds=60):
    """What a script returns, once it is true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := browser.execute_script(f"return {script}"):
            return found
        time.sleep(0.05)
    text = browser.execute_script("return document.body.innerText")
    raise AssertionError(f"{script} did not come true; the page says: {text}")


def keep_screenshot(browser, name):
    """Write a picture of the page into the folder that GRAPHWELL_SCREENSHOTS names, to be looked at."""
    folder = os.environ.get("GRAPHWELL_SCREENSHOTS")
    if folder:
        browser.save_screenshot(str(Path(folder) / f"{name}.png"))
