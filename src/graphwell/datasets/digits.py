"""A small real data set as a table, to try the program on."""

from graphwell._random import Seed
from graphwell.datasets.labels import sample_labels


def digits_table(per_class: int = 5, random_state: Seed = None) -> str:
    """scikit-learn's handwritten digits as CSV: an id, 64 pixels, a label for a few rows, and the truth.

    Examples
    --------
    >>> lines = digits_table(random_state=0).splitlines()
    >>> len(lines), lines[0][:22], lines[0][-21:]
    (1798, 'id,pixel_0_0,pixel_0_1', 'pixel_7_7,label,truth')
    """
    from sklearn.datasets import load_digits

    X, truth = load_digits(return_X_y=True)
    labels = sample_labels(truth, per_class, random_state)
    pixels = [f"pixel_{row}_{column}" for row in range(8) for column in range(8)]
    lines = [",".join(["id", *pixels, "label", "truth"])]
    for i, (row, label) in enumerate(zip(X.astype(int).tolist(), labels.tolist(), strict=True)):
        lines.append(",".join([f"d{i:04d}", *map(str, row), "" if label < 0 else str(label), str(truth[i])]))
    return "\n".join(lines) + "\n"
