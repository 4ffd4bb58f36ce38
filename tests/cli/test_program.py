"""The program as a whole: help, options and `--set`, exit codes, standard input and output, bars."""

import io
import os
import shlex
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest
import typer
from rich.console import Console
from typer.testing import CliRunner

import graphwell as gw
from graphwell import __version__
from graphwell.cli import options as cli_options
from graphwell.cli._run import Exit, bars, ends_cleanly, job_options
from graphwell.cli.app import COMMANDS, app, main
from graphwell.errors import OptionError
from graphwell.jobs.classify import ClassifyOptions
from graphwell.jobs.compare import CompareOptions
from graphwell.jobs.labelling import LabelOptions
from graphwell.jobs.painting import PaintOptions
from graphwell.jobs.segment import SegmentOptions
from graphwell.jobs.suggest import SuggestOptions
from tests.cli.blobs import run

MADE = vars(typer.main.get_command(app))["commands"]
PARAMETERS = {name: {each.name: each for each in found.params} for name, found in MADE.items()}
JOBS = {
    "classify": ClassifyOptions,
    "compare": CompareOptions,
    "suggest": SuggestOptions,
    "label": LabelOptions,
    "segment": SegmentOptions,
    "paint": PaintOptions,
}

# ------------------------------------------------------------------------------------------------------ help


@pytest.mark.parametrize("command", PARAMETERS)
def test_help_tells_every_option_under_a_heading_and_ends_with_examples(command):
    shown = run(command, "--help", env={"COLUMNS": "200"}).stdout
    for parameter in PARAMETERS[command].values():
        assert all(name in shown for name in parameter.opts if name.startswith("--"))
    for function, examples in COMMANDS.items():
        if function.__name__ == command:
            assert shown.rstrip().splitlines()[-1].strip() == examples[-1]
            for line in examples:
                assert "--help" not in line
                assert MADE[command].make_context(command, shlex.split(line)[2:]).params


def test_there_are_few_options():
    every = {**MADE, **{f"example {name}": found for name, found in MADE["example"].commands.items()}}
    count = {
        name: sum(each.param_type_name == "option" for each in found.params) for name, found in every.items()
    }
    assert count["classify"] <= 24  # five of them are for folders and labels that look wrong
    assert sum(count.values()) <= 103


def test_choices_are_those_of_the_library():
    assert set(get_args(cli_options.Method)) == set(gw.methods())
    assert set(get_args(cli_options.Strategy)) == set(gw.active.strategies())
    for arguments in (["--method", "magic"], ["--device", "tpu"], ["--seed", "-1"]):
        assert run("classify", "in.csv", "-o", "out.csv", *arguments).exit_code == 2


def test_the_version_and_commands_that_there_are_not():
    assert (run("--version").exit_code, run("--version").output) == (0, f"graphwell {__version__}\n")
    assert run("nonsense").exit_code == 2
    assert run("classify", "x.csv").exit_code == 2


def test_help_needs_none_of_the_libraries_that_compute():
    code = (
        "import sys; from graphwell.cli.app import app; app(sys.argv[1:], standalone_mode=False);"
        "print(*(name for name in ('numpy', 'scipy', 'sklearn', 'numba', 'pandas') if name in sys.modules))"
    )
    for arguments in (["-h"], ["classify", "--help"]):
        ended = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True)
        assert (ended.returncode, ended.stdout.splitlines()[-1]) == (0, ""), ended.stderr


# --------------------------------------------------------------------------------------------------- options


@pytest.mark.parametrize("command", JOBS)
def test_every_field_of_a_job_is_a_flag_with_the_same_default_or_can_be_set(command):
    flags = PARAMETERS[command]
    for field in fields(JOBS[command]):
        name = field.name
        if name in flags:
            assert flags[name].required or (flags[name].default or None) == (field.default or None), name
            assert cli_options.in_flags(field.name).startswith("-") or name in ("table", "image", "source")
        elif field.name not in ("parameters", "classes"):
            assert field.name in flags["set_"].help, field.name


