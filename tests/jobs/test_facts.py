"""What a table says before anything is fitted."""

from pathlib import Path

import pytest

from graphwell.errors import OptionError
from graphwell.io.tables import Table
from graphwell.io.tables.cells import frame_of, text_column
from graphwell.jobs.columns import Roles, read_features
from graphwell.jobs.facts import read_given, table_facts


def table(**columns):
    made = {name: text_column(cells) for name, cells in columns.items()}
    return Table(Path("t.csv"), frame_of(made), None, made)


def test_labels_truth_names_and_notes_come_together():
    made = table(
        label=["b", "", "a"],
        truth=["b", "c", "a"],
        name=["u", "v", "w"],
        x=["1", "4", "2"],
        target=["p", "q", "r"],
        graphwell_label=["", "", ""],
    )
    roles = Roles("label", truth="truth", row_id="name")
    facts = table_facts(made, roles, read_given(made, roles), read_features(made, roles), made.names)
    assert (facts.n_rows, facts.classes, facts.features) == (3, ("a", "b"), ("x",))
    assert facts.given.codes.tolist() == [1, -1, 0]
    assert (facts.truth.names, facts.truth.codes.tolist()) == (("a", "b", "c"), [1, 2, 0])
    assert facts.ids.tolist() == ["u", "v", "w"]
    assert [str(note) for note in facts.notes] == [
        "The column 'target' was left out: its name says that it is the truth; features uses it after all.",
        "Columns of an earlier run were not used and are replaced: graphwell_label.",
    ]


def test_without_truth_and_names_there_are_none():
    made, roles = table(label=["a", "b"], x=["1", "2"]), Roles("label")
    facts = table_facts(made, roles, read_given(made, roles), read_features(made, roles), made.names)
    assert facts.truth is None
    assert facts.ids is None
    assert facts.notes == ()


def test_labels_that_teach_nothing_are_refused():
    with pytest.raises(OptionError, match="names a single class"):
        read_given(table(label=["a", ""]), Roles("label"))
