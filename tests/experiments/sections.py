"""What every section of the reproduction must hold."""

from graphwell.experiments.expected import expectations, judge


def line(section, name):
    """A line of a section by its name."""
    return next(line for line in section.lines if line.key == f"{section.name}.{name}")


def complaints(lines):
    """What is outside its tolerance; seconds are left out, since a busy machine needs more of them."""
    return [judge(line).complaint for line in lines if line.unit != "s" and not judge(line).ok]


def check_section(section, name, of_other_size=()):
    """A reduced run lies within the tolerances and says everything about its runs.

    Lines that count pixels have another value in a smaller picture.
    """
    lines = [line for line in section.lines if not line.key.startswith(tuple(of_other_size) or "-")]
    assert complaints(lines) == []
    assert section.name == name
    assert {line.key for line in section.lines} == {k for k in expectations() if k.startswith(f"{name}.")}
    assert section.setting
    assert section.remarks
    for run in section.runs:
        assert run.line.startswith(f"{name}.")
        assert 0 <= run.error <= 1
        assert run.seconds >= 0
