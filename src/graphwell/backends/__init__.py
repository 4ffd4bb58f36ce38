"""Ways to do the arithmetic of a descent. Each engine is one file behind one protocol."""

from graphwell.backends.base import Engine, State, Swept, make_engine

__all__ = ["Engine", "State", "Swept", "make_engine"]
