"""`graphwell label` and `graphwell paint` as they are run; the pages themselves are tested in tests/serve."""

import pytest

from tests.cli.blobs import run
from tests.serve.pages import write_groups


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
    named = () if options == ["--images", "."] else ("--id", "name")
    found = run("label", "groups.csv", "--no-browser", *named, *options)
    assert found.exit_code == 2
    assert message in " ".join(found.stderr.split())


def refuse(*_, **__):
    raise PermissionError(13, "Permission denied")


def test_others_need_a_password(tmp_path, monkeypatch):
    path, _ = write_groups(tmp_path, n=4)
    monkeypatch.delenv("GRAPHWELL_PASSWORD", raising=False)
    served = {}
    monkeypatch.setattr("graphwell.serve.launch.launch", lambda page, **options: served.update(options))
    options = ("label", path, "--id", "name", "--host", "192.0.2.1")
    found = run(*options, input="secret\nsecret\n")
    assert found.exit_code == 0
    assert "TLS" in found.stderr
    assert served["password"] == "secret"
    for host in ("127.0.0.1", "localhost", "::1"):
        assert run(*options, "--host", host, "--password", "secret").stderr == ""
        assert served["password"] is None


@pytest.mark.parametrize("options", [(), ("--quiet",)])
def test_an_interrupt_is_the_usual_end(tmp_path, monkeypatch, options):
    def interrupted(page, *, on_ready, **_):
        on_ready("http://here/")
        raise KeyboardInterrupt

    monkeypatch.setattr("graphwell.serve.launch.launch", interrupted)
    path, _ = write_groups(tmp_path, n=4)
    ended = run("label", path, "--id", "name", *options)
    assert ended.exit_code == 0
    assert ended.stdout.startswith("Open http://here/\n")
    assert (".journal; the same command goes on from there" in ended.stdout) is not bool(options)


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("nothing.png", "nothing.png"),
        ("notes.txt", "must end in"),
        ("empty", "holds no picture; its files should end in"),
    ],
)
def test_what_is_no_picture_is_refused_before_anything_is_served(tmp_path, name, problem):
    (tmp_path / "notes.txt").write_text("x")
    (tmp_path / "empty").mkdir()
    done = run("paint", tmp_path / name, "-o", tmp_path / "out", "--no-browser")
    assert done.exit_code == 2
    assert problem in " ".join(done.output.split())
