"""A table of three groups of points, and a page on it without a server."""

import threading

import numpy as np

from graphwell.io.files import held_alone
from graphwell.jobs.labelling import LabelOptions, open_table
from graphwell.serve.journal import Journal
from graphwell.serve.labelling import LabelPage

__all__ = ["Window", "held_alone", "write_groups"]


def write_groups(folder, n=40, labels=None):
    """Three groups of points in four columns; names hold markup."""
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], n)
    points = 8.0 * np.eye(3, 4)[truth] + rng.standard_normal((3 * n, 4))
    given = labels or {}
    path = folder / "groups.csv"
    lines = ["name,<b>a</b>,b,c,d,label"]
    for row, point in enumerate(points):
        cells = ",".join(f"{value:.4f}" for value in point)
        lines.append(f"<i>{row}</i>,{cells},{given.get(row, '')}")
    path.write_text("\n".join(lines) + "\n")
    return path, truth


class Window:
    """A page without a server: events are kept, commands run at once, fits can be waited for."""

    def __init__(self, path, **options):
        options = {"row_id": "name", "n_jobs": 1, **options}
        self.table = open_table(LabelOptions(table=path, **options))
        self.journal = Journal(path.with_name(path.name + ".journal"), self.table.fingerprint)
        self.page = LabelPage(self.table, self.journal)
        self.events, self.news = [], threading.Condition()
        self.question = None

    def __enter__(self):
        self.page.begin(self.take)
        return self

    def __exit__(self, *_):
        self.page.end()
        self.journal.close()

    def take(self, event):
        with self.news:
            self.events.append(event)
            self.news.notify_all()

    def do(self, command, /, **message):
        return self.page.commands[command]({"do": command, **message})

    def next(self, **message):
        """Ask for the next row, and return its number."""
        self.question = self.do("next", **message)["question"]
        return self.question and self.question["row"]

    def label(self, row, number, **more):
        return self.do("label", rows=[int(row)], **{"class": number}, **more)

    def wait(self, enough, seconds=30):
        with self.news:
            assert self.news.wait_for(lambda: enough(self), seconds), "nothing came"

    def fitted(self):
        """Wait until the model knows every answer, and questions came after it."""
        self.wait(lambda w: w.page._model.get("number") == w.page._number)
        self.wait(lambda w: w.page._queue or not (w.page.answers.codes == -1).any())

    def of(self, name):
        return [event for event in self.events if isinstance(event, dict) and event["event"] == name]
