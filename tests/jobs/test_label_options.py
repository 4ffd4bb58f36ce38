"""Options of a table that is labelled by hand."""

from pathlib import Path

from graphwell.io.tables.base import open_table
from graphwell.jobs.label_options import LabelOptions


def test_files_lie_beside_the_table():
    options = LabelOptions(table=Path("data/pets.csv"))
    assert options.labelled == Path("data/pets.labelled.csv")
    assert options.answers == Path("data/pets.answers.csv")
    named = LabelOptions(table=Path("pets.csv"), output=Path("out/done.parquet"))
    assert (named.labelled, named.answers) == (Path("out/done.parquet"), Path("out/done.answers.csv"))


def test_what_is_only_shown_is_no_feature(tmp_path):
    path = tmp_path / "pets.csv"
    path.write_text("photo,weight,x,y,label\na.png,4,0.1,0.2,cat\nb.png,5,0.3,0.4,\n")
    options = {"table": path, "image_column": "photo", "xy": ("x", "y")}
    table = open_table(path)
    assert set(LabelOptions(**options).roles(table).drop) == {"photo", "x", "y"}
    assert set(LabelOptions(**options, features=("weight", "x")).roles(table).drop) == {"photo", "y"}
