"""
Large data: a Dask cluster on this machine
==========================================

A Dask array takes the place of `X`, and Dask arrays come back. On one machine a plain array is faster; this shows that
the labels agree.
"""

import dask.array as da
import matplotlib.pyplot as plt
import numpy as np
from dask.distributed import Client, LocalCluster

import graphwell as gw

X, truth = gw.datasets.make_three_moons(random_state=0)
y = gw.datasets.sample_labels(truth, per_class=10, random_state=0)

with (
    LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None) as cluster,
    Client(cluster),
):
    blocks = da.from_array(X, chunks=(500, -1))
    there = gw.DiffuseInterfaceClassifier(models=None, random_state=0).fit(blocks, y)
    labels = there.transduction_.compute()
here = gw.DiffuseInterfaceClassifier(models=None, random_state=0).fit(X, y).transduction_
print(f"{np.sum(labels != here)} of {len(X)} labels differ")

# %%
figure, panels = plt.subplots(1, 2, figsize=(9, 3), layout="constrained")
for panel, found, title in zip(
    panels, (here, labels), ("one process", "two workers, three blocks"), strict=True
):
    panel.scatter(X[:, 0], X[:, 1], s=5, c=found, cmap="tab10", vmax=9)
    panel.set_title(f"{title}: {100 * np.mean(found != truth):.1f} % wrong")
    panel.set_axis_off()
plt.show()
