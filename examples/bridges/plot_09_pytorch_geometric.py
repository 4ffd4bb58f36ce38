"""
Beside PyTorch Geometric
========================

A `Data` object holds links, features and masks. `Graph.from_pyg` takes the links, and ``data.x`` goes beside them. No
network is trained. This page is shown and not run: PyTorch is too large for the build of the site.
"""

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch_geometric.data import Data

import graphwell as gw

rng = np.random.default_rng(0)
truth = rng.integers(0, 5, 1500)
first, second = rng.integers(0, 1500, (2, 40_000))
same = truth[first] == truth[second]
kept = (first != second) & (rng.random(len(first)) < np.where(same, 0.25, 0.03))
fond = (np.arange(200) // 40)[None, :] == truth[:, None]
words = rng.random((1500, 200)) < np.where(fond, 0.09, 0.04)
train = gw.datasets.sample_labels(truth, per_class=10, random_state=0) >= 0
data = Data(
    x=torch.tensor(words, dtype=torch.float32),
    edge_index=torch.tensor(np.stack([first[kept], second[kept]])),  # each link once, or there and back
    y=torch.tensor(truth),
    train_mask=torch.tensor(train),
)

# %%
# Planetoid's data sets have the same shape: ``data = Planetoid("data", "Cora")[0]``.

graph = gw.Graph.from_pyg(data)
y = torch.where(data.train_mask, data.y, -1).numpy()
clf = gw.DiffuseInterfaceClassifier(random_state=0).fit(graph, y, features=data.x.numpy())
data.pred = torch.tensor(clf.transduction_)
test = ~data.train_mask
print(graph)
print(f"{100 * (data.pred == data.y)[test].float().mean():.1f} % right from ten labels per class")

# %%
counts = torch.zeros(5, 5, dtype=torch.int64).index_put(
    (data.y[test], data.pred[test]), torch.tensor(1), accumulate=True
)
figure, panel = plt.subplots(figsize=(4, 3.5), layout="constrained")
panel.imshow(counts, cmap="Blues")
for (row, column), count in np.ndenumerate(counts.numpy()):
    panel.text(column, row, count, ha="center", va="center", color="white" if count > 150 else "black")
panel.set(xlabel="found", ylabel="true", title="papers by class")
plt.show()
