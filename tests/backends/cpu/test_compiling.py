"""Compilation is told once, and only where there is any."""

from numba import njit

from graphwell.backends.cpu.compiling import cache_folder, told_of_compiling


def test_compiling_is_told_once_and_not_again():
    told = []

    @njit
    def plus(x):
        return x + 1

    with told_of_compiling(lambda: told.append("compiling")):
        assert plus(1) == 2
        assert plus(1.5) == 2.5
    assert told == ["compiling"]
    with told_of_compiling(lambda: told.append("again")):
        plus(2)
    assert told == ["compiling"]


def test_the_folder_of_the_compiled_loops_is_none_where_none_can_be_written(monkeypatch):
    from graphwell.backends.cpu.cg_kernels import advance

    assert str(cache_folder()) == advance._cache.cache_path
    monkeypatch.setattr(advance, "_cache", object())  # as numba leaves it without a folder
    assert cache_folder() is None
