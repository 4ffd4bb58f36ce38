"""A part of a folder by itself: read, and written with its answers."""

import numpy as np
import pandas as pd
import pytest

from graphwell.io.parquet import row_groups
from graphwell.jobs.parts_of_a_folder import InThisProcess, OnWorkers, PartWriter, part_features
from tests.jobs.tables import blobs


@pytest.fixture
def folder(tmp_path):
    """The blobs in two files."""
    pytest.importorskip("pyarrow")
    (tmp_path / "in.parquet").mkdir()
    for number, rows in enumerate(np.array_split(np.arange(120), 2)):
        blobs().iloc[rows].to_parquet(tmp_path / "in.parquet" / f"{number}.parquet", index=False)
    return tmp_path


def test_a_part_is_read_and_written_by_itself(folder):
    part = row_groups(folder / "in.parquet")[1]
    assert part_features(part, ("x", "y")).shape == (60, 2)
    scores = np.tile([0.75, 0.25], (60, 1))
    reachable = np.arange(60) > 0
    write = PartWriter(str(folder), "label", ("ant", "bee"), bridges=True)
    assert write(part, 3, np.zeros(60, bool), np.zeros(60, int), scores, reachable, ~reachable) == 60
    after = pd.read_parquet(folder / "part-00003.parquet")
    assert after.graphwell_label.isna().tolist() == [True] + [False] * 59
    assert after.graphwell_bridged.tolist() == [True] + [False] * 59
    assert set(after.graphwell_label[1:]) == {"ant"}
    assert set(after.graphwell_score[1:]) == {0.75}


def test_a_feature_that_is_no_number_is_named_with_its_row(folder):
    part = row_groups(folder / "in.parquet")[0]
    with pytest.raises(ValueError, match=r"0\.parquet, row 1: the feature 'name' is .*, which is no number"):
        part_features(part, ("x", "name"))


def test_workers_read_and_write_what_one_process_does(folder, request):
    pytest.importorskip("distributed")
    request.getfixturevalue("client")
    parts = row_groups(folder / "in.parquet")
    n, rng = sum(part.n_rows for part in parts), np.random.default_rng(0)
    answers = (rng.integers(2, size=n), rng.random((n, 2)), rng.random(n) < 0.9, np.zeros(n, bool))
    frames = []
    for place in (InThisProcess(), OnWorkers()):
        out = folder / type(place).__name__
        out.mkdir()
        X = place.features(parts, ("x", "y"))
        rows = np.asarray(X)
        if isinstance(place, OnWorkers):
            import dask.array as da

            given = [da.from_array(a, chunks=(X.chunks[0], *a.shape[1:])) for a in answers]
        else:
            given = list(answers)
        place.write(
            PartWriter(str(out), "label", ("ant", "bee"), bridges=False), parts, np.ones(n, bool), given
        )
        frames.append((rows, pd.read_parquet(out)))
    (one, here), (many, there) = frames
    np.testing.assert_array_equal(one, many)
    pd.testing.assert_frame_equal(here, there)
