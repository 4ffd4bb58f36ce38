"""Attacks on graphwell: one kind a file, each attempt made from a seed that can be replayed."""
