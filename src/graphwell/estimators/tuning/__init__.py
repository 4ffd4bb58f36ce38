"""How rows are compared, and what is stacked with the graph: chosen by held-out labels."""
