"""
Who sides with whom: NetworkX
=============================

Zachary's karate club split in two after a quarrel. From the two leaders alone, and who meets whom outside the club,
graphwell tells the side of everybody else.
"""

import matplotlib.pyplot as plt
import networkx as nx

import graphwell as gw

club = nx.karate_club_graph()
leaders = {0: "Mr. Hi", 33: "Officer"}
graph = gw.Graph.from_networkx(club)  # edges with a weight keep it
print(graph)

# %%
# Labels go in the order of ``club.nodes``; None is unknown. Answers go back as attributes of the nodes.

clf = gw.DiffuseInterfaceClassifier(random_state=0).fit(graph, [leaders.get(node) for node in club])
nx.set_node_attributes(club, dict(zip(club, clf.transduction_.tolist(), strict=True)), "side")
nx.set_node_attributes(
    club, dict(zip(club, clf.label_distributions_.max(axis=1).tolist(), strict=True)), "score"
)
wrong = [node for node, data in club.nodes(data=True) if data["side"] != data["club"]]
print(f"{len(club) - len(wrong)} of {len(club)} members on the side that they took; wrong: {wrong}")

# %%
place = nx.spring_layout(club, seed=4)
figure, panel = plt.subplots(figsize=(8, 5), layout="constrained")
nx.draw_networkx_edges(club, place, ax=panel, edge_color="0.8")
for side, colour in {"Mr. Hi": "tab:blue", "Officer": "tab:orange"}.items():
    members = [node for node in club if club.nodes[node]["side"] == side]
    sizes = [600 if node in leaders else 180 for node in members]
    nx.draw_networkx_nodes(club, place, members, sizes, colour, ax=panel, label=side)
nx.draw_networkx_nodes(
    club, place, wrong, 180, "none", edgecolors="black", linewidths=2, ax=panel, label="wrong"
)
nx.draw_networkx_labels(club, place, {node: str(node) for node in club}, font_size=7, ax=panel)
panel.set_title("The two large ones were known")
panel.legend(frameon=False, markerscale=0.5)
panel.set_axis_off()
plt.show()
