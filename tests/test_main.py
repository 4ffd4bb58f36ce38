"""The program as a module."""

import subprocess
import sys


def test_the_module_is_the_program():
    command = [sys.executable, "-m", "graphwell", "--help"]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "Label everything from a few labels" in run.stdout
