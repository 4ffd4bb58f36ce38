"""Tables in files: read, labelled, and written back with every cell as it came."""

from graphwell.tables.formats import read_table, write_table
from graphwell.tables.table import Table

__all__ = ["Table", "read_table", "write_table"]