@pytest.mark.parametrize(
    ("told", "name", "value"),
    [
        ("n_neighbors=7", "n_neighbors", 7),
        ("fidelity=5", "parameters", {"fidelity": 5}),
        ("tune=false", "parameters", {"tune": False}),
        ("evidence=none", "parameters", {"evidence": None}),
        ("delimiter=;", "delimiter", ";"),
        ('as_number=a, "b,c"', "as_number", ("a", "b,c")),
        ("metric=euclidean", "parameters", {"metric": "euclidean"}),
    ],
)
def test_set_reads_values_as_their_fields_want_them(told, name, value):
    made = job_options(ClassifyOptions, {"table": "a.csv", "set_": [told]})
    assert getattr(made, name) == value
    assert type(getattr(made, name)) is type(value)


@pytest.mark.parametrize(
    ("command", "told", "sentence"),
    [
        ("classify", "n_neighbors", "--set n_neighbors: write NAME=VALUE."),
        ("classify", "n_neighbors=x", "--set n_neighbors must be a whole number; got 'x'."),
        ("classify", "safe_csv=maybe", "--set safe_csv must be true or false; got 'maybe'."),
        ("classify", "speed=9", "--set speed means nothing to the method 'diffuse interface'; leave it out."),
        ("segment", "radius=wide", "--set radius must be a number; got 'wide'."),
        ("classify", "label=kind", "--set label=kind: write --label instead."),
        ("classify", "n_jobs=3", "--set n_jobs=3: write --jobs instead."),
        ("suggest", "speed=9", "--set speed: there is no such parameter, only as_category, "),
    ],
)
def test_what_cannot_be_set_gets_a_sentence(command, told, sentence):
    seeds = ["--seeds", "seeds.png"] if command == "segment" else []
    ended = run(command, "in.csv", "-o", "out.csv", *seeds, "--set", told)
    assert ended.exit_code == 2
    assert ended.stderr.startswith(f"graphwell: {sentence}")


# --------------------------------------------------------------------------------------------------- endings


def ended_by(act):
    made = typer.Typer(pretty_exceptions_enable=False)

    @made.command()
    @ends_cleanly
    def command(n_jobs: int = 1) -> Exit | None:
        if isinstance(act, BaseException):
            raise act
        return act

    return CliRunner().invoke(made, [])


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ValueError("TABLE holds\n  no rows."), "TABLE holds no rows."),
        (PermissionError(13, "Permission denied", "x.csv"), "x.csv: Permission denied."),
        (ImportError("install pyarrow"), "install pyarrow"),
        (MemoryError(), "There is not enough memory for this; use fewer rows or features."),
        (OptionError("n_jobs", '{field} and {missing="mean"}.'), "--jobs and --set missing=mean."),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(error, words):
    ended = ended_by(error)
    assert (ended.exit_code, ended.stderr, ended.stdout) == (2, f"graphwell: {words}\n", "")


def test_an_interrupt_ends_with_130_in_compiled_code_too():
    compiled = SystemError("returned a result with an exception set")
    compiled.__cause__ = KeyboardInterrupt()
    for error in (KeyboardInterrupt(), compiled):
        assert (ended_by(error).exit_code, ended_by(error).stderr) == (130, "graphwell: interrupted.\n")


def test_other_endings_have_their_codes_and_a_mistake_of_our_own_is_not_hidden():
    assert [ended_by(code).exit_code for code in (None, Exit.DONE, Exit.NEEDS_ATTENTION)] == [0, 0, 1]
    ended = ended_by(KeyError("bug"))
    assert ended.exit_code == 3
    assert "this is a mistake in graphwell.\nTraceback" in ended.stderr


# ----------------------------------------------------------------------------------------- standard streams

TABLE = "x;label\n1;a\n2;\n8;\n9;b\n"
NEAR = ("--set", "n_neighbors=1")


