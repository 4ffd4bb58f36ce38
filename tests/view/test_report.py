"""The page of a labelled table, and the HTML it is made of."""

import json
import re
from dataclasses import replace

from graphwell.errors import Sentence
from graphwell.jobs.classify import ClassifyOptions, classify
from graphwell.jobs.report import report_page
from graphwell.view import html
from tests.jobs.tables import blobs


def test_verdict_map_tables_truth_and_details_in_this_order(tmp_path):
    frame = blobs()
    frame.assign(label=frame.label.replace("bee", "<b>$bee</b>")).to_csv(tmp_path / "in.csv", index=False)
    options = {"report": tmp_path / "page.html", "truth": "truth", "suggest": 3, "n_jobs": 1}
    report = classify(ClassifyOptions(table=tmp_path / "in.csv", **options))
    page = (tmp_path / "page.html").read_text()
    assert re.findall("<h[23]>(.*?)</h[23]>|<summary>(.*?)</summary>", page) == [
        ("Map", ""),
        ("The rows to label next, best first (row 1 is the first below the header)", ""),
        ("Classes", ""),
        ("The most uncertain rows (row 1 is the first below the header)", ""),
        ("Compared with the truth", ""),
        ("", "Details"),
        ("Columns", ""),
    ]
    assert page.count('<img src="data:image/png;base64,') == 2
    assert not re.search(r"(?:src|href)=[\"'](?!data:)", page)
    assert "<b>$bee" not in page
    assert '<p class="lead">108 rows labelled from 12 labels. Estimated accuracy' in page
    assert '<td class="number">4 of 4</td>' in page
    named = json.loads(re.search(r"</output></div><script>\(.*?\)\((\[.*?\])\)</script>", page, re.DOTALL)[1])
    assert len(named) == 120
    assert named[0][2] == "row 1: ant (given)"
    assert re.fullmatch(r"row 5: ant \([01]\.\d\d\)", named[4][2])
    without = report_page("t", replace(report, notes=(Sentence("Give {n_neighbors}."),)), lambda *_: "[it]")
    assert b'<p class="note">Give [it].</p>' in without
    assert b"<img" not in without


def test_text_is_always_escaped_and_pictures_lie_inside_the_page():
    parts = [html.heading("<h>"), html.subheading("<s>"), html.paragraph("<p>"), html.footer("<f>")]
    made = html.page("<t>", parts)
    assert all(f"&lt;{letter}&gt;" in made for letter in "thspf")
    assert "<t>" not in made.replace("<title>", "")
    made = html.table(["name", "kind", ">rows"], [["a", "b", 3]])
    assert '<td>a</td><td>b</td><td class="number">3</td>' in made
    assert '<th>kind</th><th class="number">rows</th>' in made
    made = html.figure(b"bytes", 'a "plot"', "below")
    assert 'src="data:image/png;base64,Ynl0ZXM="' in made
    assert "a &quot;plot&quot;" in made
    assert "<figcaption>below</figcaption>" in made
    assert "figcaption" not in html.figure(b"", "x")
