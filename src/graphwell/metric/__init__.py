"""The metric: from rows as users bring them to the rows that a graph is built on."""
