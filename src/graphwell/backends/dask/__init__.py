"""The fit on a Dask cluster: rows that no single machine could hold.

Dask schedules, moves and recovers; the arithmetic is that of the CPU engine, block by block. Only `tasks.py`
imports Dask.
"""

from typing import Any


def is_dask(value: Any) -> bool:
    """Whether a value is a Dask collection; Dask itself is not imported for the question.

    Examples
    --------
    >>> is_dask([[1.0, 2.0]])
    False
    """
    return type(value).__module__.split(".")[0] == "dask"
