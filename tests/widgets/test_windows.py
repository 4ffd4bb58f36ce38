"""Windows of a page in a notebook, and the page as one document."""

import base64
import json
import queue
import re

import pytest

from graphwell.serve.channel import LONGEST_MESSAGE
from graphwell.serve.files import PAGES
from graphwell.widgets.windows import ENDED, MOST_SHOWN, Windows, modules_of, one_document
from tests.serve.pages import EchoPage


class Told:
    """Keeps what windows are told."""

    def __init__(self, page):
        self.all = queue.SimpleQueue()
        self.windows = Windows(page, lambda message, buffers: self.all.put((message, buffers)), 500)

    def say(self, window, **message):
        self.windows.take({"window": window, **message})

    def next(self):
        return self.all.get(timeout=20)

    def open(self, window):
        self.say(window, open=True)
        assert self.next() == ({"window": window, "opened": True}, [])
        assert self.text(window) == {"event": "hello"}

    def text(self, window):
        message, _ = self.next()
        assert message["window"] == window
        return json.loads(message["text"])


@pytest.fixture
def page(tmp_path):
    (tmp_path / "a.png").write_bytes(b"picture")
    (tmp_path / "a.txt").write_bytes(b"secret")
    return EchoPage(tmp_path)


@pytest.fixture
def told(page):
    made = Told(page)
    yield made
    made.windows.end()


def test_a_window_is_greeted_and_answered(told):
    told.open("one")
    told.say("one", text='{"do": "echo", "id": 7, "x": [1]}')
    assert told.text("one") == {"re": 7, "ok": [1]}
    told.say("one", text='{"do": "fail", "id": 8}')
    assert told.text("one") == {"re": 8, "error": "That is wrong; do this."}


def test_an_event_reaches_every_window_with_its_array(told):
    told.open("one")
    told.open("two")
    told.say("one", text='{"do": "tell", "id": 1, "x": 5}')
    got = [told.next() for _ in range(5)]
    frames = {message["window"]: buffers for message, buffers in got if buffers}
    assert set(frames) == {"one", "two"}
    assert frames["one"] == frames["two"]
    events = [json.loads(message["text"]) for message, _ in got if "text" in message]
    assert events.count({"event": "told", "x": 5}) == 2


def test_the_page_is_sent_when_it_is_asked_for(told, page):
    page.name = "label"
    told.say("one", show=True)
    message, _ = told.next()
    assert message["height"] == 500
    assert message["page"].startswith("<!doctype html>")


@pytest.mark.parametrize("name", ["../a.png", "a.txt", "none.png", "/etc/hostname", "a.png\0", ""])
def test_only_pictures_of_the_folder_are_sent(told, name):
    told.say("one", picture="a.png")
    assert told.next() == ({"window": "one", "picture": "a.png", "kind": "image/png"}, [b"picture"])
    told.say("one", picture=name)
    assert told.next() == ({"window": "one", "picture": name}, [])


def test_a_window_that_opens_again_takes_its_own_place(told):
    told.open("one")
    told.open("one")
    told.say("one", text='{"do": "echo", "id": 1, "x": 1}')
    assert told.text("one") == {"re": 1, "ok": 1}
    assert list(told.windows._open) == ["one"]


def test_the_oldest_windows_make_room(told):
    for number in range(MOST_SHOWN + 2):
        told.open(str(number))
    assert list(told.windows._open) == [str(number) for number in range(2, MOST_SHOWN + 2)]


def test_a_window_that_has_gone_hears_nothing(told):
    told.open("one")
    told.open("two")
    told.say("two", close=True)
    told.say("two", text='{"do": "echo", "id": 1, "x": 1}')
    told.say("one", text='{"do": "echo", "id": 2, "x": 2}')
    assert told.text("one") == {"re": 2, "ok": 2}


def test_a_message_that_is_too_long_closes_the_line(told):
    told.open("one")
    told.say("one", text=" " * (LONGEST_MESSAGE + 1))
    assert "too long" in told.next()[0]["closed"]


def test_a_flood_closes_the_line_and_others_stay(told):
    told.open("one")
    told.open("two")
    for _ in range(2_000):
        told.say("one", text="{}")
    while "closed" not in (message := told.next()[0]):
        assert message["window"] == "one"
    told.say("two", text='{"do": "echo", "id": 1, "x": 1}')
    while (message := told.next()[0])["window"] == "one":
        pass
    assert json.loads(message["text"]) == {"re": 1, "ok": 1}


@pytest.mark.parametrize("message", [None, 3, "text", [], {}, {"window": 3, "open": True}, {"window": "one"}])
def test_what_is_no_message_is_passed_over(told, message):
    told.windows.take(message)
    told.say("one", text=3)
    assert told.all.empty()
    assert not told.windows._open
    told.open("one")
    assert list(told.windows._open) == ["one"]


def test_the_end_is_told_and_ends_the_page(told, page):
    told.open("one")
    told.windows.end()
    told.windows.end()
    assert page.ended
    assert told.next()[0] == {"window": "one", "closed": ENDED}
    told.say("one", open=True)
    assert told.all.empty()


# ------------------------------------------------------------------------------------ a page in one piece


def addresses_of(page):
    return json.loads(re.search(r'<script type="importmap" nonce="[^"]+">(.*?)</script>', page)[1])["imports"]


@pytest.mark.parametrize("name", ["label", "paint"])
def test_a_page_in_one_piece_loads_nothing(name):
    page = one_document(name)
    assert 'src="' not in page
    assert 'href="static' not in page
    assert "http:" not in page
    assert page.count("<style nonce=") == 2


@pytest.mark.parametrize("name", ["label", "paint"])
def test_every_import_of_every_module_has_an_address(name):
    addresses = addresses_of(one_document(name))
    for address in addresses.values():
        source = base64.b64decode(address.partition("base64,")[2]).decode()
        imported = re.findall(r'^(?:import|export) .*?"(.+?)";$', source, re.MULTILINE)
        assert set(imported) <= set(addresses)
        assert not re.search(r"\bimport\(", source)
    assert {f"graphwell/{part}" for part in modules_of(f"{name}.js")} == set(addresses)


def test_the_line_of_the_widget_stands_in_for_that_of_the_server():
    address = addresses_of(one_document("paint"))["graphwell/line.js"]
    assert base64.b64decode(address.partition("base64,")[2]) == (PAGES / "widget-line.js").read_bytes()


def test_both_lines_offer_the_same():
    offered = [
        re.findall(r"export (?:async )?function (\w+)\((\w+(?:, \w+)*)\)", (PAGES / name).read_text())
        for name in ("line.js", "widget-line.js")
    ]
    assert [[name for name, _ in line] for line in offered] == [["openLine", "showPicture"]] * 2


def test_the_policy_is_as_strict_as_the_servers_and_new_each_time():
    policies = [
        re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', one_document("label"))[1]
        for _ in range(2)
    ]
    assert policies[0] != policies[1]
    for policy in policies:
        assert "default-src 'none'" in policy
        assert "require-trusted-types-for 'script'" in policy
        assert "connect-src 'none'" in policy
        assert "unsafe" not in policy
        assert "'self'" not in policy
