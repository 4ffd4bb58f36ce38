"""
Classify short texts
====================

Words become counts, counts become a graph, and a few labelled notes label the rest. A logistic regression is strong on
text, so graphwell stacks one with the graph.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

import graphwell as gw

TOPICS = {
    "kitchen": "flour oven butter sugar bake dough pan salt taste spoon recipe egg knead crust",
    "garden": "soil seed water plant leaf sun prune root bloom weed compost spade frost bud",
    "workshop": "wood saw nail glue plane drill screw sand bench clamp joint oak varnish cut",
}
COMMON = "the a first then some more with until again well today little good take make keep"
rng = np.random.default_rng(0)


def note(topic):
    own = rng.choice(TOPICS[topic].split(), 4)
    other = rng.choice(" ".join(TOPICS.values()).split(), 2)
    return " ".join(rng.permutation([*own, *other, *rng.choice(COMMON.split(), 6)]))


topics = np.array(list(TOPICS))
truth = rng.integers(0, 3, 1200)
notes = [note(topics[t]) for t in truth]
print(notes[0])

# %%
X = TfidfVectorizer().fit_transform(notes)
sizes, right = (2, 5, 10, 20, 40), {"logistic regression": [], "graphwell": []}
for per_class in sizes:
    y = gw.datasets.sample_labels(truth, per_class=per_class, random_state=1)
    known = y >= 0
    plain = LogisticRegression(C=10).fit(X[known], y[known]).predict(X)
    clf = gw.DiffuseInterfaceClassifier(random_state=0).fit(X, y)
    for name, labels in (("logistic regression", plain), ("graphwell", clf.transduction_)):
        right[name].append(100 * np.mean(labels[~known] == truth[~known]))

# %%
figure, panel = plt.subplots(figsize=(6, 3.6), layout="constrained")
for name, values in right.items():
    panel.plot(sizes, values, marker="o", label=name)
panel.set(
    xscale="log", xticks=sizes, xlabel="labels per topic", ylabel="% right", title="1,200 notes, three topics"
)
panel.set_xticks(sizes, [str(size) for size in sizes])
panel.minorticks_off()
panel.legend(frameon=False)
plt.show()
