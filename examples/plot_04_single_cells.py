"""
Single cells: cell types from a few annotations
===============================================

Counts of 300 genes in 1,500 cells of five types, three of them rare. Six cells of each type have a name; `gw.annotate`
names the others, in the AnnData object.
"""

import anndata
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.decomposition import PCA

import graphwell as gw
from graphwell.graph.maps import graph_map

rng = np.random.default_rng(0)
types = np.array(["T cell", "B cell", "NK", "monocyte", "dendritic"])
truth = rng.choice(5, size=1500, p=[0.45, 0.3, 0.1, 0.1, 0.05])
level = rng.gamma(0.5, 1.0, size=300)
fold = np.exp(rng.normal(0, 1.1, size=(5, 300)) * (rng.random((5, 300)) < 0.15))
depth = rng.lognormal(0, 0.4, size=1500)
counts = rng.poisson(level * fold[truth] * depth[:, None])
cells = anndata.AnnData(counts.astype(np.float32))

# %%
# The usual steps: counts per cell made equal, logarithm, principal components.

share = counts / counts.sum(axis=1, keepdims=True)
cells.obsm["X_pca"] = PCA(20, random_state=0).fit_transform(np.log1p(1e4 * share))
y = gw.datasets.sample_labels(truth, per_class=6, random_state=0)
cells.obs["known"] = pd.Categorical(np.where(y >= 0, types[y], None), categories=types)

clf = gw.annotate(cells, "known", random_state=0)
right = np.mean(cells.obs["graphwell"] == types[truth])
print(cells.obs[["known", "graphwell", "graphwell_score"]].head())
print(f"{100 * right:.1f} % of the cells are named correctly")

# %%
plane = graph_map(clf.graph_)
figure, panels = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
for name in types:
    for panel, column in zip(panels, ("known", "graphwell"), strict=True):
        rows = (cells.obs[column] == name).to_numpy()
        panel.scatter(*plane[rows].T, s=8, label=name, zorder=2)
panels[0].scatter(*plane.T, s=4, color="0.85", zorder=1)
panels[0].set_title("30 cells that somebody named")
panels[1].set_title(f"graphwell: {100 * right:.1f} % right")
panels[1].legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
for panel in panels:
    panel.set_axis_off()
plt.show()
