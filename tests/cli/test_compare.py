"""`graphwell compare` as its users meet it."""

import re

from typer.testing import CliRunner

from graphwell.cli.app import app
from tests.jobs.tables import write_blobs

FEW = (
    "--methods",
    "nearest, logistic regression, binary interface",
    "--set",
    "splits=2",
    "--jobs",
    1,
    "--id",
    "name",
)


def run(*arguments):
    return CliRunner().invoke(app, ["compare", *map(str, arguments)])


def test_lines_a_table_and_a_page(tmp_path):
    write_blobs(tmp_path / "a<b.csv")
    page = tmp_path / "page.html"
    shown = run(tmp_path / "a<b.csv", "--truth", "truth", *FEW, "--report", page)
    assert shown.exit_code == 0, shown.output
    before, _, after = shown.stdout.partition("120 rows, 12 labels given, 3 classes.")
    for method in ("nearest", "logistic regression"):
        assert re.search(rf"^{method}: (9\d|100)\.\d\d % correct ± ", before, re.MULTILINE), (
            "a line before the table"
        )
    assert "Judged on the truth of all rows not shown: 120 different rows." in " ".join(after.split())
    assert "Left out: binary interface (tells at most 2 classes" in after
    assert "Written" in after
    text = page.read_text()
    assert "Methods on a&lt;b.csv" in text
    assert text.count("data:image/png;base64,") == 1
    assert "tells at most 2 classes apart" in text
    assert re.search(r"<td>nearest</td><td>the label nearest along the graph</td><td class=.number.>\d", text)
