"""Sizes of classes on the command line."""

import json

import pytest

from tests.cli.blobs import blobs, classify, table_of_blobs

__all__ = ["blobs"]


def test_class_sizes_and_classes_without_a_label(blobs):
    frame = table_of_blobs(blobs / "in.csv")
    names = sorted(set(frame.truth))
    frame.loc[frame.label == names[-1], "label"] = ""
    frame.to_csv(blobs / "in.csv", index=False)
    sizes = ",".join(f"{name}={1 / len(names):.6f}" for name in names)
    finished = classify(
        blobs / "in.csv", "-o", blobs / "out.csv", "--truth", "truth", "--drop", "name",
        "--classes", names[-1], "--class-prior", sizes, "--json",
    )  # fmt: skip
    assert finished.exit_code in (0, 1)
    summary = json.loads(finished.stdout)
    assert [count["name"] for count in summary["classes"]] == names
    assert summary["classes"][-1]["given"] == 0
    assert summary["classes"][-1]["assigned"] > 0
    note = f"No row has the label {names[-1]} yet; rows get it only if --class-prior gives its size."
    assert note in summary["notes"]


@pytest.mark.parametrize(
    ("sizes", "sentence"),
    [
        ("ant=x", "--class-prior: 'ant=x' is no size; write a=0.2 or a=0.05:0.2."),
        ("ant=0.1:0.2:0.3", "--class-prior: 'ant=0.1:0.2:0.3' is no size"),
        ("=0.2", "--class-prior: '=0.2' must name a class"),
        ("ant=0.2,ant=0.8", "--class-prior: 'ant=0.8' must name a class, each one once"),
        ("ant=0.5,owl=0.5", "--class-prior names the class 'owl', which no label has; correct it"),
        ("even", "--class-prior must be auto, labels or sizes by class"),
        ("ant=0.5,bee=0.2", "--class-prior must name exactly the classes; it lacks ['cat']"),
        ("ant=0.5,bee=0.2,cat=0.1", "--class-prior must sum to 1"),
        ("ant=0.5:0.2", "--class-prior has the bounds (0.5, 0.2) for 'ant'"),
    ],
)  # fmt: skip
def test_a_mistake_in_the_class_sizes_gets_one_sentence(blobs, sizes, sentence):
    table_of_blobs(blobs / "in.csv")
    finished = classify(blobs / "in.csv", "-o", blobs / "out.csv", "--drop", "name", "--class-prior", sizes)
    assert finished.exit_code == 2
    assert sentence in " ".join(finished.stderr.split())
    assert len(finished.stderr.strip().splitlines()) == 1


def test_class_sizes_mean_nothing_to_other_methods(blobs):
    table_of_blobs(blobs / "in.csv")
    for option in (["--class-prior", "auto"], ["--classes", "owl"]):
        finished = classify(blobs / "in.csv", "-o", blobs / "out.csv", "--method", "laplace", *option)
        assert finished.exit_code == 2
        assert f"{option[0]} means nothing to the method 'laplace'" in finished.stderr
