"""Tables of the README and of docs/benchmarks.md, made from the results in benchmarks/results.

``python -m benchmarks page`` writes every table between its markers anew, ``<!-- figures: NAME -->`` and
``<!-- end of figures -->``, so that no figure of a page is typed by hand. A result file holds the records of
a benchmark with the command, the version and the machine that they were measured with.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.encoders import is_level
from benchmarks.methods import markdown_row
from benchmarks.output import Options
from benchmarks.tables import OURS, keys_of, row_of, summary

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
PAGES = (ROOT / "README.md", ROOT / "docs" / "benchmarks.md")
MARKED = re.compile(r"(<!-- figures: (?P<name>[a-z ]+) -->\n).*?(<!-- end of figures -->)", re.DOTALL)
FAR = 2.0
"""Points behind the best from which on a row stands under its own heading."""


def main(options: Options) -> None:
    """Write the tables of all pages."""
    for page in PAGES:
        before = page.read_text()
        after = filled(before)
        if after != before:
            page.write_text(after)
            print(f"Figures: {page.relative_to(ROOT)}")


def filled(text: str) -> str:
    """A page with all of its tables made anew."""
    return MARKED.sub(lambda found: found[1] + FIGURES[found["name"]]() + "\n" + found[3], text)


def results(name: str) -> dict[str, Any]:
    """The content of a result file."""
    return dict(json.loads((RESULTS / f"{name}.json").read_text()))


def origin(name: str) -> str:
    """A line that says how the figures of a file were made."""
    content = results(name)
    return f"`{content['command']}`, graphwell {content['version']}, {content['machine']}."


def markdown(columns: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def few_labels(per_class: int | None = None, behind: bool = False) -> str:
    """The error of every method on every set, the mean over the same label sets.

    Of one number of labels per class, or only of the rows in which another method is better than ours.
    """
    rows: dict[tuple[str, int], list[dict[str, Any]]] = {}
    records = sorted(results("peers")["records"], key=lambda record: record["method"] != OURS)
    for record in records:
        if per_class in (None, record["per_class"]):
            rows.setdefault((record["data"], record["per_class"]), []).append(record)
    if behind:
        rows = {key: row for key, row in rows.items() if best_method(row) != OURS}
    methods = list(dict.fromkeys(record["method"] for records in rows.values() for record in records))
    titles = ["data, labels per class", "label sets", *methods]
    head = f"| {' | '.join(titles)} |\n| {' | '.join(['---'] * len(titles))} |"
    how = f"% wrong, mean ± standard deviation over the label sets; {origin('peers')}"
    return "\n".join([head, *map(markdown_row, rows.values()), "", how])


def best_method(records: list[dict[str, Any]]) -> str:
    """The method of the lowest mean error."""
    return pd.DataFrame(records).groupby("method")["error"].mean().idxmin()


def tables_in_all() -> str:
    """Ranks of every method over all rows of tables."""
    rows = [
        row_of(results("tables")["records"], *key)
        for key in keys_of(results("tables")["records"], bars=False)
    ]
    return markdown(["", *rows[0]], summary(rows)) + f"\n\n{len(rows)} rows. " + origin("tables")


def tables_behind() -> str:
    """Rows of tables in which graphwell is far behind the best."""
    records, lines = results("tables")["records"], []
    for key in keys_of(records, bars=False):
        row = {name: float(np.mean(errors)) for name, errors in row_of(records, *key).items()}
        best = min(row, key=lambda name: row[name])
        if row[OURS] - row[best] > FAR:
            lines.append([" ".join(key), f"{row[OURS]:.1f}", f"{row[best]:.1f}", best])
    lines.sort(key=lambda line: float(line[2]) - float(line[1]))
    return markdown(["table, labels per class", "graphwell, % wrong", "best", "which"], lines)


def encoders() -> str:
    """Per cent correct of every set and encoder, and how many rows are best or level."""
    rows = pd.DataFrame(
        [
            {"set": record["data"], "encoder": record["encoder"], "labels": int(labels), **rates}
            for record in results("encoders")["records"]
            if record["encoder"]
            for labels, rates in record["rates"].items()
        ]
    )
    means = rows.groupby(["set", "encoder", "labels"], sort=False).mean().reset_index()
    means["same vectors"] = means[["logistic", "logistic, standardised"]].max(axis=1)
    shown = ["graphwell", "same vectors", "words, logistic"]
    lines = [
        [*key, *(" / ".join("-" if v != v else f"{v:.1f}" for v in of[name]) for name in shown)]
        for key, of in means.groupby(["set", "encoder"], sort=False)
    ]
    counts = [f"{is_level(of).sum()} of {len(of)} by `{name}`" for name, of in means.groupby("encoder")]
    titles = ["set", "encoder", "graphwell", "logistic, same vectors", "logistic, words"]
    told = f"Best, or level to half a point: {', '.join(counts)}. {origin('encoders')}"
    return markdown(titles, lines) + "\n\n" + told


FIGURES: dict[str, Callable[[], str]] = {
    "few labels": few_labels,
    "few labels in short": lambda: few_labels(per_class=5),
    "few labels behind": lambda: few_labels(behind=True),
    "tables in all": tables_in_all,
    "tables behind": tables_behind,
    "encoders": encoders,
}
"""What stands between the markers, by their name."""
