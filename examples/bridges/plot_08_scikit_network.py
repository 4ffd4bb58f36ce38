"""
Beside scikit-network
=====================

scikit-network has classifiers of its own, and gives graphs as sparse matrices. Here both label the same graph from the same
few labels: 400 vertices in four groups that are hard to tell apart.
"""

import matplotlib.pyplot as plt
import numpy as np
from sknetwork.classification import DiffusionClassifier, PageRankClassifier
from sknetwork.data import block_model

import graphwell as gw

made = block_model(np.full(4, 100), p_in=0.07, p_out=0.012, seed=0, metadata=True)
truth = made.labels
graph = gw.Graph.from_sknetwork(made)  # the data set, or its adjacency matrix
print(graph)

# %%
# Vertices that nothing links have no answer; they are left out of the comparison.

reached = np.diff(made.adjacency.indptr) > 0
few = [1, 3, 10]
theirs = {"PageRank": PageRankClassifier(), "Diffusion": DiffusionClassifier()}
right = {name: np.zeros((3, len(few))) for name in (*theirs, "graphwell")}
for column, per_class in enumerate(few):
    for seed in range(3):
        y = gw.datasets.sample_labels(truth, per_class=per_class, random_state=seed)
        hidden = (y < 0) & reached
        for name, method in theirs.items():
            found = method.fit_predict(made.adjacency, labels=y)
            right[name][seed, column] = np.mean(found[hidden] == truth[hidden])
        found = gw.DiffuseInterfaceClassifier(random_state=0).fit(graph, y).transduction_
        right["graphwell"][seed, column] = np.mean(found[hidden] == truth[hidden])

# %%
figure, panel = plt.subplots(figsize=(7, 3.6), layout="constrained")
for name, values in right.items():
    width = 3 if name == "graphwell" else 1.5
    panel.plot(few, 100 * values.mean(axis=0), "o-", label=name, linewidth=width)
panel.set(
    xscale="log",
    xticks=few,
    xticklabels=few,
    xlabel="labels per class",
    ylabel="% right, mean of three label sets",
)
panel.set_title("The same graph, the same labels")
panel.legend(frameon=False)
plt.show()
