"""
A graph with features: citations and words
==========================================

Papers cite each other, and each has words. `fit(W, y, features=F)` uses both, with weights from held-out labels.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy import sparse

import graphwell as gw

rng = np.random.default_rng(0)
n, n_classes = 1500, 5
truth = rng.integers(0, n_classes, n)

# %%
# Links: two thirds stay within the class. Words: 200 of them, each class uses 40 of them more often.

first, second = rng.integers(0, n, (2, 40_000))
same = truth[first] == truth[second]
kept = (first != second) & (rng.random(len(first)) < np.where(same, 0.25, 0.03))
W = sparse.csr_array((np.ones(kept.sum()), (first[kept], second[kept])), shape=(n, n))
W = W.maximum(W.T)
fond = (np.arange(200) // 40)[None, :] == truth[:, None]
F = (rng.random((n, 200)) < np.where(fond, 0.09, 0.04)).astype(float)
print(f"{W.nnz // 2} links, {F.sum(axis=1).mean():.0f} words per paper")

# %%
y = gw.datasets.sample_labels(truth, per_class=10, random_state=0)
hidden = y < 0
ways = {
    "links": gw.DiffuseInterfaceClassifier(metric="precomputed", random_state=0).fit(W, y),
    "words": gw.DiffuseInterfaceClassifier(metric="cosine", random_state=0).fit(F, y),
    "links and words": gw.DiffuseInterfaceClassifier(metric="precomputed", random_state=0).fit(
        W, y, features=F
    ),
}
right = {name: 100 * np.mean(clf.transduction_[hidden] == truth[hidden]) for name, clf in ways.items()}

# %%
figure, panel = plt.subplots(figsize=(6, 3), layout="constrained")
bars = panel.barh(list(right), list(right.values()), color=["#bbbbbb", "#bbbbbb", "#1f6f8b"])
panel.bar_label(bars, fmt="%.1f %%", padding=3)
panel.set(xlim=(0, 100), xlabel="% right", title="Links, words, or both: from ten labels per class")
plt.show()
