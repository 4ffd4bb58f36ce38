"""Whatever bytes a file holds, the program ends with 0, 1 or 2 and never with a traceback."""

import io
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cli.blobs import classify


def assert_ends_well(content, suffix, *options):
    """Run the command on a file of these bytes; a refused file leaves no output."""
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder) / f"in{suffix}", Path(folder) / f"out{suffix}"
        path.write_bytes(content)
        finished = classify(path, "-o", out, *options)
        assert finished.exit_code in (0, 1, 2), finished.output
        assert "Traceback" not in finished.output
        assert out.exists() == (finished.exit_code < 2)
        assert set(Path(folder).iterdir()) <= {path, out}
        return finished.exit_code


def sound_files():
    """One good table in every format."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(12, 2)).round(3), columns=["x", "y"])
    frame["label"] = ["a", "b", "c"] + [""] * 9
    arrays, parquet = io.BytesIO(), io.BytesIO()
    np.savez(arrays, X=frame[["x", "y"]].to_numpy(), label=frame.label.to_numpy().astype("U"))
    frame.to_parquet(parquet)
    text = frame.to_csv(index=False).encode()
    return {".csv": text, ".npz": arrays.getvalue(), ".parquet": parquet.getvalue()}


SOUND = sound_files()
SUFFIXES = tuple(SOUND)


def test_the_sound_files_are_sound():
    for suffix, content in SOUND.items():
        assert assert_ends_well(content, suffix) < 2


@st.composite
def damaged(draw):
    """A sound file with some bytes replaced, removed or put in."""
    suffix = draw(st.sampled_from(SUFFIXES))
    content = bytearray(SOUND[suffix])
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(content)))
        content[start : start + draw(st.integers(0, 8))] = draw(st.binary(max_size=8))
    return bytes(content[: draw(st.integers(0, len(content)))] if draw(st.booleans()) else content), suffix


@pytest.mark.slow
@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(damaged())
def test_damaged_files(file):
    assert_ends_well(*file)
