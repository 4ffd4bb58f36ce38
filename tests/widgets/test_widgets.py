"""The pages in a notebook, without a browser: messages in, messages out."""

import base64
import json
import re
import sys

import numpy as np
import pandas as pd
import pytest
from PIL import Image

import graphwell as gw
from graphwell.serve.channel import LONGEST_MESSAGE
from graphwell.widgets import ENDED, MOST_SHOWN, modules_of, one_document
from tests.serve.pages import write_groups
from tests.widgets.notebook import Kernel


def test_what_is_missing_is_told_in_a_sentence(monkeypatch, tmp_path):
    for widget in (gw.widgets.Label, gw.widgets.Paint):
        with pytest.raises(TypeError, match="DataFrame"):
            widget(pd.DataFrame({"a": [1]}))
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(ImportError, match=r'anywidget: pip install "graphwell\[notebook\]"'):
        gw.widgets.Label(tmp_path / "none.csv")


def said(message, name):
    return name in message.get("text", "")


@pytest.fixture
def shown(tmp_path):
    path, _ = write_groups(tmp_path, labels={0: "one", 40: "two", 80: "three"})
    made = gw.widgets.Label(str(path), label="label", row_id="name", n_jobs=1)
    yield made
    made.close()


def open_window(kernel, name):
    kernel.say(name, open=True)
    assert kernel.until(lambda message: "opened" in message) == ({"window": name, "opened": True}, [])
    kernel.until(lambda message: message["window"] == name and said(message, '"event": "about"'))


def test_an_answer_is_in_the_journal_before_it_is_answered_and_a_cell_run_again_goes_on(tmp_path, shown):
    kernel = Kernel(shown)
    open_window(kernel, "w")
    kernel.say("w", text=json.dumps({"do": "label", "id": 1, "rows": [50], "class": 0}))
    kernel.until(lambda message: said(message, '"re": 1'))
    assert '"rows":[50]' in (tmp_path / "groups.csv.journal").read_text()
    kernel.until(lambda m: said(m, '"event": "model"') and json.loads(m["text"]).get("number") == 1)
    assert shown.write() == tmp_path / "groups.labelled.csv"
    again = gw.widgets.Label(tmp_path / "groups.csv", label="label", row_id="name", n_jobs=1)
    assert (again.labels[50], again.labels[51]) == ("one", None)
    again.close()
    assert not list(tmp_path.glob("*.lock"))


def test_options_may_be_text_and_lists(tmp_path):
    path, _ = write_groups(tmp_path, labels={0: "one", 40: "two"})
    lists = {"drop": ["d"], "unknown": ["?"], "classes": ["three", "two"]}
    shown = gw.widgets.Label(str(path), row_id="name", output=str(tmp_path / "out.csv"), n_jobs=1, **lists)
    assert shown.page.answers.classes.names == ("one", "two", "three")
    assert shown.page.table.options.labelled == tmp_path / "out.csv"
    assert "d" not in dict(shown.page.table.cells(0))
    shown.close()


def test_a_second_widget_goes_on_from_the_strokes_of_the_first(tmp_path):
    Image.fromarray(np.zeros((40, 50, 3), dtype=np.uint8)).save(tmp_path / "in.png")
    first = gw.widgets.Paint(tmp_path / "in.png", n_jobs=1)
    stroke = {"class": 0, "width": 3, "erase": False, "points": [[5, 5]]}
    first.page.commands["stroke"]({"do": "stroke", **stroke})
    second = gw.widgets.Paint(tmp_path / "in.png", output=str(tmp_path / "painted"), n_jobs=1)
    assert second.page.strokes.strokes == [stroke]
    second.close()


def test_windows_open_again_make_room_and_are_told_of_the_end(shown):
    kernel = Kernel(shown)
    for number in (0, *range(MOST_SHOWN + 2)):
        open_window(kernel, str(number))
    assert list(shown._windows._open) == [str(number) for number in range(2, MOST_SHOWN + 2)]
    kernel.say("5", text=" " * (LONGEST_MESSAGE + 1))
    assert "too long" in kernel.until(lambda message: "closed" in message)[0]["closed"]
    for odd in (None, 3, "text", [], {}, {"window": 3, "open": True}, {"window": "one"}):
        shown._windows.take(odd)
    kernel.say("6", text=3)
    shown.close()
    kernel.until(lambda message: message == {"window": "6", "closed": ENDED})
    shown.close()
    kernel.say("7", open=True)  # nobody is there any more


# ------------------------------------------------------------------------------------ a page in one piece


@pytest.mark.parametrize("name", ["label", "paint"])
def test_a_page_in_one_piece_needs_nothing_else_and_its_policy_is_as_strict_as_the_servers(name):
    page = one_document(name)
    assert not re.search(r'src="|href="static|http:', page.replace("http://www.w3.org/2000/svg", ""))
    assert page.count("<style nonce=") == 2
    addresses = json.loads(re.search(r'<script type="importmap" nonce="[^"]+">(.*?)</script>', page)[1])[
        "imports"
    ]
    assert {f"graphwell/{part}" for part in modules_of(f"{name}.js")} == set(addresses)
    for address in addresses.values():
        source = base64.b64decode(address.partition("base64,")[2]).decode()
        assert set(re.findall(r'^(?:import|export) .*?"(.+?)";$', source, re.MULTILINE)) <= set(addresses)
        assert not re.search(r"\bimport\(", source)
    policies = [
        re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', each)[1]
        for each in (page, one_document(name))
    ]
    assert policies[0] != policies[1]
    for wanted in ("default-src 'none'", "require-trusted-types-for 'script'", "connect-src 'none'"):
        assert wanted in policies[0]
    assert "unsafe" not in policies[0]
    assert "'self'" not in policies[0]
