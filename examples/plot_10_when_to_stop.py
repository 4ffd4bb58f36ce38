"""
Active learning with a stopping rule
====================================

Ten questions at a time, until a round hardly changes a label. The estimated accuracy, with its 90 % interval, says what you have by then.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import graphwell as gw

X, truth = load_digits(return_X_y=True)
session = gw.active.Session(X)
answers, correct, estimates, changed = [], [], [], []

# %%
# Here the truth answers. The rule: stop when a round of answers changed the labels of less than half a per cent of the rows.

while not changed or changed[-1] > 0.005 * len(X):
    asked = session.suggest(10)
    session.answer(asked, truth[asked])
    labels = session.fit().transduction_
    answers.append(10 * (len(answers) + 1))
    changes = session.label_changes  # None after the first fit
    changed.append(len(X) if changes is None else changes)
    correct.append(np.mean(labels == truth))
    estimates.append(session.accuracy())
print(
    f"{answers[-1]} answers; the last ten changed {changed[-1]} labels; {100 * correct[-1]:.1f} % are correct"
)
print(estimates[-1])

# %%
# Left: labels that changed in each round. Right: the estimate with its interval, and the truth, which you would not have.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
left.bar(answers[1:], changed[1:], width=6, color="#1f6f8b")
left.axhline(0.005 * len(X), color="#b5541c", linestyle="--")
left.set(xlabel="answers", ylabel="labels that changed")
known = [(n, e) for n, e in zip(answers, estimates, strict=True) if e.n_checked >= 10]
middle = np.array([100 * e.share for _, e in known])
ends = 100 * np.array([e.interval for _, e in known]).T
right.errorbar(
    [n for n, _ in known],
    middle,
    np.abs(ends - middle),
    fmt="o",
    capsize=4,
    color="#1f6f8b",
    label="estimate",
)
right.plot(answers, 100 * np.array(correct), color="0.5", label="truth")
right.set(xlabel="answers", ylabel="% correct")
right.legend()
plt.show()
