"""Tasks that wait for each other."""

import pytest

from graphwell.backends.dask.tasks import Tasks


def plus(a, b, factor=1):
    return a + factor * b


def test_tasks_of_blocks_wait_for_each_other(client):
    tasks = Tasks(client)
    first = tasks.each("first", plus, [1, 2], [10, 20])
    second = tasks.keep(tasks.each("second", plus, first, [100, 200], factor=2))
    assert tasks.results(second) == [211, 422]
    assert tasks.results(first) == [11, 22]


def test_what_a_task_raises_is_raised_here(client):
    tasks = Tasks(client)
    with pytest.raises(TypeError):
        tasks.results(tasks.each("wrong", plus, [1], ["a"]))


def test_pieces_go_to_their_receivers(client):
    tasks = Tasks(client)
    pieces = tasks.each("split", list, [["a0", "a1"], ["b0", "b1"]])
    assert tasks.results(tasks.exchange("join", pieces, 2, "".join)) == ["a0b0", "a1b1"]
