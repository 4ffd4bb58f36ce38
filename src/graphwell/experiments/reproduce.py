"""Running experiments by name, and writing what they found."""

import json
import platform
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

import graphwell as gw
from graphwell.experiments.company import quoted_mnist, quoted_moons
from graphwell.experiments.expected import Judged, judge
from graphwell.experiments.image import image
from graphwell.experiments.label_order import label_order
from graphwell.experiments.methods import FIXED, as_in_the_paper
from graphwell.experiments.mnist import mnist
from graphwell.experiments.moons import three_moons, two_moons
from graphwell.experiments.record import Section
from graphwell.experiments.robustness import robustness
from graphwell.experiments.spectral import spectral_readings
from graphwell.io.files import check_output, written_whole
from graphwell.progress import Progress, silent
from graphwell.view import plots

PAPER_RUNS = {"moons": 100, "image": 5, "mnist": 20}
EXPERIMENTS = ("moons", "image", "mnist")

MOONS: tuple[Callable[[int, int, Progress], Section], ...] = (
    three_moons,
    spectral_readings,
    two_moons,
    quoted_moons,
    label_order,
    robustness,
)


@dataclass(frozen=True)
class Reproduction:
    """Everything that one call found."""

    sections: Sequence[Section]
    seed: int
    seconds: float

    @property
    def judged(self) -> list[Judged]:
        """Every line beside what was expected of it."""
        return [judge(line) for section in self.sections for line in section.lines]

    @property
    def complaints(self) -> list[str]:
        """The lines that lie where they should not, each in a sentence."""
        return [judged.complaint for judged in self.judged if not judged.ok]


def reproduce(
    names: Sequence[str] = EXPERIMENTS,
    runs: int | None = None,
    seed: int = 0,
    data_dir: Path | None = None,
    progress: Progress = silent,
) -> Reproduction:
    """Run experiments under the paper's protocol.

    Parameters
    ----------
    names : sequence of {"moons", "image", "mnist"}
        What to run. "moons" includes the readings of spectral clustering, the order of the classes and the
        claims of the conclusion, which are all shown on moons.
    runs : int, optional
        Runs per line, the paper's number by default: 100 on moons and 20 on MNIST. The picture is segmented
        from at most 5 label sets.
    seed : int
        First seed of data, labels and starts.
    data_dir : Path, optional
        Folder that holds MNIST.
    progress : callable
        Told which experiment runs and how much of it is done.
    """
    if runs is not None and runs < 1:
        raise ValueError(f"runs must be positive, got {runs}.")
    if seed < 0:
        raise ValueError(f"seed must not be negative, got {seed}.")
    digits = gw.datasets.load_mnist(data_dir) if "mnist" in names else None
    began = time.perf_counter()
    _compile()
    sections: list[Section] = []
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
    """Write ``report.html``, ``results.json`` and the figures: all of them, or none."""
    from graphwell.experiments.report import report

    pictures = {picture.name: plots.as_png(picture.drawing) for s in found.sections for picture in s.pictures}
    contents = {
        **pictures,
        "results.json": json.dumps(results(found), indent=1).encode(),
        "report.html": report(found, pictures).encode(),
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
                "lines": [_line_record(judge(line)) for line in section.lines],
                "runs": [asdict(run) for run in section.runs],
            }
            for section in found.sections
        ],
    }


def _line_record(judged: Judged) -> dict[str, object]:
    line = judged.line
    return {
        "key": line.key,
        "title": line.title,
        "unit": line.unit,
        "mean": line.mean,
        "standard_deviation": line.spread,
        "best": line.best,
        "n": len(line.values),
        "expected": {k: v for k, v in asdict(judged.expected).items() if v is not None},
        "within_tolerance": judged.ok,
    }


def _compile() -> None:
    """Have the sweep compiled before anything is timed."""
    graph = gw.Graph.from_affinity([[0.0, 1.0], [1.0, 0.0]])
    as_in_the_paper(FIXED, 0).fit(graph, [0, 1])
