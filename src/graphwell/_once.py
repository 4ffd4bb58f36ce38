"""A property that is found once, without a lock.

`functools.cached_property` holds one lock for all objects of a class up to Python 3.11. Workers of a cluster
may be threads of one process, which wait for each other inside of such a property.
"""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

Found = TypeVar("Found")


class once(Generic[Found]):  # noqa: N801  it is read like `property`
    """Find a value when it is first asked for, and keep it with the object."""

    def __init__(self, find: Callable[[Any], Found]) -> None:
        self.find, self.__doc__ = find, find.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Found:
        found = self.find(instance)
        instance.__dict__[self.name] = found
        return found
