"""Methods side by side."""

import numpy as np
import pandas as pd
import pytest

import graphwell as gw
from graphwell.comparison import compare as module
from graphwell.comparison.compare import compare, deal
from graphwell.comparison.competitors import Competitor, competitors
from graphwell.errors import OptionError

rng = np.random.default_rng(0)
TRUTH = np.repeat([0, 1, 2], 20)
X = rng.normal(size=(60, 2)) + 8 * np.array([[0, 0], [1, 0], [0, 1]])[TRUTH]
Y = np.where(np.arange(60) % 20 < 4, TRUTH, -1)


def test_every_label_is_hidden_once_and_a_last_one_never():
    codes = np.array([0, 0, 0, 1, -1, 2, 2])
    dealt = deal(codes, None, 3, seed=1)
    hidden = np.array([(split.shown < 0) & (codes >= 0) for split in dealt])
    assert hidden.sum(axis=0).tolist() == [1, 1, 1, 0, 0, 1, 1]
    assert (np.array([split.judged for split in dealt]) == hidden).all()


def test_with_the_truth_all_rows_not_shown_are_judged():
    true = np.array([0, 0, 1, -1, 1])
    for split in deal(np.array([0, 0, -1, -1, 1]), true, 2, seed=0):
        assert (split.judged == ((true >= 0) & (split.shown < 0))).all()


def test_one_label_per_class_is_judged_by_the_truth_in_one_run():
    codes = np.array([0, 1, -1])
    (only,) = deal(codes, np.array([0, 1, 1]), 5, seed=0)
    assert (only.shown == codes).all()
    assert only.judged.tolist() == [False, False, True]
    with pytest.raises(OptionError, match="a class needs two"):
        deal(codes, None, 5, seed=0)
    with pytest.raises(OptionError, match="nothing to judge by"):
        deal(codes, np.array([0, 1, -1]), 5, seed=0)


def test_hidden_labels_are_not_shown_and_right_answers_are_counted(monkeypatch):
    """A method that knows the truth of the first half and answers 2 elsewhere."""
    asked = []

    def label(ground, y):
        asked.append(y.copy())
        return np.where(np.arange(60) < 30, TRUTH, 2)

    monkeypatch.setattr(module, "competitors", lambda: {"oracle": Competitor("oracle", "", label)})
    found = compare(X, Y, splits=4)
    assert [int((y >= 0).sum()) for y in asked] == [9, 9, 9, 9]
    assert sum(trial.right for trial in found.trials) == 4 + 4 + 4
    assert found.judged_on == "hidden labels"
    (by_truth,) = compare(X, Y, truth=TRUTH, splits=2).standings
    shares = [trial.right / trial.of for trial in compare(X, Y, truth=TRUTH, splits=2).trials]
    assert by_truth.accuracy == pytest.approx(np.mean(shares))


def test_names_of_classes_frames_and_strings():
    names = np.array(["ant", "bee", "cat"])
    y = np.where(Y >= 0, names[Y], None)
    frame = pd.DataFrame(X, columns=["a", "b"])
    found = gw.compare(frame, y, truth=names[TRUTH], methods=["nearest", "random forest"], splits=2, n_jobs=1)
    assert found.classes == ("ant", "bee", "cat")
    assert all(standing.accuracy > 0.9 for standing in found.standings)
    assert found.labels.shape == (2, 2, 60)


def test_true_classes_without_a_label_are_wrong():
    truth = np.where(TRUTH == 2, 7, TRUTH)
    given = np.where(TRUTH == 2, -1, Y)
    (found,) = compare(X, given, truth=truth, methods=["nearest"], splits=2, n_jobs=1).standings
    assert found.accuracy < 0.7


def test_equal_seeds_give_equal_labels():
    runs = [compare(X, Y, methods=["mbo", "boosting"], splits=2, random_state=3, n_jobs=1) for _ in range(2)]
    assert (runs[0].labels == runs[1].labels).all()


