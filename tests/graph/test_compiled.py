"""Kernels run where they can be kept on disc and where they cannot."""

import os
import subprocess
import sys

import pytest

NOWHERE = """
from numba.core import caching
caching.CompileResultCacheImpl._locator_classes = []
"""
FULL = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
"""
FIT = """
import warnings
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    from graphwell.graph.compiled import compiled

    @compiled(nogil=True)
    def double(x):
        return 2 * x

    @compiled()
    def treble(x):
        return 3 * x

    print(double(21), treble(14), [str(warning.message) for warning in told])
"""


def run(code, folder):
    script = folder / "script.py"
    script.write_text(code)
    environment = {
        **os.environ,
        "NUMBA_CACHE_DIR": str(folder / "cache"),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    return subprocess.run(
        [sys.executable, script], env=environment, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.slow
@pytest.mark.parametrize("where", [NOWHERE, FULL])
def test_without_a_folder_to_keep_them_in_kernels_run_and_say_so_once(tmp_path, where):
    ended = run(where + FIT, tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("42 42 [")
    assert ended.stdout.count("Compiled loops cannot be kept on disc") == 1


@pytest.mark.slow
def test_kept_kernels_are_used_again_and_damaged_ones_are_not(tmp_path):
    for damaged in (False, False, True):
        if damaged:
            for path in (tmp_path / "cache").rglob("*.nb?"):
                path.write_bytes(path.read_bytes()[:20])
        ended = run(FIT, tmp_path)
        assert ended.returncode == 0, ended.stderr
        assert ended.stdout.startswith("42 42 [")
        assert ("cannot be kept" in ended.stdout) <= damaged
        assert list((tmp_path / "cache").rglob("*.nbc"))
