"""
A messy table: categories, dates and gaps
=========================================

Columns as people have them: numbers of different units, words, dates, missing cells, a row counter. A data frame goes
straight into `fit`, and `columns_` says how each column was treated.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import graphwell as gw

rng = np.random.default_rng(0)
n = 900
kind = rng.integers(0, 3, n)
table = pd.DataFrame(
    {
        "id": [f"P{i:04d}" for i in range(n)],
        "weight_g": rng.normal(np.array([3700, 3730, 5080])[kind], 400),
        "bill_mm": rng.normal(np.array([38.8, 48.8, 47.5])[kind], 2.8),
        "colour": np.array(["grey", "black", "white"])[(kind + (rng.random(n) < 0.3)) % 3],
        "seen": pd.Timestamp("2024-03-01") + pd.to_timedelta(rng.integers(0, 90, n), unit="D"),
    }
)
table.loc[rng.choice(n, 60, replace=False), "bill_mm"] = np.nan
names = np.array(["Adelie", "Chinstrap", "Gentoo"])
y = np.full(n, None, dtype=object)
known = rng.choice(n, 21, replace=False)
y[known] = names[kind[known]]

# %%
clf = gw.DiffuseInterfaceClassifier(random_state=0).fit(table, y)
for column in clf.columns_:
    print(column)
right = np.mean(clf.transduction_ == names[kind])
print(f"{100 * right:.1f} % right from {len(known)} labels")

# %%
figure, panel = plt.subplots(figsize=(6, 4), layout="constrained")
for name in names:
    rows = clf.transduction_ == name
    panel.scatter(table["bill_mm"][rows], table["weight_g"][rows], s=10, label=name)
panel.scatter(table["bill_mm"][known], table["weight_g"][known], s=50, facecolors="none", edgecolors="black")
panel.set(xlabel="bill, mm", ylabel="weight, g", title=f"{100 * right:.1f} % right (ringed: label given)")
panel.legend(frameon=False)
plt.show()
