"""Running experiments by name, and writing what they found: a page, and a file of all runs."""

import json
import platform
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

import graphwell as gw
from graphwell.experiments import paper
from graphwell.experiments.image import image, label_order
from graphwell.experiments.mnist import mnist, quoted_mnist
from graphwell.experiments.moons import quoted_moons, robustness, spectral_readings, three_moons, two_moons
from graphwell.io.files import check_output, written_whole
from graphwell.progress import Progress, silent
from graphwell.view import html

PAPER_RUNS = {"moons": 100, "image": 5, "mnist": 20}
MOONS = (three_moons, spectral_readings, two_moons, quoted_moons, label_order, robustness)
HEADER = ("line", ">paper", ">graphwell", ">difference", ">best", ">runs", ">expected", ">")
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


@dataclass(frozen=True)
class Reproduction:
    """Everything that one call found."""

    sections: Sequence[paper.Section]
    seed: int
    seconds: float

    @property
    def complaints(self) -> list[str]:
        """The lines that lie where they should not, each in a sentence."""
        return [line.complaint for section in self.sections for line in section.lines if not line.ok]


def reproduce(
    names: Sequence[str] = tuple(PAPER_RUNS),
    runs: int | None = None,
    seed: int = 0,
    data_dir: Path | None = None,
    progress: Progress = silent,
) -> Reproduction:
    """Run experiments under the paper's protocol, with its number of runs if none is given.

    "moons" includes the readings of spectral clustering, the order of the classes and the claims of the
    conclusion, which are all shown on moons. The picture is segmented from at most 5 label sets.
    """
    if runs is not None and runs < 1:
        raise ValueError(f"runs must be positive, got {runs}.")
    if seed < 0:
        raise ValueError(f"seed must not be negative, got {seed}.")
    digits = gw.datasets.load_mnist(data_dir) if "mnist" in names else None
    began = time.perf_counter()
    pair = gw.Graph.from_affinity([[0.0, 1.0], [1.0, 0.0]])
    paper.as_in_the_paper(paper.FIXED, 0).fit(pair, [0, 1])  # compiled before anything is timed
    sections: list[paper.Section] = []
    for name in names:
        count = runs or PAPER_RUNS[name]
        if name == "moons":
            sections += [step(count, seed, progress) for step in MOONS]
        elif name == "image":
            sections.append(image(count, seed, progress))
        elif digits is not None:
            sections.append(mnist(*digits, count, seed, progress))
            sections.append(quoted_mnist(*digits, seed, progress))
    return Reproduction(sections, seed, time.perf_counter() - began)


def write(found: Reproduction, folder: Path) -> None:
    """Write ``report.html`` and ``results.json``: both, or none."""
    contents = {
        "results.json": json.dumps(results(found), indent=1).encode(),
        "report.html": report(found).encode(),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name in contents:
        check_output(folder / name, "out")
    with ExitStack() as stack:
        for name, content in contents.items():
            stack.enter_context(written_whole(folder / name)).write(content)


def results(found: Reproduction) -> dict[str, object]:
    """Every line and every run, ready for JSON."""
    return {
        "graphwell": gw.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "machine": platform.machine(),
        "seed": found.seed,
        "seconds": found.seconds,
        "within_tolerance": not found.complaints,
        "experiments": [
            {
                "name": section.name,
                "title": section.title,
                "lines": [
                    {
                        **asdict(line), "mean": line.mean, "standard_deviation": line.spread,
                        "best": min(line.values), "n": len(line.values), "within_tolerance": line.ok,
                    }
                    for line in section.lines
                ],
                "runs": [asdict(run) for run in section.runs],
            }
            for section in found.sections
        ],
    }  # fmt: skip


def report(found: Reproduction) -> str:
    """The whole page."""
    judged = [line.ok for section in found.sections for line in section.lines]
    n_runs = sum(len(section.runs) for section in found.sections)
    within = f"{sum(judged)} of {len(judged)} lines within their tolerance"
    facts = f"{within}; {n_runs:,} runs in {found.seconds:.0f} s."
    parts = [html.paragraph(LEAD, "lead"), html.paragraph(facts)]
    parts += [html.paragraph(f"Outside its tolerance: {each}.", "note") for each in found.complaints]
    parts.append(html.paragraph(CHECK))
    for section in found.sections:
        rows = [
            (
                line.title, line.published, str(line), line.difference, line.written(min(line.values)),
                str(len(line.values)), line.range, "✓" if line.ok else "outside",
            )
            for line in section.lines
        ]  # fmt: skip
        parts += [html.heading(section.title), html.paragraph(section.setting), html.table(HEADER, rows)]
        parts += map(html.paragraph, section.remarks)
        for table in section.tables:
            first, *numbers = table.header
            titles = [first, *(f">{title}" for title in numbers)]
            parts += [html.subheading(table.title), html.table(titles, table.rows)]
    parts.append(html.footer(f"graphwell {gw.__version__}, seed {found.seed}. Every run is in results.json."))
    return html.page("The paper, reproduced", parts)
