"""A scripted user of `graphwell label`: seconds to the map, from answers to labels, answers, memory."""

import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.data import load
from benchmarks.output import Options, show_table, write_json
from benchmarks.panning import frames_a_second
from benchmarks.scripted_user import User

SETS = ("digits", "mnist")
BARS = {"digits": (0.15, 0.5), "mnist": (1.2, 2.5)}
"""Seconds from an answer to the new labels: half of the answers, and 95 % of them."""
FIRST_MAP, WANTED, MOST_ANSWERS = 4.0, 0.97, 30
ANSWERS = {"digits": 30, "mnist": 20}
FURTHER = 600
"""Actions after which the memory is looked at again."""
PANNED, FRAMES = (1, 100_000, 1_000_000), 15
"""One point shows what the browser can do on this machine at all."""


def measured(name: str, options: Options) -> dict[str, Any]:
    """All figures of one data set."""
    data = load(name)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as held:
        np.save(Path(folder) / "rows.npy", data.X)
        classes, truth = np.unique(data.y, return_inverse=True)
        user = User(Path(folder) / "rows.npy", truth, held)
        for each in classes:
            user.do("add class", name=str(each))
        seconds, right = [], []
        for _ in range(ANSWERS[name]):
            seconds.append(user.answer())
            right.append(user.right())
        memory = [user.memory()]
        for _ in range((FURTHER // 10 if options.quick else FURTHER) // 2 if name == "digits" else 0):
            user.do("undo")
            user.do("redo")
        memory += [user.memory(), *user.go_on(options.minutes)]
        repaint, fit = np.array(seconds).T.tolist()
        return {"first map": user.first_map, "repaint": repaint, "fit": fit, "right": right, "memory": memory}


def figures_in_words(name: str, found: dict[str, Any]) -> list[str]:
    """A row of the table, bars in brackets."""
    half, most = np.quantile(found["repaint"], [0.5, 0.95])
    fit = " / ".join(f"{each:.2f}" for each in np.quantile(found["fit"], [0.5, 0.95]))
    enough = [n for n, share in enumerate(found["right"], start=1) if share >= WANTED]
    memory = found["memory"]
    later = f", then {min(memory[2:]):.0f} to {max(memory[2:]):.0f}" if memory[2:] else ""
    return [
        name, f"{found['first map']:.1f} ({FIRST_MAP:g})", f"{half:.2f} ({BARS[name][0]:g})",
        f"{most:.2f} ({BARS[name][1]:g})", fit, f"{enough[0] if enough else 'more'} ({MOST_ANSWERS})",
        f"{memory[0]:.0f} to {memory[1]:.0f}{later}",
    ]  # fmt: skip


def main(options: Options) -> None:
    figures: dict[str, Any] = {}
    for name in options.data or (SETS[:1] if options.quick else SETS):
        figures[name] = measured(name, options)
    columns = [
        "",
        "first map s",
        "to labels s, p50",
        "p95",
        "to a fit",
        "answers to 97 %",
        "memory MB",
    ]
    rows = [figures_in_words(name, found) for name, found in figures.items()]
    show_table("A scripted user of graphwell label; bars in brackets", columns, rows)
    if (panning := frames_a_second(PANNED)) is None:
        print("No frames are counted: Chromium, chromedriver or selenium is missing.")
    else:
        frames = [[f"{n:,}", *(f"{each:.0f}" for each in found)] for n, found in panning.items()]
        title = f"Frames a second in Chromium without a graphics card (bar {FRAMES} at {PANNED[1]:,} points)"
        show_table(title, ["points", "panning", "zooming"], frames)
        figures["frames"] = {str(n): found for n, found in panning.items()}
    write_json(options.out / "serve.json", figures)
