"""
Find wrong labels
=================

Every tenth given label is wrong. Cross-validation compares each with the rest of the data; `label_issues_` lists those
that look wrong, worst first.
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
# A fit holds labels out in turn anyway, so this costs nothing: the labels that the rest of the data contradicts, with the class that
# it suggests.

clf = gw.DiffuseInterfaceClassifier(random_state=0).fit(X, y)
print(clf.label_issues_.head())

look_at = clf.label_issues_.head(20)
precision, recall = gw.metrics.label_issue_scores(look_at, wrong)
print(f"of the 20 labels that look worst, {round(20 * precision)} are wrong")

# %%
figure, panels = plt.subplots(2, 10, figsize=(10, 2.6), layout="constrained")
for panel, issue in zip(panels.ravel(), look_at.itertuples(), strict=True):
    panel.imshow(X[issue.row].reshape(8, 8), cmap="gray_r")
    words = f"said {issue.label}, not {issue.suggested}"
    panel.set_title(words, fontsize=7, color="crimson" if issue.row in wrong else "black")
    panel.set_axis_off()
figure.suptitle("The labels to look at again (red: indeed wrong)")
plt.show()
