import pytest

from graphwell.errors import OptionError
from graphwell.serve.classes import MOST_CLASSES, PALETTE, ClassList


def test_numbers_are_never_given_again():
    classes = ClassList.named(["a", "b"]).without(1).added("c")
    assert [(entry.number, entry.name) for entry in classes] == [(0, "a"), (2, "c")]
    assert classes.names == ("a", "", "c")


def test_names_are_tidied_and_never_twice():
    classes = ClassList.named(["a"]).added("  two\n words\t\x00 ")
    assert classes.names[1] == "two words"
    for wrong in ("a", " a ", "", "  ", None, 3, "x" * 201):
        with pytest.raises(OptionError):
            classes.added(wrong)
    assert classes.renamed(0, "a").names[0] == "a"
    with pytest.raises(OptionError, match="already"):
        classes.renamed(1, "a")


def test_markup_is_a_name_like_any_other():
    assert ClassList().added("<img src=x onerror=alert(1)>").names == ("<img src=x onerror=alert(1)>",)


@pytest.mark.parametrize("color", ["red", "#12345", "#0072B2", "url(x)", None, "#0072b2;x"])
def test_only_plain_colours_are_colours(color):
    with pytest.raises(OptionError):
        ClassList.named(["a"]).recolored(0, color)


def test_a_colour_can_be_chosen():
    assert ClassList.named(["a"]).recolored(0, "#010203").entries[0].color == "#010203"
    assert len(set(PALETTE)) == len(PALETTE)


@pytest.mark.parametrize("number", [1, -1, True, "0", None, 0.0])
def test_classes_that_are_gone_are_refused(number):
    classes = ClassList.named(["a"])
    for change in (classes.check, classes.without, lambda n: classes.renamed(n, "b")):
        with pytest.raises(OptionError):
            change(number)


def test_there_is_a_limit():
    classes = ClassList.named([str(i) for i in range(MOST_CLASSES)])
    with pytest.raises(OptionError, match="250"):
        classes.added("more")


def test_keys_stay_with_their_classes():
    digits = ClassList.named([str(digit) for digit in range(10)])
    changed = digits.renamed(3, "three").added("ten").without(1)
    assert [(entry.name, entry.key) for entry in changed][2:4] == [("three", "3"), ("4", "4")]
    assert changed.entries[-1].key == "⇧1"
    assert [entry.key for entry in ClassList.named(["dog", "1", "cat"])] == ["2", "1", "3"]
    assert ClassList.named([f"kind {i}" for i in range(21)]).entries[-1].key is None
