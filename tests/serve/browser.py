"""A real Chromium for tests; without one they are skipped, unless GRAPHWELL_BROWSER requires it."""

import os
import shutil
import subprocess
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


def serious(browser):
    """What axe-core finds serious on the page: for whom, and where."""
    folders = [Path(folder) for folder in os.environ.get("NODE_PATH", "").split(os.pathsep) if folder]
    program = shutil.which("npm")
    if program is not None and not folders:
        found = subprocess.run([program, "root", "-g"], capture_output=True, text=True, check=False)
        folders = [Path(found.stdout.strip())]
    axe = next(
        (folder / "axe-core" / "axe.min.js" for folder in folders if (folder / "axe-core").is_dir()), None
    )
    if axe is None:
        pytest.skip("axe-core is not installed: npm install -g axe-core, or name its folder in NODE_PATH")
    browser.execute_script(axe.read_text())
    done = browser.execute_async_script("axe.run().then(arguments[0])")
    found = [each for each in done["violations"] if each["impact"] in ("serious", "critical")]
    return [(each["help"], [node["html"] for node in each["nodes"]][:3]) for each in found]


def keep_screenshot(browser, name):
    """Write a picture of the page into the folder that GRAPHWELL_SCREENSHOTS names, to be looked at."""
    folder = os.environ.get("GRAPHWELL_SCREENSHOTS")
    if folder:
        browser.save_screenshot(str(Path(folder) / f"{name}.png"))
