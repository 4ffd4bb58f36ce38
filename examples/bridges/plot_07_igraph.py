"""
Clubs of a school: igraph
=========================

Friendships of 300 pupils in four clubs. Two members of each club are known. igraph keeps the graph and draws it,
graphwell tells the clubs of the others.
"""

import random

import igraph
import matplotlib.pyplot as plt
import numpy as np

import graphwell as gw

rng = np.random.default_rng(0)
truth = np.repeat(np.arange(4), [120, 90, 60, 30])
chance = np.full((4, 4), 0.006) + np.diag([0.06, 0.08, 0.11, 0.2])
met = np.triu(rng.random((300, 300)) < chance[truth][:, truth], k=1)
friends = igraph.Graph(300, np.argwhere(met).tolist())
graph = gw.Graph.from_igraph(friends)  # vertices keep their numbers
print(graph)

# %%
# Answers are attributes of the vertices from then on, and igraph counts with them.

known = gw.datasets.sample_labels(truth, per_class=2, random_state=0)
clf = gw.DiffuseInterfaceClassifier(random_state=0).fit(graph, known)
friends.vs["club"] = clf.transduction_.tolist()
within = np.mean([friends.vs[edge.source]["club"] == friends.vs[edge.target]["club"] for edge in friends.es])
right = 100 * np.mean(clf.transduction_ == truth)
print(
    f"{100 * within:.0f} % of the friendships stay within a club; {right:.1f} % of the pupils are placed rightly"
)

# %%
figure, panels = plt.subplots(1, 2, figsize=(10, 4.6), layout="constrained")
random.seed(0)  # igraph draws from Python's own numbers
place = friends.layout("fr")
for panel, found, title in zip(
    panels, (known, clf.transduction_), ("8 pupils are known", f"{right:.1f} % right"), strict=True
):
    igraph.plot(
        friends,
        target=panel,
        layout=place,
        vertex_color=[plt.cm.tab10(label) if label >= 0 else "lightgray" for label in found],
        vertex_size=[14 if label >= 0 else 7 for label in known],
        vertex_frame_width=0,
        edge_color="#00000018",
    )
    panel.set_title(title)
plt.show()
