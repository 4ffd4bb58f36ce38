"""A small table of pets, with pictures, notes and places."""

import pytest

from graphwell.jobs.labelling import LabelOptions, open_table

LINES = [
    "id,a,b,photo,note,x,y,label",
    "r1,1.0,2.0,one.png,A <b>note</b>,0,1,cat",
    "r2,1.1,2.1,deep/two.png,Another,2,3,",
    "r3,9.0,8.0,three.png,The third,4,5,?",
    "r4,9.1,8.2,four.png,,6,7,dog",
]


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "pets.csv"
    file.write_text("\n".join(LINES) + "\n")
    return file


def opened(path, **options):
    return open_table(LabelOptions(table=path, n_neighbors=1, n_jobs=1, **options))
