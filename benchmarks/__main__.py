"""Run benchmarks by name: ``python -m benchmarks [names...] [--quick] [--out FOLDER] [--data SETS...]``.

Sets that are read from files lie in the folder GRAPHWELL_DATA, or in ``shared/data`` beside the project.
"""

import argparse
from importlib import import_module
from pathlib import Path

from benchmarks.output import Options

BENCHMARKS = {
    "sweep": ("speed", "what a sweep costs beside scipy's product"),
    "fit": ("speed", "what a whole fit costs beside an exact search"),
    "scale": ("processes", "how time and memory grow to a million points"),
    "startup": ("processes", "how long a fresh process takes"),
    "walk": ("walk", "how much of the package a fit visits, and how large each room is"),
    "peers": ("methods", "the table of the README: error beside scikit-learn's models and Poisson learning"),
    "few_labels": ("methods", "every method on the same graphs and labels, from no label on: error and cost"),
    "labels": ("methods", "error with one label per class, random and uneven labels, against the bars"),
    "tables": ("tables", "error on tables of all kinds beside what people would try, and the bars by name"),
    "messy": ("messy", "messy tables as people bring them, beside models on encoded columns"),
    "encoders": ("encoders", "photographs and texts by encoders, and wrong labels beside cleanlab"),
    "ask": ("ask", "error against the number of questions, for every strategy"),
    "segmentation": ("segmentation", "wrong pixels beside scikit-image's random_walker"),
    "serve": ("pages", "seconds and answers that a user of the page of graphwell label needs"),
    "paint": ("pages", "how long a stroke takes until the page of graphwell paint can show it"),
    "cluster": ("cluster", "time, scheduling, bytes moved and memory of a fit on Dask workers"),
    "kill_workers": ("cluster", "whether a fit ends with its labels when one of its workers is killed"),
    "page": ("page", "write the tables of README and docs from benchmarks/results"),
    "gpu": ("gpu", "times on an NVIDIA GPU against their bars, beside the CPU, where there is one"),
}
"""The module of each, with a function of its name or ``main``, and the question that it answers."""


def main(arguments: list[str] | None = None) -> None:
    questions = "; ".join(f"{name} ({question})" for name, (_, question) in BENCHMARKS.items())
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=f"Measure graphwell. Benchmarks: {questions}"
    )
    parser.add_argument("names", nargs="*", metavar="name", help="benchmarks to run; all by default")
    parser.add_argument("--quick", action="store_true", help="fewer label sets: minutes instead of an hour")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for JSON files and pictures")
    parser.add_argument("--data", nargs="+", metavar="set", help="data sets to use; all by default")
    parser.add_argument("--seeds", nargs="+", type=int, metavar="seed", help="seeds, or label sets, to use")
    parser.add_argument("--processes", type=int, default=1, help="processes that share the work")
    chosen = vars(parser.parse_args(arguments))
    names = chosen.pop("names")
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        parser.error(f"no benchmark is called {unknown[0]}; there are {', '.join(BENCHMARKS)}")
    chosen["out"].mkdir(parents=True, exist_ok=True)
    for name in names or BENCHMARKS:
        module = import_module(f"benchmarks.{BENCHMARKS[name][0]}")
        getattr(module, name if hasattr(module, name) else "main")(Options(**chosen))


if __name__ == "__main__":
    main()
