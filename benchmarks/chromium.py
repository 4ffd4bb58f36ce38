"""A real Chromium without a screen or graphics card, driven by Selenium."""

import shutil
from typing import Any

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--window-size=1280,860",
    "--force-device-scale-factor=1",
)


def start_chromium() -> Any:
    """A browser that keeps what pages log; an OSError says what is missing."""
    try:
        from selenium import webdriver
    except ImportError:
        raise OSError("selenium is not installed") from None
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if program is None or driver is None:
        raise OSError("there is no chromium, or no chromedriver")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    made = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    made.set_script_timeout(120)
    return made
