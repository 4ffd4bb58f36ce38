"""The rows of a table with some labels, read in one way by every job."""

import numpy as np

from graphwell._types import IntArray
from graphwell.errors import OptionError
from graphwell.io.tables.base import Table
from graphwell.jobs.columns import FeatureColumns, named_columns, read_features
from graphwell.jobs.facts import TableFacts, read_given, table_facts
from graphwell.jobs.options import TableOptions
from graphwell.jobs.preprocess import ReadyRows


def read_columns(table: Table, options: TableOptions) -> tuple[TableFacts, FeatureColumns]:
    """What the table says, and its features as numbers."""
    roles = options.roles
    named_columns(table, roles)
    given = read_given(table, roles, options.classes)
    features = read_features(table, roles, given, fill=options.missing == "fill")
    return table_facts(table, roles, given, features, table.names), features


def labels_left(facts: TableFacts, ready: ReadyRows) -> IntArray:
    """Given labels of the rows that are left; every class that had one must still have one."""
    y = facts.given.codes[ready.kept]
    lost = [facts.classes[code] for code in np.setdiff1d(facts.given.codes, np.append(y, -1))]
    if lost:
        problem = 'The class {!r} has labels on rows with missing features alone; use {missing="mean"}.'
        raise OptionError("missing", problem, lost[0])
    return y
