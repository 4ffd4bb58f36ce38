"""
Data frames: polars and Arrow
=============================

A frame goes in as it is, words and gaps included; nothing is turned into pandas on the way. The labels come back
in the order of the rows.
"""

import matplotlib.pyplot as plt
import numpy as np
import polars as pl

import graphwell as gw

rng = np.random.default_rng(0)
kinds = np.array(["bicycle", "car", "lorry"])
truth = rng.choice(3, 600, p=[0.3, 0.5, 0.2])
trips = pl.DataFrame(
    {
        "km/h": np.array([17.0, 55, 45])[truth] * rng.lognormal(0, 0.15, 600),
        "km": np.array([4.0, 18, 90])[truth] * rng.lognormal(0, 0.35, 600),
        "road": np.where(rng.random(600) < np.array([0.8, 0.2, 0.05])[truth], "path", "street"),
    }
).with_columns(pl.when(pl.col("km") > 250).then(None).otherwise(pl.col("km")).alias("km"))

# %%
# Four trips of each kind are known. Labels are a column of polars, too; null is unknown.

y = gw.datasets.sample_labels(truth, per_class=4, random_state=0)
known = pl.Series("kind", [str(kinds[label]) if label >= 0 else None for label in y])
clf = gw.DiffuseInterfaceClassifier(random_state=0).fit(trips, known)
labelled = trips.with_columns(pl.Series("graphwell_label", clf.transduction_.tolist()))
print(labelled.head())

# %%
# From here it is polars again. A table of Arrow gets the same labels.

print(labelled.group_by("graphwell_label").agg(pl.len(), pl.col("km/h").mean()).sort("len"))
of_arrow = gw.DiffuseInterfaceClassifier(random_state=0).fit(trips.to_arrow(), known)
print((of_arrow.transduction_ == clf.transduction_).all())

# %%
figure, panels = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained", sharey=True)
right = 100 * np.mean(labelled["graphwell_label"].to_numpy() == kinds[truth])
for panel, column, title in zip(
    panels, (known, labelled["graphwell_label"]), ("12 trips are known", f"{right:.1f} % right"), strict=True
):
    panel.scatter(trips["km"], trips["km/h"], s=5, color="0.85")
    for kind in kinds:
        rows = labelled.filter(column == kind)
        panel.scatter(rows["km"], rows["km/h"], s=12, label=kind)
    panel.set(title=title, xscale="log", xlabel="km")
panels[0].set_ylabel("km/h")
panels[1].legend(frameon=False)
plt.show()
