"""The public names."""

import subprocess
import sys

import pytest

import graphwell as gw

ALONE = """
import sys

for name in {names}:
    for module in [module for module in sys.modules if module.partition(".")[0] == "graphwell"]:
        del sys.modules[module]
    import graphwell

    print(name, getattr(graphwell, name))
"""


def test_a_public_name_is_there_without_another_import():
    names = ("baselines", "UnreachableWarning", "Step", "metrics", "plots", "methods", "CancelledError")
    assert set(names) <= set(dir(gw))
    command = [sys.executable, "-c", ALONE.format(names=names)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert [line.split()[0] for line in run.stdout.splitlines()] == list(names)


def test_every_public_name_can_be_imported():
    for name in dir(gw):
        assert getattr(gw, name) is not None
    assert set(gw.__all__) < set(dir(gw))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = gw.nonsense
    with pytest.raises(AttributeError, match="'from_dataset'; write X, y"):
        _ = gw.from_dataset
    with pytest.raises(AttributeError, match="segment the frames as a volume"):
        _ = gw.segment_frames
    with pytest.raises(AttributeError, match=r"networkx\.to_scipy_sparse_array"):
        _ = gw.Graph.from_networkx
    with pytest.raises(AttributeError, match=r"write preview\(\)"):
        _ = gw.active.Session.glance
    with pytest.raises(AttributeError, match="'simulate'; write a loop"):
        _ = gw.active.simulate


def test_the_module_is_the_program():
    command = [sys.executable, "-m", "graphwell", "--help"]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "Label everything from a few labels" in run.stdout
