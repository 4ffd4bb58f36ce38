"""The page of a comparison."""

import re

from graphwell.jobs.compare import compare
from graphwell.jobs.options import CompareOptions
from graphwell.view.comparison import comparison_page, how_judged
from tests.jobs.tables import write_blobs


def test_the_page_names_methods_and_reasons_and_holds_three_pictures(tmp_path):
    write_blobs(tmp_path / "a<b.csv")
    report = compare(
        CompareOptions(
            table=tmp_path / "a<b.csv", truth="truth", row_id="name", splits=2, n_jobs=1,
            methods=("nearest", "laplace", "binary interface"),
        )
    )  # fmt: skip
    page = comparison_page(report)
    assert "Methods on a&lt;b.csv" in page
    assert page.count("data:image/png;base64,") == 3
    assert "tells at most 2 classes apart" in page
    assert re.search(r"<td>nearest</td><td>the label nearest along the graph</td><td class=.number.>\d", page)
    assert how_judged(report.found).endswith("the truth of all rows not shown: 120 different rows.")
