"""Tables in files: read, labelled, and written back with every cell as it came."""

from graphwell.io.tables.base import Table
from graphwell.io.tables.registry import read_table, write_table

__all__ = ["Table", "read_table", "write_table"]
