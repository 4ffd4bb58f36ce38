"""
In a notebook
=============

A fitted classifier at the end of a cell tells how the fit ended and how large the classes are, with a small map. In a notebook
``progress=gw.progress_bar()`` shows a bar for each stage while a long fit runs.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

import graphwell as gw

X, truth = load_digits(return_X_y=True)
y = gw.datasets.sample_labels(truth, per_class=5, random_state=0)
clf = gw.DiffuseInterfaceClassifier(random_state=0).fit(X, y)
clf

# %%
# The rows in most doubt are the ones to look at first.

figure, panels = plt.subplots(1, 8, figsize=(9, 1.6), layout="constrained")
figure.suptitle("The eight digits in most doubt, and what they were called")
for panel, row in zip(panels, clf.doubtful(8), strict=True):
    panel.imshow(X[row].reshape(8, 8), cmap="gray_r")
    panel.set_title(clf.transduction_[row], fontsize=10)
    panel.set_axis_off()
plt.show()
