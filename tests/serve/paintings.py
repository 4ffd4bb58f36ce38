"""A page of `graphwell paint` without a server, and what its windows are told."""

import json
import time

import pytest

from graphwell.jobs.painting import PaintOptions
from graphwell.serve.painting import PaintPage
from tests.jobs.test_painting import write_picture

ACROSS = {"class": 0, "width": 3, "erase": False, "points": [[5, 5], [60, 5]]}


MIDDLE = {"class": 1, "width": 3, "erase": False, "points": [[30, 30], [40, 30]]}


class Heard:
    """What windows were told."""

    def __init__(self):
        self.events = []

    def __call__(self, event):
        if isinstance(event, bytes):
            length = int.from_bytes(event[:4], "little")
            event = {**json.loads(event[4 : 4 + length]), "body": event[4 + length :]}
        self.events.append(event)

    def wait_for(self, enough, seconds=60):
        """Return the first event that is enough, once it is there."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for event in list(self.events):
                if enough(event):
                    return event
            time.sleep(0.01)
        raise AssertionError([event["event"] for event in self.events])


def paint_page(source, classes=(), **options):
    """A page on a picture or a folder of them."""
    return PaintPage(PaintOptions(source=source, n_jobs=1, **options), classes)


@pytest.fixture
def folder(tmp_path):
    write_picture(tmp_path / "a.png")
    write_picture(tmp_path / "b.png", seed=1)
    return tmp_path


@pytest.fixture
def opened(folder):
    page, heard = paint_page(folder, ("leaf", "ground")), Heard()
    page.begin(heard)
    yield page, heard
    page.end()


def do(page, command, /, **message):
    return page.commands[command]({**message, "do": command})


def first(page):
    heard = Heard()
    for event in page.greeting():
        heard(event)
    return heard.events


def fine(number):
    return lambda e: e["event"] == "segmentation" and not e["coarse"] and e["number"] >= number