def test_a_table_goes_through_a_pipe(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ended = run("classify", "-", "-o", "-", *NEAR, input=TABLE)
    assert ended.exit_code == 0, ended.output
    lines = ended.stdout.splitlines()
    assert lines[0].startswith("x;label;graphwell_label;")
    assert [line.split(";")[2] for line in lines[1:]] == ["a", "a", "b", "b"]
    assert "2 rows labelled from 2 labels" in ended.stderr
    assert list(tmp_path.iterdir()) == []
    asked = run("suggest", "-", "-o", "-", "-n", 1, *NEAR, input=TABLE)
    assert asked.stdout.startswith("graphwell_row;graphwell_reason;label;x\n")
    assert run("classify", "-", "-o", tmp_path / "out.npz", *NEAR, input=TABLE).exit_code == 0
    assert (tmp_path / "out.npz").exists()


@pytest.mark.parametrize("command", ["classify", "suggest"])
def test_two_things_do_not_share_standard_output(command):
    ended = run(command, "-", "-o", "-", "--json", input=TABLE)
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert "--json goes to standard output as well" in ended.stderr


@pytest.mark.slow
def test_a_reader_that_goes_away_is_no_mistake(tmp_path):
    (tmp_path / "in.csv").write_text(
        "x,label\n" + "".join(f"{i * 7 % 1000},{'ab'[i % 2]}\n" for i in range(9000))
    )
    command = f"{sys.executable} -m graphwell classify - -o - --method nearest < in.csv | head -n 1"
    here = {"cwd": tmp_path, "env": {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}}
    ended = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=100, **here)
    assert ended.stdout.startswith("x,label,graphwell_label")
    assert "Traceback" not in ended.stderr
    assert "Error" not in ended.stderr


# ------------------------------------------------------------------------------------------------------ bars


def test_every_stage_has_a_bar_that_ends_full():
    screen = io.StringIO()
    with bars(console=Console(file=screen, force_terminal=True, no_color=True, width=90)) as progress:
        for stage, share in (("reading", None), ("neighbours", 0.0), ("neighbours", 0.4), ("descent", 1.0)):
            progress(stage, share)
    last = [line for line in screen.getvalue().splitlines() if "%" in line][-3:]
    for stage, line in zip(("reading", "neighbours", "descent"), last, strict=True):
        assert stage in line
        assert "100%" in line
        assert "left" in line


# --------------------------------------------------------------------------------------------------- reports


def test_many_classes_are_cut_short_and_text_of_a_file_cannot_harm_a_terminal(tmp_path):
    names = [f"class {i:02}" for i in range(45)] + ["\x1b[31m" + "x" * 300]
    lines = [f"{100 * i},{name}\n{100 * i + 1},\n" for i, name in enumerate(names)]
    (tmp_path / "in.csv").write_text("x,label\n" + "".join(lines))
    ended = run("classify", tmp_path / "in.csv", "-v", "--set", "n_neighbors=1")
    assert ended.exit_code == 0, ended.output
    assert "class 38" in ended.stdout.split("Classes:")[2].split("uncertain")[0]
    assert "and 6 more" in ended.stdout
    assert "\x1b" not in ended.output
    assert "x" * 130 not in ended.output


@pytest.mark.parametrize(
    ("option", "instead"),
    [
        ("--neighbors", "--set n_neighbors=NUMBER"),
        ("--safe-csv", "--set safe_csv=VALUE"),
        ("--no-tune", "models=none"),
        ("--n-neighbors=5", "classify has no option --n-neighbors; write --set n_neighbors=NUMBER."),
        ("--truth", "suggest has no option --truth; write --set truth=COLUMN."),
        ("--report", "compare has no option --report; write --json."),
    ],
)
def test_an_option_that_a_command_does_not_have_says_what_to_write_instead(
    option, instead, monkeypatch, capsys
):
    command = {"--truth": "suggest", "--report": "compare"}.get(option, "classify")
    monkeypatch.setattr(sys, "argv", ["graphwell", command, "pets.csv", option])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert instead in capsys.readouterr().err


def test_a_folder_that_is_named_by_a_point_has_its_files_beside_it(tmp_path, monkeypatch):
    photos = tmp_path / "photos.v2"
    photos.mkdir()
    monkeypatch.chdir(photos)
    for name in (".", photos):
        assert cli_options.beside(Path(name), "labelled") == tmp_path / "photos.v2.labelled.csv"
