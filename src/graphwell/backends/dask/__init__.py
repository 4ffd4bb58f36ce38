"""A Dask cluster: rows that no single machine could hold.

Dask schedules, moves and recovers; the arithmetic is that of the CPU engine, block by block. Only `tasks.py`
imports Dask.
"""
