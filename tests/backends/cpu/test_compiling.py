"""Compilation is told once, and only where there is any."""

import subprocess
import sys

import pytest
from numba import njit

from graphwell.graph.compiled import told_of_compiling


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


FIRST_FIT = """
import sys
import numpy as np
from numba.core.dispatcher import Dispatcher
from graphwell import DiffuseInterfaceClassifier

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 5)) + 3 * (np.arange(300) % 3)[:, None]
y = np.where(np.arange(300) < 15, np.arange(300) % 3, -1)
DiffuseInterfaceClassifier(models=None, random_state=0).fit(X, y)
modules = [module for name, module in list(sys.modules.items()) if name.startswith("graphwell.")]
found = {kernel.py_func: kernel for module in modules for kernel in vars(module).values()
         if isinstance(kernel, Dispatcher)}
for function, kernel in found.items():
    if len(kernel.signatures) > 1:
        print(function.__name__, len(kernel.signatures))
"""


@pytest.mark.slow
def test_a_first_fit_compiles_each_kernel_once():
    ended = subprocess.run([sys.executable, "-c", FIRST_FIT], capture_output=True, text=True, check=True)
    assert ended.stdout.splitlines() == []
