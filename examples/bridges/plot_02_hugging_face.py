"""
Datasets of Hugging Face
========================

A `Dataset` with a `ClassLabel` goes in, and one with labels, scores and what was given comes back. Here its rows are
digits as vectors; a column of embeddings of texts or photographs is used in the same way.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import datasets
import graphwell as gw

datasets.disable_progress_bars()
pixels, truth = load_digits(return_X_y=True)
y = gw.datasets.sample_labels(truth, per_class=3, random_state=0)
names = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
rows = datasets.Dataset.from_dict({"embedding": pixels.tolist(), "label": y.tolist()})
rows = rows.cast_column("label", datasets.ClassLabel(names=names))  # -1 is unknown there, too
print(rows)

# %%
# `from_dataset` honours selections and shuffles, and gives the classes their names.

X, labels = gw.from_dataset(rows, label="label", columns=["embedding"])
clf = gw.DiffuseInterfaceClassifier(random_state=0).fit(X, labels)
rows = gw.with_labels(rows, clf)
print(rows[0]["graphwell_label"], round(rows[0]["graphwell_score"], 3), rows.column_names)

# %%
# The methods of `datasets` go on with it: the digits that graphwell is least sure of, and what they are called.

doubtful = rows.filter(lambda row: not row["graphwell_given"]).sort("graphwell_score").select(range(12))
right = np.mean(np.array(rows["graphwell_label"][:]) == np.array(names)[truth])
figure, panels = plt.subplots(2, 6, figsize=(9, 3.6), layout="constrained")
figure.suptitle(f"{100 * right:.1f} % of 1,797 digits right from three labels per class; those in most doubt")
for panel, row in zip(panels.flat, doubtful, strict=True):
    panel.imshow(np.reshape(row["embedding"], (8, 8)), cmap="gray_r")
    panel.set_title(row["graphwell_label"], fontsize=10)
    panel.set_axis_off()
plt.show()
