"""Run benchmarks by name: ``python -m benchmarks [names...] [--quick] [--out FOLDER] [--data SETS...]``.

Sets that are read from files lie in the folder GRAPHWELL_DATA, or in ``shared/data`` beside the project.
"""

import argparse
from importlib import import_module
from pathlib import Path

from benchmarks.output import Options

BENCHMARKS = {
    "sweep": "what a sweep costs beside scipy's product",
    "descent": "what start and descent cost in such products",
    "fit": "what a whole fit costs beside an exact search",
    "scale": "how time and memory grow to a million points",
    "walk": "how much of the package a fit visits, and how large each room is",
    "startup": "how long a fresh process takes",
    "reading": "how much memory a table takes until its rows are ready to be compared",
    "peers": "the table of the README: error beside scikit-learn's models and Poisson learning",
    "few_labels": "error of every method from 1 label per class on",
    "labels": "error with one label per class, random and uneven labels, against the bars",
    "tables": "error on tables of all kinds beside what people would try, and the bars by name",
    "company": "every method on the same graphs and labels, and the clusterers without any",
    "ask": "error against the number of questions, for every strategy",
    "gpu": "times on an NVIDIA GPU against their bars, beside the CPU, where there is one",
    "segmentation": "wrong pixels beside scikit-image's random_walker",
    "maps": "how well a map of the rows keeps neighbours together, beside UMAP",
    "serve": "how long an answer takes until the page of graphwell label shows it, and how many are needed",
    "paint": "how long a stroke takes until the page of graphwell paint can show it",
    "cluster": "time, scheduling, bytes moved and memory of a fit on Dask workers",
}
"""Modules with a ``main(options)``, or functions of ``speed``, and the question each answers."""
IN_SPEED = ("sweep", "descent", "fit")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measure graphwell. Benchmarks: "
        + "; ".join(f"{name} ({question})" for name, question in BENCHMARKS.items()),
    )
    parser.add_argument("names", nargs="*", metavar="name", help="benchmarks to run; all by default")
    parser.add_argument("--quick", action="store_true", help="fewer label sets: minutes instead of an hour")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for JSON files and pictures")
    parser.add_argument("--data", nargs="+", metavar="set", help="data sets to use; all by default")
    parser.add_argument("--seeds", nargs="+", type=int, metavar="seed", help="seeds, or label sets, to use")
    parser.add_argument("--processes", type=int, default=1, help="processes that share the work")
    parser.add_argument("--strategies", nargs="+", metavar="name", help="strategies of `ask`; all by default")
    parser.add_argument("--minutes", type=float, default=0.0, help="how long the user of `serve` goes on")
    chosen = parser.parse_args(arguments)
    unknown = [name for name in chosen.names if name not in BENCHMARKS]
    if unknown:
        parser.error(f"no benchmark is called {unknown[0]}; there are {', '.join(BENCHMARKS)}")
    chosen.out.mkdir(parents=True, exist_ok=True)
    given = (chosen.data, chosen.seeds, chosen.processes, chosen.strategies, chosen.minutes)
    options = Options(chosen.quick, chosen.out, *given)
    for name in chosen.names or BENCHMARKS:
        module = import_module(f"benchmarks.{'speed' if name in IN_SPEED else name}")
        getattr(module, name if name in IN_SPEED else "main")(options)


if __name__ == "__main__":
    main()
