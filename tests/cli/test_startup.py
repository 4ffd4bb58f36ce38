"""What the shell waits for: help, the version and a wrong name need none of the libraries that compute."""

import subprocess
import sys

import pytest

COMPUTING = ("numba", "sklearn", "scipy", "matplotlib", "faiss", "pandas", "rich")
CODE = """
import sys
from graphwell.__main__ import main
sys.argv[0] = "graphwell"
try:
    main()
except SystemExit as ending:
    print("exit", ending.code)
print("imported", *(name for name in {names!r} if name in sys.modules))
"""


def imported_by(*arguments, names=COMPUTING):
    """Exit code, and which libraries a run of the program imports."""
    code = CODE.format(names=names)
    run = subprocess.run([sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True)
    *_, ending, found = run.stdout.splitlines()
    return int(ending.removeprefix("exit ")), found.split()[1:], run.stderr


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["example", "--help"]])
def test_help_needs_no_numpy_either(arguments):
    assert imported_by(*arguments, names=(*COMPUTING, "numpy"))[:2] == (0, [])


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["classify", "missing.csv", "-o", "out.csv"], "missing.csv: No such file"),
        (["classify", "table.csv", "-o", "out.csv"], "--label label"),
        (["classify", "ragged.csv", "-o", "out.csv"], "line 3"),
        (["classify", "table.csv", "-o", "out.docx"], "must end in"),
        (["classify", "table.csv", "-o", "out.csv", "--scale", "huge"], "--scale"),
        (["classify", "one.csv", "-o", "out.csv"], "a single class, 'a'"),
        (["classify", "two.csv", "-o", "out.csv", "--drop", "y", "--class-prior", "a=1"], "it lacks ['b']"),
        (["classify", "two.csv", "-o", "out.csv", "--drop", "y", "--missing", "error"], "is missing"),
        (["classify", "two.csv", "-o", "out.csv", "--as-number", "y"], "the column holds no number"),
        (["classify", "two.csv", "-o", "out.csv", "--evidence", "some"], "--evidence must be"),
        (["classify", "two.csv", "-o", "out.csv", "--device", "tpu"], "--device must be one of cpu, cuda"),
        (["classify", "two.csv", "-o", "out.csv", "--holdout", "2"], "--holdout must lie between 0 and 1"),
        (["classify", "two.csv", "-o", "out.csv", "--drop", "y", "--pca", "9"], "at most 1 components"),
        (["suggest", "missing.csv", "-o", "out.csv"], "missing.csv: No such file"),
        (["suggest", "two.csv", "-o", "out.csv", "--label", "kind"], "--label kind"),
        (["classify", "two.csv", "-o", "out.csv", "--method", "magic"], "--method must be one of diffuse"),
        (["classify", "two.csv", "-o", "out.csv", "--start", "anywhere"], "--start must be one of auto"),
        (["classify", "two.csv", "-o", "out.parquet", "--cluster", "local"], "takes a folder of Parquet"),
        (["suggest", "two.csv", "-o", "out.csv", "--strategy", "guess"], "--strategy must be one of auto"),
        (["suggest", "two.csv", "-o", "out.csv", "-n", "1000"], "-n is 1,000, but 1 rows are left"),
        (["label", "two.csv", "--strategy", "guess"], "--strategy must be one of auto"),
        (["suggest", "two.csv", "-o", "out.csv", "--device", "tpu"], "--device must be one of cpu, cuda"),
        (["compare", "table.csv"], "--label label"),
        (["compare", "one.csv", "--report", "page.docx"], "must end in .html"),
        (["label", "missing.csv"], "missing.csv: No such file"),
        (["label", "two.csv", "--label", "kind"], "--label kind"),
        (["paint", "missing.png"], "missing.png: No such file"),
        (["segment", "missing.png", "--seeds", "seeds.png", "-o", "out.png"], "missing.png: No such file"),
    ],
)
def test_wrong_input_is_told_before_anything_that_computes_is_imported(arguments, told, tmp_path):
    (tmp_path / "table.csv").write_text("x,kind\n1,a\n2,\n")
    (tmp_path / "ragged.csv").write_text("x,label\n1,a\n2\n")
    (tmp_path / "one.csv").write_text("x,label\n1,a\n2,\n")
    (tmp_path / "two.csv").write_text("x,y,label\n1,u,a\n2,v,b\n,w,\n")
    code, imported, said = imported_by(*(tmp_path / word if "." in word else word for word in arguments))
    assert (code, imported) == (2, [])
    assert told in said
