import sys

import pandas as pd
import pytest

import graphwell as gw
from graphwell.errors import OptionError
from graphwell.widgets.page_widget import OPEN, make_widget
from tests.serve.tables import write_groups
from tests.widgets.notebook import Kernel


def test_without_anywidget_one_sentence_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(ImportError, match=r'anywidget: pip install "graphwell\[notebook\]"'):
        gw.widgets.Label(tmp_path / "none.csv")


def test_a_widget_brings_its_script_and_is_shown(tmp_path):
    path, _ = write_groups(tmp_path)
    shown = gw.widgets.Label(path, row_id="name", n_jobs=1)
    kinds = shown._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in kinds[0]
    assert "export default { render }" in make_widget()._esm
    shown.close()


@pytest.mark.parametrize("widget", [gw.widgets.Label, gw.widgets.Paint])
@pytest.mark.parametrize("given", [pd.DataFrame({"a": [1]}), None])
def test_what_is_no_file_is_refused_in_a_sentence(widget, given):
    with pytest.raises(OptionError, match=f"must name a file, .* not be a {type(given).__name__}: write"):
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
    assert shown._files not in OPEN
    assert [file.name for file in tmp_path.iterdir() if file.name.endswith(".lock")] == []
