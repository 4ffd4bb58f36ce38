"""The page of the reproduction."""

from graphwell.experiments.expected import Expected, Judged
from graphwell.experiments.record import Line
from graphwell.experiments.report import report, row
from graphwell.experiments.reproduce import Reproduction


def test_a_row_sets_the_paper_beside_the_result():
    judged = Judged(Line("a.b", "a line", "%", (2.0, 3.0)), Expected(paper=2.6, value=2.4, tolerance=0.6))
    cells = row(judged)
    assert cells[:4] == ["a line", "2.6 %", "2.50 ± 0.50 %", "-0.10"]
    assert cells[-1] == "✓"
    outside = Judged(judged.line, Expected(paper=2.6, value=9.0, tolerance=0.1))
    assert row(outside)[-1] == "outside"


def test_an_empty_reproduction_is_still_a_page():
    page = report(Reproduction([], seed=3, seconds=1.0), {})
    assert "The paper, reproduced" in page
    assert "seed 3" in page
