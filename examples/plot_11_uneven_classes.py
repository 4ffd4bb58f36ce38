"""
Imbalanced classes
==================

One class is twenty times as large as the other, and labels come at random: most of them from the large class.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.semi_supervised import LabelSpreading

import graphwell as gw

points, which = make_moons(4000, noise=0.09, random_state=0)
keep = (which == 0) | (np.cumsum(which == 1) % 20 == 0)
X, truth = points[keep], which[keep]
y = np.full(len(X), -1)
for label, count in ((0, 20), (1, 2)):
    rows = np.random.default_rng(1).choice(np.flatnonzero(truth == label), count, replace=False)
    y[rows] = label
print(f"{np.bincount(truth)} points, {np.bincount(y[y >= 0])} labels")

# %%
# The balanced accuracy counts both classes alike.

known = y >= 0
found = {
    "logistic regression": LogisticRegression().fit(X[known], y[known]).predict(X),
    "LabelSpreading": LabelSpreading(kernel="knn", n_neighbors=10).fit(X, y).transduction_,
    "graphwell": gw.DiffuseInterfaceClassifier(random_state=0).fit(X, y).transduction_,
}

figure, panels = plt.subplots(1, 3, figsize=(10, 3.2), layout="constrained")
for panel, (name, labels) in zip(panels, found.items(), strict=True):
    panel.scatter(*X.T, s=5, c=labels, cmap="coolwarm")
    panel.scatter(*X[known].T, s=36, facecolors="none", edgecolors="black")
    panel.set_title(f"{name}: {100 * balanced_accuracy_score(truth, labels):.1f} %")
    panel.set_axis_off()
plt.show()
