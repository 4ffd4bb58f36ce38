"""
Write your own engine
=====================

Solvers are written in a few verbs, and an engine carries them out: on the CPU, on a GPU, or elsewhere. This one counts
what the solver asks of it.
"""

import sys
import types

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import graphwell as gw
from graphwell.backends.base import Backend as CpuBackend
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.backends.registry import BACKENDS, Entry

asked = []


class CountingEngine(NumbaEngine):
    """The compiled engine of the CPU, with a diary."""

    def sweep(self, problem, state, epsilon, step_size, count):
        """Sweep, and write down how many vertices changed class."""
        swept = super().sweep(problem, state, epsilon, step_size, count)
        asked.append((epsilon, count, int(swept.label_changes)))
        return swept


class Backend(CpuBackend):
    """Rows and graphs are those of the CPU."""

    name = "counting"

    def engine(self, graph):
        """Return the engine of a graph."""
        return CountingEngine(graph)


# %%
# In a package of your own this is a module and one line; here the module is made on the spot.

home = types.ModuleType("counting_backend")
home.Backend = Backend
sys.modules[home.__name__] = home
BACKENDS["counting"] = Entry("counting_backend:Backend")

X, truth = load_digits(return_X_y=True)
y = gw.datasets.sample_labels(truth, per_class=5, random_state=0)
clf = gw.DiffuseInterfaceClassifier(
    device="counting",
    start="random",
    schedule=gw.Annealed(2.0, 0.1, ratio=0.8, sweeps=20),
    step_size=0.01,
    random_state=0,
)
clf.fit(X, y)
print(
    f"{sum(count for _, count, _ in asked)} sweeps, {100 * np.mean(clf.transduction_ == truth):.1f} % right"
)

# %%
figure, panel = plt.subplots(figsize=(6, 3.4), layout="constrained")
panel.bar(range(len(asked)), [changes for *_, changes in asked], color="#1f6f8b")
panel.set_xticks(range(len(asked)), [f"{epsilon:.2f}" for epsilon, *_ in asked], rotation=60)
panel.set(
    yscale="symlog", xlabel="epsilon", ylabel="vertices", title="Vertices that change class as epsilon falls"
)
plt.show()

del BACKENDS["counting"]
