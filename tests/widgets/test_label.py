import json

import pytest

import graphwell as gw
from graphwell.errors import OptionError
from graphwell.io.locks import held_alone
from tests.serve.tables import write_groups
from tests.widgets.notebook import Kernel


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


def test_a_table_that_is_labelled_elsewhere_is_refused_before_it_is_read(tmp_path):
    path, _ = write_groups(tmp_path)
    with (
        held_alone(tmp_path / "groups.csv.journal", "table"),
        pytest.raises(OptionError, match="in use by process"),
    ):
        gw.widgets.Label(path)


def test_what_is_wrong_with_the_options_is_told_and_nothing_is_held(tmp_path):
    path, _ = write_groups(tmp_path)
    with pytest.raises(OptionError, match="text_column"):
        gw.widgets.Label(path, text_column="none")
    with held_alone(tmp_path / "groups.csv.journal", "table"):
        pass


def test_options_may_be_text_and_lists(tmp_path):
    path, _ = write_groups(tmp_path, labels={0: "one", 40: "two"})
    where = str(tmp_path / "out.csv")
    lists = {"drop": ["d"], "unknown": ["?"], "classes": ["three", "two"]}
    shown = gw.widgets.Label(str(path), row_id="name", output=where, n_jobs=1, **lists)
    assert shown.page.answers.classes.names == ("one", "two", "three")
    assert shown.page.table.options.labelled == tmp_path / "out.csv"
    assert "d" not in dict(shown.page.table.cells(0))
    shown.close()
