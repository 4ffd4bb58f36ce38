"""The experiments of the paper, run through the public interface and set beside its figures.

Each experiment is one file with one function that returns a `Section`: the lines that can be compared, every
single run, and what should be said about them. `expected.toml` holds the values of the paper, ours,
and how far a result may lie from them.
"""
