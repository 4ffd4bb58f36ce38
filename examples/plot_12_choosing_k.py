"""
Choose the number of neighbours by cross-validation
===================================================

scikit-learn's grid search with two replacements: `HiddenLabelsSplit` hides labels, and the scorer counts where a label
is known.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV

import graphwell as gw

X, truth = load_digits(return_X_y=True)
y = gw.datasets.sample_labels(truth, per_class=10, random_state=0)
numbers = [4, 7, 10, 15, 25, 40, 60]

search = GridSearchCV(
    gw.DiffuseInterfaceClassifier(models=None, random_state=0),
    {"n_neighbors": numbers},
    cv=gw.model_selection.HiddenLabelsSplit(5, random_state=0),
    scoring=gw.metrics.accuracy_on_known_scorer,
)
search.fit(X, y)
print(search.best_params_)

# %%
hidden = y < 0
true = [
    np.mean(
        gw.DiffuseInterfaceClassifier(n_neighbors=k, models=None, random_state=0)
        .fit(X, y)
        .transduction_[hidden]
        == truth[hidden]
    )
    for k in numbers
]
figure, panel = plt.subplots(figsize=(6, 3.6), layout="constrained")
mean, spread = (search.cv_results_[f"{what}_test_score"] for what in ("mean", "std"))
panel.errorbar(numbers, 100 * mean, 100 * spread / np.sqrt(5), marker="o", capsize=3, label="hidden labels")
panel.plot(numbers, 100 * np.array(true), color="black", marker=".", label="truth")
panel.set(
    xscale="log", xlabel="neighbours", ylabel="% right", title="Right labels by the number of neighbours"
)
panel.set_xticks(numbers, [str(k) for k in numbers])
panel.minorticks_off()
panel.legend(frameon=False)
plt.show()
