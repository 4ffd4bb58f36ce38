"""Drawings as other programs save them in JSON: one program a file."""
