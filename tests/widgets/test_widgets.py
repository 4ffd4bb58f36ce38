"""The pages in a notebook, without a browser: messages in, messages out."""

import base64
import json
import queue
import re
import sys

import numpy as np
import pandas as pd
import pytest
from PIL import Image

import graphwell as gw
from graphwell.errors import OptionError
from graphwell.serve.channel import LONGEST_MESSAGE
from graphwell.serve.security import PAGES
from graphwell.widgets import ENDED, MOST_SHOWN, Windows, modules_of, one_document
from tests.serve.pages import EchoPage, write_groups
from tests.widgets.notebook import Kernel


def test_without_anywidget_one_sentence_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(ImportError, match=r'anywidget: pip install "graphwell\[notebook\]"'):
        gw.widgets.Label(tmp_path / "none.csv")


@pytest.mark.parametrize("widget", [gw.widgets.Label, gw.widgets.Paint])
@pytest.mark.parametrize("given", [pd.DataFrame({"a": [1]}), None])
def test_what_is_no_file_is_refused_in_a_sentence(widget, given):
    with pytest.raises(OptionError, match=f"must name a file, .* not be a {type(given).__name__}; write"):
        widget(given)


def test_a_closed_widget_answers_nothing_and_holds_nothing(tmp_path):
    path, _ = write_groups(tmp_path)
    shown = gw.widgets.Label(path, row_id="name", n_jobs=1)
    kernel = Kernel(shown)
    kernel.say("one", open=True)
    kernel.until(lambda message: "opened" in message)
    shown.close()
    shown.close()
    kernel.until(lambda message: "closed" in message)
    assert [file.name for file in tmp_path.iterdir() if file.name.endswith(".lock")] == []


def said(message, name):
    return name in message.get("text", "")


def answered(kernel, number):
    """Wait until the model knows so many answers."""
    kernel.until(lambda m: said(m, '"event": "model"') and json.loads(m["text"]).get("number") == number)


def test_an_answer_is_in_the_journal_before_it_is_answered(tmp_path):
    path, truth = write_groups(tmp_path, labels={0: "one", 40: "two", 80: "three"})
    shown = gw.widgets.Label(str(path), label="label", row_id="name", n_jobs=1)
    kernel = Kernel(shown)
    kernel.say("w", open=True)
    kernel.until(lambda message: said(message, '"event": "about"'))
    kernel.say("w", text=json.dumps({"do": "label", "id": 1, "rows": [50], "class": 0}))
    kernel.until(lambda message: said(message, '"re": 1'))
    assert shown.page.answers.codes[50] == 0
    assert '"rows":[50]' in (tmp_path / "groups.csv.journal").read_text()
    answered(kernel, 1)
    assert shown.write() == tmp_path / "groups.labelled.csv"
    assert (tmp_path / "groups.labelled.csv").read_text().count("\n") == len(truth) + 1
    shown.close()


def test_a_cell_that_is_run_again_goes_on(tmp_path):
    path, _ = write_groups(tmp_path, labels={0: "one", 40: "two"})
    first = gw.widgets.Label(path, label="label", row_id="name", n_jobs=1)
    first.page.commands["label"]({"do": "label", "rows": [7], "class": 1})
    second = gw.widgets.Label(path, label="label", row_id="name", n_jobs=1)
    assert second.labels[7] == second.labels[40]
    assert second.labels[8] is None
    second.close()
    first.close()


def test_options_may_be_text_and_lists(tmp_path):
    path, _ = write_groups(tmp_path, labels={0: "one", 40: "two"})
    where = str(tmp_path / "out.csv")
    lists = {"drop": ["d"], "unknown": ["?"], "classes": ["three", "two"]}
    shown = gw.widgets.Label(str(path), row_id="name", output=where, n_jobs=1, **lists)
    assert shown.page.answers.classes.names == ("one", "two", "three")
    assert shown.page.table.options.labelled == tmp_path / "out.csv"
    assert "d" not in dict(shown.page.table.cells(0))
    shown.close()


def write_picture(folder):
    pixels = np.zeros((40, 50, 3), dtype=np.uint8)
    pixels[:, 25:] = 220
    Image.fromarray(pixels).save(folder / "in.png")
    return folder / "in.png"


def test_a_second_widget_goes_on_from_the_strokes_of_the_first(tmp_path):
    path = write_picture(tmp_path)
    first = gw.widgets.Paint(path, n_jobs=1)
    stroke = {"class": 0, "width": 3, "erase": False, "points": [[5, 5]]}
    first.page.commands["stroke"]({"do": "stroke", **stroke})
    second = gw.widgets.Paint(path, output=str(tmp_path / "painted"), n_jobs=1)
    assert second.page.strokes.strokes == [stroke]
    second.close()


# ---------------------------------------------------------------------------------------------- windows


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


def test_a_message_that_is_too_long_closes_the_line(told):
    told.open("one")
    told.say("one", text=" " * (LONGEST_MESSAGE + 1))
    assert "too long" in told.next()[0]["closed"]


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
def test_every_import_of_every_module_has_an_address(name):
    page = one_document(name)
    named = page.replace("http://www.w3.org/2000/svg", "")  # a namespace is no address
    assert not re.search(r'src="|href="static|http:', named)
    assert page.count("<style nonce=") == 2
    addresses = addresses_of(page)
    for address in addresses.values():
        source = base64.b64decode(address.partition("base64,")[2]).decode()
        imported = re.findall(r'^(?:import|export) .*?"(.+?)";$', source, re.MULTILINE)
        assert set(imported) <= set(addresses)
        assert not re.search(r"\bimport\(", source)
    assert {f"graphwell/{part}" for part in modules_of(f"{name}.js")} == set(addresses)


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
