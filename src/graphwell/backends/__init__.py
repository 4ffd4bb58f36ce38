"""Where fits run: each place is a folder behind one protocol, listed in one registry."""

from graphwell.backends.base import Backend, Engine, State, Swept
from graphwell.backends.registry import find_backend

__all__ = ["Backend", "Engine", "State", "Swept", "find_backend"]
