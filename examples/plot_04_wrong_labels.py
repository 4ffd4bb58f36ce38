"""
Wrong labels found
==================

Every tenth given label is wrong. Each label is hidden in turn and told from the rest: where the answer differs
and is sure, somebody should look again.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import graphwell as gw

X, truth = load_digits(return_X_y=True)
rng = np.random.default_rng(0)
y = np.full(len(X), -1)
given = rng.choice(len(X), 200, replace=False)
y[given] = truth[given]
wrong = rng.choice(given, 20, replace=False)
y[wrong] = (truth[wrong] + rng.integers(1, 10, 20)) % 10

# %%
# `HiddenLabelsSplit` hides labels and leaves all rows in the graph. What hidden labels look like is read off the scores.

graph = gw.Graph.from_features(X)
doubt = np.zeros(len(X))
for train, hidden in gw.model_selection.HiddenLabelsSplit(5, random_state=0).split(X, y):
    seen = np.full(len(X), -1)
    seen[train] = y[train]
    clf = gw.DiffuseInterfaceClassifier(random_state=0).fit(graph, seen)
    doubt[hidden] = 1 - clf.label_distributions_[hidden, y[hidden]]

look_at = given[np.argsort(-doubt[given])][:20]
print(f"of the 20 labels that look worst, {np.isin(look_at, wrong).sum()} are wrong")

# %%
figure, panels = plt.subplots(2, 10, figsize=(10, 2.6), layout="constrained")
for panel, row in zip(panels.ravel(), look_at, strict=True):
    panel.imshow(X[row].reshape(8, 8), cmap="gray_r")
    panel.set_title(f"said {y[row]}", fontsize=8, color="crimson" if row in wrong else "black")
    panel.set_axis_off()
figure.suptitle("The labels to look at again (red: indeed wrong)")
plt.show()
