"""Strategies, one a file; `graphwell.active.registry` finds them."""
