"""Pages for tests, each without a server: one that echoes, one on three groups of rows, one on pictures."""

import json
import threading
from contextlib import contextmanager

import numpy as np
from starlette.testclient import TestClient

from graphwell.jobs.labelling import LabelOptions
from graphwell.jobs.painting import PaintOptions
from graphwell.serve.channel import frame
from graphwell.serve.labelling import LabelPage
from graphwell.serve.launch import make_app
from graphwell.serve.painting import PaintPage
from graphwell.serve.security import Door, origins_of

ORIGIN = "http://127.0.0.1:80"


@contextmanager
def served(page, password=None):
    """A client of a page, and the path behind its secret."""
    door = Door(origins_of("127.0.0.1", 80), password=password)
    with TestClient(make_app(page, door), base_url=ORIGIN, headers={"host": "127.0.0.1:80"}) as client:
        yield client, f"/{door.token}/"


class EchoPage:
    name = "login"
    beside = frozenset({"slow"})

    def __init__(self, folder=None):
        self.folders = {} if folder is None else {"pictures": folder}
        self.commands = {"echo": lambda m: m["x"], "fail": self.fail, "send": self.pass_on, "hurt": self.hurt}
        self.commands["slow"] = lambda _: self.free.wait(20)
        self.free = threading.Event()
        self.ended = False

    def greeting(self):
        return [{"event": "hello"}]

    def begin(self, send):
        self.send = send

    def end(self):
        self.ended = True

    def fail(self, message):
        raise ValueError("That is wrong; do this.")

    def hurt(self, message):
        raise AssertionError("<b>mistake</b>")

    def pass_on(self, message):
        self.send({"event": "sent", "x": message["x"]})
        self.send(frame({"event": "array"}, np.arange(2, dtype=np.float32)))


def decoded(event):
    """An event; that of a frame has its bytes under `body`."""
    if isinstance(event, bytes):
        length = int.from_bytes(event[:4], "little")
        return {**json.loads(event[4 : 4 + length]), "body": event[4 + length :]}
    return json.loads(json.dumps(event, allow_nan=False))


class Events:
    """What is sent to the windows of a page; a test can wait for it."""

    def __init__(self, page):
        self.page, self.events, self.news = page, [], threading.Condition()

    def __enter__(self):
        self.page.begin(self)
        return self

    def __exit__(self, *_):
        self.page.end()

    def do(self, command, /, **message):
        return self.page.commands[command]({**message, "do": command})

    def __call__(self, event):
        with self.news:
            self.events.append(decoded(event))
            self.news.notify_all()

    def of(self, name):
        return [event for event in self.events if event["event"] == name]

    def wait(self, enough, seconds=60):
        """Return the first event that is enough, once it is there."""
        with self.news:
            return self.news.wait_for(lambda: next(filter(enough, self.events), None), seconds)


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


class Window(Events):
    """A window of the label page: it keeps the colours that it was sent, as a browser does."""

    def __init__(self, path, **options):
        super().__init__(LabelPage(LabelOptions(table=path, **{"row_id": "name", "n_jobs": 1, **options})))
        self.table, self.journal = self.page.table, self.page.journal
        self.colors = np.full(len(self.page.answers.codes), 255)
        self.question = None

    def __call__(self, event):
        found = decoded(event)
        if found["event"] == "labels":
            rows, values = bytes_of(found)
            assert (self.colors[rows] != values).all()  # what changed, and nothing else
            self.colors[rows] = values
        super().__call__(event)

    @property
    def model(self):
        return self.of("model")[-1]

    @property
    def names(self):
        return self.page.answers.classes.names

    def next(self, **message):
        """Ask for the next row, and return its number."""
        self.question = self.do("next", **message)["question"]
        return self.question and self.question["row"]

    def label(self, row, number, **more):
        return self.do("label", rows=[int(row)], **{"class": number}, **more)

    def fitted(self):
        """Wait until the model knows every answer, and questions came after it."""

        number = self.page.answers_event(np.arange(0))["number"]

        def is_fitted():
            at = [i for i, e in enumerate(self.events) if e["event"] == "model" and e["number"] == number]
            return at and any(event["event"] == "questions" for event in self.events[at[-1] :])

        with self.news:
            assert self.news.wait_for(is_fitted, 30), "no fit came"


def bytes_of(event):
    """Rows and values of a frame of the label page."""
    rows = np.frombuffer(event["body"], dtype="<u4", count=event["count"])
    return rows, np.frombuffer(event["body"], dtype=np.uint8, offset=4 * event["count"])


class Canvas(Events):
    """A window of the paint page on a picture or a folder of them."""

    def __init__(self, source, classes=(), **options):
        super().__init__(PaintPage(PaintOptions(source=source, n_jobs=1, **options), classes))

    @property
    def first(self):
        """What a new window is sent first: the picture, its classes and strokes."""
        return decoded(next(iter(self.page.greeting())))

    def shown(self):
        """Labels on the screen, once they are those of the whole picture to the last strokes."""
        number, _ = self.page._number, self.wait(lambda e: e["event"] == "segmentation")
        event = self.wait(
            lambda e: e["event"] == "segmentation" and not e["coarse"] and e["number"] == number
        )
        return np.frombuffer(event["body"], np.uint8)[: event["width"] * event["height"]].reshape(
            event["height"], event["width"]
        )
