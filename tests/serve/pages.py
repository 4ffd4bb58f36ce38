"""A page for tests: it echoes, fails, and tells all windows."""

import threading
from contextlib import contextmanager
from pathlib import Path

from starlette.testclient import TestClient

from graphwell.serve.channel import frame
from graphwell.serve.launch import launch, make_app
from graphwell.serve.security import Door, origins_of

__all__ = ["ORIGIN", "EchoPage", "launch", "served"]

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

    def __init__(self, folder: Path | None = None):
        self.folders = {} if folder is None else {"pictures": folder}
        self.commands = {"echo": lambda m: m["x"], "fail": self.fail, "tell": self.pass_on, "hurt": self.hurt}
        self.commands["slow"] = lambda _: self.free.wait(20)
        self.free = threading.Event()
        self.ended = False

    def greeting(self):
        return [{"event": "hello"}]

    def begin(self, tell):
        self.tell = tell

    def end(self):
        self.ended = True

    def fail(self, message):
        raise ValueError("That is wrong; do this.")

    def hurt(self, message):
        raise AssertionError("<b>mistake</b>")

    def pass_on(self, message):
        import numpy as np

        self.tell({"event": "told", "x": message["x"]})
        self.tell(frame({"event": "array"}, np.arange(2, dtype=np.float32)))
