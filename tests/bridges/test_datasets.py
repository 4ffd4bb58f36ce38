"""Datasets of Hugging Face."""

import numpy as np
import pytest

import graphwell as gw

datasets = pytest.importorskip("datasets", reason="datasets is not in the test extra: it brings 60 MB")

PETS = datasets.Features(
    {
        "weight": datasets.Value("float32"),
        "vector": datasets.Sequence(datasets.Value("float32")),
        "label": datasets.ClassLabel(names=["dog", "cat"]),
    }
)


@pytest.fixture
def pets():
    """Cats are light; two of four have a label, and the two ways to say unknown."""
    rows = {"weight": [4, 5, 28, 30], "vector": [[0, 1], [0, 2], [9, 1], [9, 2]], "label": [1, None, -1, 0]}
    return datasets.Dataset.from_dict(rows, features=PETS)


def test_a_class_label_becomes_names_and_unknown_is_none(pets):
    X, y = gw.from_dataset(pets, columns=["weight"])
    assert y.tolist() == ["cat", None, None, "dog"]
    assert X.column_names == ["weight"]
    clf = gw.DiffuseInterfaceClassifier(n_neighbors=1, random_state=0).fit(X, y)
    made = gw.with_labels(pets, clf)
    assert made["graphwell_label"][:] == ["cat", "cat", "dog", "dog"]
    again = gw.with_labels(made, clf)
    assert again.column_names == made.column_names


def test_vectors_become_a_matrix(pets):
    X, _ = gw.from_dataset(pets, columns=["vector"])
    np.testing.assert_array_equal(X, [[0, 1], [0, 2], [9, 1], [9, 2]])


def test_selections_and_their_order_are_honoured(pets):
    X, y = gw.from_dataset(pets.select([3, 0]), columns=["weight"])
    assert X.column("weight").to_pylist() == [30, 4]
    assert y.tolist() == ["dog", "cat"]


def test_other_labels_stay_as_they_are(pets):
    _, y = gw.from_dataset(pets.add_column("kind", ["x", None, "y", "x"]), label="kind", columns=["weight"])
    assert y.tolist() == ["x", None, "y", "x"]


def test_what_cannot_be_used_is_told(pets):
    with pytest.raises(ValueError, match="no column 'labels'; it has weight, vector, label"):
        gw.from_dataset(pets, label="labels")
    with pytest.raises(ValueError, match="no column beside 'label'"):
        gw.from_dataset(pets.select_columns(["label"]))
    with pytest.raises(ValueError, match="several datasets, 'train'; give one"):
        gw.from_dataset(datasets.DatasetDict(train=pets))
    with pytest.raises(ValueError, match="A Dataset of Hugging Face is expected, got list"):
        gw.from_dataset([1])
    ragged = datasets.Dataset.from_dict({"vector": [[1.0], [1.0, 2.0]], "label": [0, 1]})
    with pytest.raises(ValueError, match="different lengths, 1 to 2"):
        gw.from_dataset(ragged)
    words = datasets.Dataset.from_dict({"vector": [["a"], ["b"]], "label": [0, 1]})
    with pytest.raises(ValueError, match="vectors of 'vector' must hold numbers alone"):
        gw.from_dataset(words)
    for columns in (5, "weight"):
        with pytest.raises(ValueError, match="columns must be a list of names"):
            gw.from_dataset(pets, columns=columns)
    with pytest.raises(ValueError, match=r"graphwell\.from_dataset"):
        gw.DiffuseInterfaceClassifier().fit(pets, [0, 1, 1, -1])
