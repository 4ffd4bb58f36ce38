"""Compilation is told once, and only where there is any."""

from numba import njit

from graphwell.backends.cpu.compiling import told_of_compiling


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
