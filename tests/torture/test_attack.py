"""Attempts are made from seeds, in a process of their own, and every loss is told with its seed."""

import random
import sys

import pytest

from torture import __main__ as program
from torture.attack import NAMES, Attack, Outcome, find, run
from torture.files import PICTURES, TABLES, mutated, sound_picture, sound_table

DEADLY = """
import os, signal
from torture.attack import Lost, NotPossibleHere, attack

@attack("deadly", "seeds 2, 3 and 4", count=6)
def attempt(seed):
    if seed == 2:
        raise Lost("a reason")
    if seed == 3:
        os.kill(os.getpid(), signal.SIGSEGV)
    if seed == 4:
        raise KeyError("x")
    if seed == 9:
        raise NotPossibleHere("no such thing here")
"""


@pytest.fixture
def deadly(tmp_path, monkeypatch):
    """A room of attacks with one that is not survived."""
    import torture

    (tmp_path / "deadly.py").write_text(DEADLY)
    monkeypatch.setattr(torture, "__path__", [*torture.__path__, str(tmp_path)])
    code = f"import torture; torture.__path__.append({str(tmp_path)!r})"
    (tmp_path / "sitecustomize.py").write_text(code)
    monkeypatch.setenv("PYTHONPATH", ":".join([str(tmp_path), *sys.path]))
    return find("deadly")


def test_what_is_not_survived_is_told_with_its_seed(deadly, capsys):
    outcome = run(deadly, first_seed=0, count=6)
    assert outcome.tried == 6
    assert list(outcome.lost) == [2, 3, 4]
    assert outcome.lost[2] == "a reason"
    assert "SIGSEGV" in outcome.lost[3]
    assert "KeyError" in outcome.lost[4]
    assert "lost: deadly 2: a reason\n" in capsys.readouterr().err


def test_attempts_are_shared_among_processes(deadly):
    outcome = run(deadly, first_seed=0, count=6, processes=3)
    assert outcome.tried == 6
    assert sorted(outcome.lost) == [2, 3, 4]


def test_what_a_machine_lacks_is_told_and_not_counted(deadly):
    outcome = run(deadly, first_seed=9, count=6)
    assert (outcome.tried, outcome.lost) == (0, {})
    assert "| 0 | 0 | 0 | no such thing here |" in program.table([outcome])


def test_with_hours_further_seeds_follow(deadly, capsys):
    assert program.main(["deadly", "--count", "1", "--hours", "0.001", "--processes", "1"]) in (0, 1)
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| deadly")]
    assert len(rows) > 2


def test_one_table_tells_everything(deadly):
    outcome = Outcome(deadly, 6, {3: "the process ended with signal SIGSEGV"})
    text = program.table([outcome])
    assert "| deadly | seeds 2, 3 and 4 | 6 | 5 | 1 | 3 |" in text
    assert "`python -m torture --replay deadly 3`: the process ended" in text


def test_every_attack_is_declared():
    attacks = [find(name) for name in NAMES]
    assert [attack.name for attack in attacks] == list(NAMES)
    assert all(isinstance(attack, Attack) and attack.count > 0 for attack in attacks)


def test_damage_depends_on_the_seed_alone():
    for suffix in TABLES:
        content = sound_table(suffix)
        assert mutated(content, random.Random(5)) == mutated(content, random.Random(5))
    assert len({mutated(sound_picture(s), random.Random(i)) for s in PICTURES for i in range(20)}) > 80


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["tables", "pictures", "matrices", "parameters", "arrays"])
def test_a_few_attempts_are_survived(name):
    outcome = run(find(name), first_seed=0, count=5)
    assert outcome.tried == 5
    assert outcome.lost == {}
