"""The page of a labelled table, and the HTML it is made of."""

import re
from dataclasses import replace

import pytest

from graphwell.errors import Sentence
from graphwell.jobs.classify import classify
from graphwell.jobs.options import ClassifyOptions
from graphwell.view import html
from graphwell.view.report import doubtful_table, report_page
from tests.jobs.tables import blobs


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "in.csv"
    frame = blobs()
    frame.assign(label=frame.label.replace("bee", "<b>$bee</b>")).to_csv(path, index=False)
    return classify(ClassifyOptions(table=path, truth="truth", holdout=0.2, n_jobs=1))


def test_it_holds_every_section_and_fetches_nothing(report):
    page = report_page(report)
    for words in (
        "Columns",
        "Classes",
        "Where the classes lie",
        "Compared with the truth",
        "Most uncertain rows",
        "The descent",
    ):
        assert f"<h2>{words}</h2>" in page
    assert page.count('<img src="data:image/png;base64,') == 4
    assert not re.search(r"(?:src|href)=[\"'](?!data:)", page)
    assert "<b>$bee" not in page
    assert "5 runs, each without some of the given labels" in page


def test_notes_are_in_the_words_of_the_face(report):
    noted = replace(report, notes=(Sentence("Give {n_neighbors}."),), details=None, comparison=None)
    assert "Give n_neighbors." in report_page(noted)
    assert "Give [n_neighbors]." in report_page(noted, lambda field, value: f"[{field}]")


def test_without_details_there_are_counts_alone(report):
    page = report_page(replace(report, details=None, comparison=None, holdout=None))
    assert page.count("<img") == 1
    assert "Where the classes lie" not in page
    assert "The descent" not in page


def test_a_method_without_a_descent_has_no_picture_of_one(report):
    page = report_page(replace(report, details=replace(report.details, result=None), sweeps=0))
    assert "The descent" not in page
    assert "sweeps" not in page


def test_doubtful_rows_are_named(report):
    row = replace(report.doubtful[0], row=1234, id="<r>", given=True)
    made = doubtful_table([row])
    assert "<td>1,234 (&lt;r&gt;)</td>" in made
    assert "<td>yes</td>" in made


def test_text_is_always_escaped():
    made = html.page(
        "<t>", [html.heading("<h>"), html.subheading("<s>"), html.paragraph("<p>"), html.footer("<f>")]
    )
    for letter in "thspf":
        assert f"&lt;{letter}&gt;" in made
    assert "<t>" not in made.replace("<title>", "")


def test_a_table_sets_numbers_to_the_right():
    made = html.table(["name", "kind", "rows"], [["a", "b", 3]], text_columns=2)
    assert '<td>a</td><td>b</td><td class="number">3</td>' in made
    assert '<th>kind</th><th class="number">rows</th>' in made


def test_pictures_lie_inside_the_page():
    made = html.figure(b"bytes", 'a "plot"', "below")
    assert 'src="data:image/png;base64,Ynl0ZXM="' in made
    assert "a &quot;plot&quot;" in made
    assert "<figcaption>below</figcaption>" in made
    assert "figcaption" not in html.figure(b"", "x")


def test_facts_are_names_and_values():
    assert html.facts([("rows", "3")]).count('class="fact"') == 1
