"""Pictures: their features, their graphs, their seeds, and the files they are read from and written to."""
