"""The report: one page that holds every line, table and figure."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from graphwell import __version__
from graphwell.experiments.expected import Judged, judge
from graphwell.experiments.record import Section, written
from graphwell.view import html

if TYPE_CHECKING:
    from graphwell.experiments.reproduce import Reproduction

HEADER = ("line", "paper", "graphwell", "difference", "best", "runs", "expected", "")
LEAD = (
    "Every experiment of “Multiclass Diffuse Interface Models for Semi-Supervised Learning on Graphs” "
    "(Garcia-Cardona, Flenner, Percus), run through the public interface of graphwell and set beside the "
    "published figures. Means are given with their standard deviation over the runs."
)

CHECK = (
    "The column “expected” is graphwell's own earlier result with the room that a change of seeds needs. A "
    "line inside it says that nothing has changed, not that the paper is confirmed; for that, compare the "
    "columns “paper” and “graphwell”."
)


def report(found: "Reproduction", pictures: Mapping[str, bytes]) -> str:
    """The whole page; `pictures` holds each figure as PNG under its file name."""
    parts = [html.paragraph(LEAD, "lead"), html.facts(_facts(found))]
    parts += [
        html.paragraph(f"Outside its tolerance: {complaint}.", "note") for complaint in found.complaints
    ]
    parts.append(html.paragraph(CHECK))
    for section in found.sections:
        parts += _section(section, pictures)
    parts.append(html.footer(f"graphwell {__version__}, seed {found.seed}. Every run is in results.json."))
    return html.page("The paper, reproduced", parts)


def row(judged: Judged) -> list[str]:
    """One line of the table: paper, graphwell, difference, and what was expected."""
    line = judged.line
    return [
        line.title,
        judged.paper,
        str(line),
        judged.difference,
        written(line.best, line.unit),
        str(len(line.values)),
        judged.range,
        "✓" if judged.ok else "outside",
    ]


def _section(section: Section, pictures: Mapping[str, bytes]) -> Iterator[str]:
    yield html.heading(section.title)
    yield html.paragraph(section.setting)
    yield html.table(HEADER, [row(judge(line)) for line in section.lines])
    for remark in section.remarks:
        yield html.paragraph(remark)
    for picture in section.pictures:
        yield html.figure(pictures[picture.name], picture.caption, picture.caption)
    for table in section.tables:
        yield html.subheading(table.title)
        yield html.table(table.header, table.rows, table.text_columns)


def _facts(found: "Reproduction") -> list[tuple[str, str]]:
    judged = found.judged
    inside = sum(one.ok for one in judged)
    n_runs = sum(len(section.runs) for section in found.sections)
    return [
        ("lines within their tolerance", f"{inside} of {len(judged)}"),
        ("runs", f"{n_runs:,}"),
        ("seconds", f"{found.seconds:.0f}"),
    ]
