"""
Active learning: digits from ten questions
==========================================

No labels at all: graphwell asks for ten, and labels 95 % of the digits correctly. Ten random labels give about 60 %.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import graphwell as gw

X, truth = load_digits(return_X_y=True)
questions = gw.suggest(X, n=10, random_state=0)
print(*questions.reasons[:3], sep="\n")

# %%
# Somebody answers. Here the truth does.


def from_labels(rows):
    y = np.full(len(X), -1)
    y[rows] = truth[rows]
    clf = gw.DiffuseInterfaceClassifier(random_state=0).fit(X, y)
    return np.mean(clf.transduction_ == truth)


asked = from_labels(list(questions))
at_random = [from_labels(np.random.default_rng(seed).choice(len(X), 10, replace=False)) for seed in range(8)]
print(f"ten questions: {100 * asked:.1f} % right; ten random labels: {100 * np.mean(at_random):.1f} %")

# %%
# The ten digits that were asked for, and what they are worth.

figure = plt.figure(figsize=(9, 3), layout="constrained")
left, right = figure.subfigures(1, 2, width_ratios=(3, 2))
for panel, row in zip(left.subplots(2, 5).ravel(), questions, strict=True):
    panel.imshow(X[row].reshape(8, 8), cmap="gray_r")
    panel.set_title(f"row {row}: {truth[row]}", fontsize=8)
    panel.set_axis_off()
panel = right.subplots()
panel.bar(["asked", "random"], [asked, np.mean(at_random)], color=["#1f6f8b", "#bbbbbb"])
panel.scatter(["random"] * len(at_random), at_random, color="black", s=12)
panel.set(ylim=(0, 1), title="share right")
plt.show()
