"""Benchmarks: one question per file. ``python -m benchmarks --help``."""
