"""The job behind `graphwell compare`."""

import pytest

from graphwell.errors import OptionError
from graphwell.jobs.compare import compare
from graphwell.jobs.options import CompareOptions
from tests.jobs.tables import write_blobs


def options(path, **changed):
    given = {"methods": ("nearest", "logistic regression"), "splits": 2, "n_jobs": 1, "row_id": "name"}
    return CompareOptions(table=path, **{**given, **changed})


def test_a_table_is_judged_by_its_truth_or_by_hidden_labels(tmp_path):
    write_blobs(tmp_path / "in.csv")
    by_truth = compare(options(tmp_path / "in.csv", truth="truth"))
    assert (by_truth.found.judged_on, by_truth.found.n_judged) == ("truth", 120)
    assert by_truth.found.classes == ("ant", "bee", "cat")
    assert by_truth.found.standings[0].accuracy > 0.95
    hidden = compare(options(tmp_path / "in.csv", drop=("truth",)))
    assert (hidden.found.judged_on, hidden.found.n_judged) == ("hidden labels", 12)
    told = hidden.to_json()
    assert (told["rows"], told["labels_given"], told["files"]) == (120, 12, [])
    assert {fate["name"] for fate in told["columns"]} == {"name", "x", "y", "label", "truth"}


def test_the_page_is_drawn_from_the_report_and_listed(tmp_path):
    write_blobs(tmp_path / "in.csv")
    page = tmp_path / "page.html"
    asked = options(tmp_path / "in.csv", truth="truth", report=page)
    report = compare(asked, draw=lambda found: f"{found.found.n_rows} rows")
    assert page.read_text() == "120 rows"
    assert report.files == (page,)
    with pytest.raises(OptionError, match="needs a function that draws it"):
        compare(options(tmp_path / "in.csv", report=page))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"report": "page.pdf"}, "must end in .html"),
        ({"checkpoint": "in.csv"}, "are both the file"),
        ({"label": "kind"}, "no such column"),
        ({"methods": ("guess",)}, "methods must be among"),
    ],
)
def test_bad_options_are_refused(tmp_path, changed, said):
    write_blobs(tmp_path / "in.csv")
    changed = {k: tmp_path / v if k in ("report", "checkpoint") else v for k, v in changed.items()}
    with pytest.raises(OptionError, match=said):
        compare(options(tmp_path / "in.csv", **changed), draw=str)
