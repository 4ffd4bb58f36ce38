"""Tasks that wait for each other."""

import pytest

from graphwell.backends.dask.tasks import Tasks, given
from tests.backends.dask.cases import rounds_of


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


def test_tasks_that_are_put_off_go_with_the_next_and_are_kept(client, monkeypatch):
    tasks, rounds = Tasks(client), rounds_of(client, monkeypatch)
    first = tasks.put_off(tasks.each("first", plus, [1, 2], [10, 20]))
    tasks.put_off(tasks.each("forgotten", plus, [1], ["fails"]))
    second = tasks.put_off(tasks.each("second", plus, first, [100, 200]))
    assert rounds == []
    assert tasks.results(tasks.each("third", plus, [1], [1])) == [2]
    assert rounds == [5]
    assert tasks.results([*first, *second]) == [11, 22, 111, 222]
    assert rounds == [5]


def test_what_lies_on_two_workers_is_one_graph_of_tasks(client, monkeypatch):
    tasks, rounds = Tasks(client), rounds_of(client, monkeypatch)
    tasks.settle(2)
    doubled = tasks.wait(tasks.doubled(tasks.each("made", given, ["a", "b"])))
    assert rounds == [4]
    there = client.who_has([each.future for handle in doubled for each in (handle, handle.spare)])
    for handle, home, other in zip(doubled, tasks.homes, tasks.homes[::-1], strict=True):
        assert home in there[handle.key]
        assert other in there[handle.spare.key]
    assert tasks.results(doubled) == ["a", "b"]
