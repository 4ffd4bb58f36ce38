"""The program as it is run from a shell."""

import subprocess
import sys


def run(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "graphwell", *map(str, arguments)], capture_output=True, text=True, **options
    )


def test_without_arguments_the_program_explains_itself():
    finished = run("--help")
    assert finished.returncode == 0
    assert "demo" in finished.stdout


def test_an_unknown_command_is_refused_without_a_traceback():
    finished = run("nonsense")
    assert finished.returncode == 2
    assert "Traceback" not in finished.stderr
