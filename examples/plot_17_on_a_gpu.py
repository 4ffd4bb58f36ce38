"""
On a GPU
========

The same call with ``device="cuda"``. Rows may be NumPy, CuPy or PyTorch arrays; answers come back as what the rows
were. This page is shown and not run: the site is built without a GPU.
"""

import cupy
import numpy as np
from sklearn.datasets import load_digits

import graphwell as gw

X, truth = load_digits(return_X_y=True)
y = gw.datasets.sample_labels(truth, per_class=5, random_state=0)

rows = cupy.asarray(X, dtype=np.float32)  # already on the GPU: used where it lies
clf = gw.DiffuseInterfaceClassifier(device="cuda", random_state=0).fit(rows, y)
print(type(clf.transduction_), float((clf.transduction_ == cupy.asarray(truth)).mean()))
print(clf.timings_)
