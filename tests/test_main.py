"""The program as a module."""

import subprocess
import sys


def test_the_module_is_the_program():
    command = [sys.executable, "-m", "graphwell", "--help"]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "Label everything from a few labels" in run.stdout


def test_a_wrong_command_ends_with_2():
    command = [sys.executable, "-m", "graphwell", "nonsense"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 2
