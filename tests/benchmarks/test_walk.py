"""What `python -m benchmarks walk` counts, on a toy package."""

import sys
import threading

import pytest

from benchmarks import walk

OUTER = """\
# Why it is so.
from toy_walk.room.inner import helper, by_thread


def start():
    return [helper(i) for i in range(3)] + list(by_thread(lambda: helper(5)) for _ in range(1))


def never():
    pass  # nobody calls it
"""
INNER = """\
import threading


class Twice:
    pass


def helper(i):
    return add(i)


def add(i):
    return i + 1


def by_thread(job):
    thread = threading.Thread(target=job)
    thread.start()
    thread.join()
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    folder = tmp_path / "toy_walk"
    cuda = folder / "backends" / "cuda"
    for name in ("room", "backends", "backends/cuda"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "outer.py").write_text(OUTER)
    (folder / "room" / "inner.py").write_text(INNER)
    (cuda / "kernels.py").write_text("class Twice:\n    pass\n" + "\n" * 60)
    monkeypatch.syspath_prepend(tmp_path)
    yield folder
    for name in [name for name in sys.modules if name.startswith("toy_walk")]:
        del sys.modules[name]


def test_functions_are_counted_in_every_thread(package):
    from toy_walk.outer import start  # type: ignore[import-not-found]

    with walk.watching(package) as visited:
        start()
    assert sys.getprofile() is None
    assert threading.getprofile() is None
    # start, helper, add, by_thread and the lambda; start > helper > add, comprehensions not counted
    assert visited.counts() == {"files": 2, "functions": 5, "depth": 3}


def test_only_the_second_call_counts(monkeypatch, package):
    from toy_walk.outer import never, start

    calls = iter([start, never])
    watching = walk.watching
    monkeypatch.setattr(walk, "watching", lambda: watching(package))
    assert walk.second_call(lambda: next(calls)()).counts() == {"files": 1, "functions": 1, "depth": 1}


def test_rooms_are_measured_with_and_without_cuda(package):
    rooms = walk.sizes(package)
    assert set(rooms) == {"beside the rooms", "room", "backends/cuda", "in all", "without backends/cuda"}
    assert list(rooms["beside the rooms"].values()) == [10, 1, 1, 2, 0, 200.0]
    assert (rooms["in all"]["files"], rooms["in all"]["under 60 lines"]) == (3, 2)
    assert (rooms["in all"]["classes"], rooms["without backends/cuda"]["classes"]) == (2, 1)
    assert rooms["in all"]["lines"] - rooms["without backends/cuda"]["lines"] == 62
