"""Help lists what there is."""

import pytest
from typer.testing import CliRunner

from graphwell._version import __version__
from graphwell.backends.registry import BACKENDS, Entry
from graphwell.cli._examples import EXAMPLES
from graphwell.cli._help import LISTS, completed
from graphwell.cli.app import app
from graphwell.estimators.baselines.laplace import LaplaceLearning
from graphwell.estimators.registry import forget, method, methods
from graphwell.io.formats import either
from graphwell.io.images.registry import FIT_FOR
from graphwell.io.images.registry import FORMATS as IMAGES
from graphwell.io.tables.base import FORMATS as TABLES
from graphwell.solve.start import STARTS


def help_of(command, columns="80"):
    """The help without any space: lines end where the terminal is full."""
    shown = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": columns}).output
    return "".join(shown.split())


@pytest.fixture
def toy():
    """A method that this test brings along."""

    @method("toy", "asks the neighbours twice")
    class Toy(LaplaceLearning):
        pass

    yield Toy
    forget("toy")


@pytest.mark.parametrize("columns", ["40", "80", "200"])
def test_every_method_is_listed_at_any_width(columns):
    shown = help_of("classify", columns)
    for name, declared in methods().items():
        assert f"{name}({declared.summary})".replace(" ", "") in shown


def test_a_toy_method_is_listed_and_runs(toy, tmp_path):
    assert "toy(askstheneighbourstwice)" in help_of("classify")
    (tmp_path / "in.csv").write_text("x,label\n1,a\n2,\n8,\n9,b\n")
    arguments = ["classify", str(tmp_path / "in.csv"), "-o", str(tmp_path / "out.csv"), "--neighbors", "1"]
    finished = CliRunner().invoke(app, [*arguments, "--method", "toy"])
    assert finished.exit_code == 0, finished.output
    assert "Method toy: asks the neighbours twice." in finished.output


def test_starts_and_devices_are_listed(monkeypatch):
    shown = help_of("classify")
    for name, declared in STARTS.items():
        assert f"{name}({declared.summary})".replace(" ", "") in shown
    monkeypatch.setitem(BACKENDS, "dense", Entry("tests.backends.dense", "nothing"))
    for command in ("classify", "segment"):
        assert "cpu,cudaordense" in help_of(command)


def test_a_forgotten_method_is_gone():
    assert "toy(" not in help_of("classify")


def test_formats_are_listed():
    for command, formats, field in (("classify", TABLES, None), ("segment", IMAGES, "image")):
        ends = formats.suffixes(FIT_FOR[field]) if field else formats.suffixes()
        assert len(ends) > 5
        assert either(ends).replace(" ", "") in help_of(command)
    assert ".csv,.tsv,.tab,.txt,.parquet,.pq" in help_of("classify")
    assert "(.png,.tif,.tiff" in help_of("segment")


def test_no_placeholder_is_left():
    for command in ("classify", "segment"):
        assert not any(word in help_of(command) for word in LISTS)


@pytest.mark.parametrize("command", ["classify", "segment", "suggest", "reproduce", "demo", "doctor"])
def test_help_speaks_of_no_types_of_python_and_ends_with_examples(command):
    shown = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "200"}).output
    for word in ("<str>", "<int", "<float", "<list", "None", "True", "False"):
        assert word not in shown
    assert shown.rstrip().splitlines()[-1] in [f"  {line}" for line in EXAMPLES[command]]


@pytest.mark.parametrize(
    ("of", "typed", "expected"),
    [("method", "lap", "laplace"), ("start", "ra", "random"), ("strategy", "typ", "typiclust")],
)
def test_the_shell_completes_what_the_registries_hold(of, typed, expected):
    assert expected in completed(of=of)(typed)
    assert completed(of=of)("zzz") == []


def test_the_shell_completes_choices(monkeypatch):
    line = {
        "_GRAPHWELL_COMPLETE": "complete_bash",
        "COMP_WORDS": "graphwell classify --scale ro",
        "COMP_CWORD": "3",
    }
    shown = CliRunner().invoke(app, [], env=line, prog_name="graphwell")
    assert shown.output.split() == ["robust"]


def test_the_version_is_printed():
    shown = CliRunner().invoke(app, ["--version"])
    assert (shown.exit_code, shown.output) == (0, f"graphwell {__version__}\n")
