"""What a cluster cannot do is refused by name."""

from pathlib import Path

import pytest

from graphwell.errors import OptionError
from graphwell.jobs.cluster_options import check_cluster_options
from graphwell.jobs.options import ClassifyOptions


@pytest.mark.parametrize(
    ("told", "changed"),
    [
        ("takes a folder of Parquet files", {"table": Path("pets.csv")}),
        ("writes Parquet", {"output": Path("pets.csv")}),
        ("pca cannot be used with cluster", {"pca": 2}),
    ],
)
def test_what_needs_the_whole_table_is_refused(told, changed):
    options = {"table": Path("pets.parquet"), "cluster": "local"}
    check_cluster_options(ClassifyOptions(**options))
    with pytest.raises(OptionError, match=told):
        check_cluster_options(ClassifyOptions(**{**options, **changed}))
