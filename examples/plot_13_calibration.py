"""
Calibrated scores
=================

Of rows with a score of 0.9, nine in ten should be correct. With at least 30 labels graphwell fits temperatures on held-out
labels (`calibrated_`). Low scores come first in `doubtful`.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification

import graphwell as gw

X, truth = make_classification(
    4000, n_features=12, n_informative=8, n_classes=3, n_clusters_per_class=2, class_sep=1.2, random_state=2
)
y = gw.datasets.sample_labels(truth, per_class=40, random_state=0)
clf = gw.DiffuseInterfaceClassifier(random_state=0).fit(X, y)
hidden = y < 0
score = clf.label_distributions_.max(axis=1)[hidden]
right = (clf.transduction_ == truth)[hidden]
print(f"calibrated: {clf.calibrated_}; {100 * right.mean():.1f} % right, mean score {score.mean():.3f}")

# %%
# Left: the share of correct labels against the score. Right: the error among the rows that are kept when uncertain ones are left out.

figure, (claim, cover) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
edges = np.quantile(score, np.linspace(0, 1, 11))
place = np.clip(np.searchsorted(edges, score) - 1, 0, 9)
claimed = [score[place == b].mean() for b in range(10) if np.any(place == b)]
held = [right[place == b].mean() for b in range(10) if np.any(place == b)]
claim.plot([0.3, 1], [0.3, 1], color="0.7", linestyle="--")
claim.plot(claimed, held, marker="o", color="#1f6f8b")
claim.set(xlabel="mean score", ylabel="share correct", title="Calibration")
order = np.argsort(-score)
share = np.arange(1, len(order) + 1) / len(order)
cover.plot(100 * share, 100 * (1 - np.cumsum(right[order]) / np.arange(1, len(order) + 1)), color="#1f6f8b")
cover.set(
    xlabel="rows kept, surest first, %", ylabel="wrong among them, %", title="Leaving out uncertain rows"
)
plt.show()
