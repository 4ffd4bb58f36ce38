import pytest

from graphwell.cli._run import Exit
from graphwell.cli._serve import asked_password, serve_page

OPTIONS = {"host": "127.0.0.1", "port": 0, "address": None, "password": None, "browser": False}


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
def test_this_machine_needs_no_password(host, capsys):
    assert asked_password(host, "secret") is None
    assert capsys.readouterr().err == ""


def test_others_are_warned_of(capsys):
    assert asked_password("0.0.0.0", "secret") == "secret"
    assert "TLS" in capsys.readouterr().err


@pytest.mark.parametrize("quiet", [True, False])
def test_an_interrupt_is_the_usual_end(monkeypatch, capsys, tmp_path, quiet):
    def interrupted(page, *, told, **_):
        told("http://here/")
        raise KeyboardInterrupt

    monkeypatch.setattr("graphwell.serve.launch.launch", interrupted)
    assert serve_page(None, tmp_path / "a.journal", quiet=quiet, **OPTIONS) is Exit.DONE
    said = capsys.readouterr().out
    assert said.startswith("Open http://here/\n")
    assert ("a.journal" in said) is not quiet
