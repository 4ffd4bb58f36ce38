"""Tables in files: read as data frames, labelled, and written back with every cell as it came."""

from graphwell.io.tables.base import NEW_NAMES, NewColumns, Table, open_table, read_table, write_table

__all__ = ["NEW_NAMES", "NewColumns", "Table", "open_table", "read_table", "write_table"]