def test_a_comparison_goes_on_where_it_was_interrupted(tmp_path, monkeypatch):
    fits = []

    def counted(name, breaks_at=None):
        def label(ground, y):
            fits.append(name)
            if len(fits) == breaks_at:
                raise KeyboardInterrupt
            return np.zeros(60, dtype=int)

        return Competitor(name, "", label)

    monkeypatch.setattr(module, "competitors", lambda: {"a": counted("a", 3), "b": counted("b")})
    path = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        compare(X, Y, splits=3, checkpoint=path)
    monkeypatch.setattr(module, "competitors", lambda: {"a": counted("a"), "b": counted("b")})
    found = compare(X, Y, splits=3, checkpoint=path)
    assert fits == ["a", "a", "a", "a", "b", "b", "b"]
    assert len(found.trials) == 6
    with pytest.raises(OptionError, match="another comparison"):
        compare(X, Y, splits=2, checkpoint=path)


def test_who_cannot_label_the_rows_is_named_with_the_reason(monkeypatch):
    def refuses(ground, y):
        raise ValueError("too many rows.")

    everyone = {"bad": Competitor("bad", "", refuses), "nearest": competitors()["nearest"]}
    monkeypatch.setattr(module, "competitors", lambda: everyone)
    found = compare(X, Y, methods=["all"], splits=2, n_jobs=1)
    assert found.left_out == (("bad", "too many rows."),)
    assert [each.method for each in found.standings] == ["nearest"]
    monkeypatch.setattr(module, "competitors", lambda: {"bad": everyone["bad"]})
    with pytest.raises(ValueError, match="No method could label the rows; bad: too many rows"):
        compare(X, Y, splits=2)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"methods": ["guess"]}, "methods must be among diffuse interface"),
        ({"methods": ["binary interface"]}, "at most 2 classes"),
        ({"splits": 1}, "splits"),
        ({"truth": np.full(60, -1)}, "truth holds no known label"),
        ({"y": np.zeros(60, dtype=int)}, "All known labels are 0"),
        ({"X": "data.csv"}, "read the file first"),
    ],
)
def test_bad_input_gets_a_sentence(changed, said):
    given = {"X": X, "y": Y, **changed}
    with pytest.raises(ValueError, match=said):
        compare(given.pop("X"), given.pop("y"), **given)


def test_progress_rises_to_the_end():
    told = []
    compare(
        X,
        Y,
        methods=["nearest"],
        splits=2,
        progress=lambda *each: told.append(each),
        n_jobs=1,
    )
    assert told[0] == ("neighbours", None)
    assert told[-1] == ("methods", 1.0)
    shares = [share for stage, share in told if stage == "methods"]
    assert shares == sorted(shares)


def test_models_keep_to_the_threads_that_were_asked_for(monkeypatch):
    from threadpoolctl import threadpool_info

    seen = []

    def label(ground, y):
        seen.append({pool["num_threads"] for pool in threadpool_info()})
        return np.zeros(60, dtype=int)

    monkeypatch.setattr(module, "competitors", lambda: {"a": Competitor("a", "", label)})
    compare(X, Y, splits=2, n_jobs=1)
    assert seen == [{1}, {1}]


@pytest.mark.parametrize("methods", [5, "laplace", [[]], True])
def test_methods_that_are_no_list_of_names_are_refused(methods):
    with pytest.raises(ValueError, match="methods must be"):
        gw.compare([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1], methods=methods)


@pytest.mark.parametrize("rows", [5, True, None])
def test_what_holds_no_rows_is_refused(rows):
    with pytest.raises(ValueError, match=r"X must|X "):
        gw.compare(rows, [0, 1])


def test_each_method_is_told_as_soon_as_it_is_known(monkeypatch):
    heard = []

    def competitor(name, usual=True):
        def label(ground, y):
            heard.append(f"fit {name}")
            return np.where(y >= 0, y, 0)

        return Competitor(name, "", label, usual=usual)

    everyone = {"a": competitor("a"), "b": competitor("b"), "c": competitor("c", usual=False)}
    monkeypatch.setattr(module, "competitors", lambda: everyone)
    told = lambda standing: heard.append(standing.method)  # noqa: E731
    found = compare(X, Y, splits=2, told=told)
    assert heard == ["fit a", "fit a", "a", "fit b", "fit b", "b"]
    assert {each.method for each in found.standings} == {"a", "b"}
    assert len(compare(X, Y, splits=2, methods=["all"]).standings) == 3


def test_few_methods_take_part_unless_all_are_asked_for():
    usual = [one.name for one in competitors().values() if one.usual]
    models = ["logistic regression", "random forest", "boosting", "sklearn LabelSpreading"]
    assert usual == ["diffuse interface", *models]
