import csv

import pytest
from typer.testing import CliRunner

from graphwell.cli.app import app
from tests.serve.server import Server
from tests.serve.tables import write_groups


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--pixels", "8"], "--pixels 8: write width and height as 28x28."),
        (["--pixels", "2x3"], "--pixels 2 x 3: the table has 4 columns of numbers, not 6."),
        (["--xy", "b"], "--xy b: name two columns, as a,b."),
        (["--xy", "b,name"], "--xy name: the column must hold a number in every row."),
        (["--image-column", "photo"], "--image-column photo: "),
        (["--text-column", "Name"], "--text-column Name: "),
        (["--images", "nowhere"], "--images nowhere is no folder."),
        (["--images", "."], "holds 0 pictures for 12 rows"),
        (["-o", "groups.csv"], "TABLE and --output are both the file"),
        (["-o", "x.docx"], "--output x.docx: the name must end in"),
        (["--port", "1"], "--port 1: nothing can listen there"),
        (["--host", "0.0.0.0", "--password", "x"], "give --address too"),
    ],
)
def test_mistakes_are_told_before_anything_is_served(tmp_path, monkeypatch, options, message):
    write_groups(tmp_path, n=4)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("graphwell.serve.launch._server", lambda *_: pytest.fail("a server was started"))
    if options[:2] == ["--port", "1"]:
        monkeypatch.setattr("socket.create_server", refuse)
    found = CliRunner().invoke(app, ["label", "groups.csv", "--id", "name", "--no-browser", *options])
    if "--images" in options and options[1] == ".":
        found = CliRunner().invoke(app, ["label", "groups.csv", "--no-browser", *options])
    assert found.exit_code == 2
    assert message in " ".join(found.stderr.split())


def refuse(*_, **__):
    raise PermissionError(13, "Permission denied")


def test_others_need_a_password(tmp_path, monkeypatch):
    path, _ = write_groups(tmp_path, n=4)
    monkeypatch.delenv("GRAPHWELL_PASSWORD", raising=False)
    served = {}
    monkeypatch.setattr("graphwell.serve.launch.launch", lambda page, **options: served.update(options))
    options = ["label", str(path), "--id", "name", "--host", "192.0.2.1"]
    found = CliRunner().invoke(app, options, input="secret\nsecret\n")
    assert found.exit_code == 0
    assert "TLS" in found.stderr
    assert served["password"] == "secret"
    CliRunner().invoke(app, [*options, "--host", "127.0.0.1"])
    assert served["password"] is None


@pytest.mark.slow
def test_labels_survive_a_kill_and_are_written(tmp_path):
    path, truth = write_groups(tmp_path)
    options = ("label", path, "--id", "name", "--jobs", "1")
    with Server(*options, folder=tmp_path) as server, server.channel() as window:
        for group in range(3):
            window.do("add class", name=f"<{group}>")
            window.do("label", rows=[40 * group], **{"class": group})
        window.do("label", rows=[1], **{"class": 2})
        window.do("undo")
        server.kill()
    with Server(*options, folder=tmp_path) as server, server.channel() as window:
        said = window.until("answers")
        assert dict(zip(said["rows"], said["codes"], strict=True)) == {0: 0, 40: 1, 80: 2}
        assert said["undo"] == "label"
        assert said["redo"] == "label"
        window.until("model", lambda model: model.get("labels") == 3)
        assert window.do("export")["ok"].endswith("groups.labelled.csv")
    assert server.process.returncode == 0
    with (tmp_path / "groups.labelled.csv").open() as file:
        written = list(csv.DictReader(file))
    assert [row["graphwell_label"] for row in written] == [f"<{group}>" for group in truth]
    assert [i for i, row in enumerate(written) if row["graphwell_given"] == "true"] == [0, 40, 80]


@pytest.mark.slow
def test_two_windows_are_in_step(tmp_path):
    path, _ = write_groups(tmp_path, labels={0: "a", 40: "b"})
    options = ("label", path, "--id", "name", "--jobs", "1")
    with Server(*options, folder=tmp_path) as server, server.channel() as one, server.channel() as other:
        one.until("model", lambda event: event["fits"])
        one.until("questions")
        question = one.do("next")["ok"]["question"]["row"]
        shown = other.do("next")["ok"]["question"]["row"]
        assert shown != question
        one.do("label", rows=[question], **{"class": 1})
        assert other.until("answers", lambda e: e["rows"] == [question])["codes"] == [1]
        assert other.do("next")["ok"]["question"]["row"] not in (question, shown)
        other.do("rename class", name="B", **{"class": 1})
        assert one.until("answers", lambda e: e["classes"][1]["name"] == "B")
