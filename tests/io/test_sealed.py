"""Archives with a checksum."""

import numpy as np
import pytest

from graphwell.errors import OptionError
from graphwell.io.sealed import checksum_of, read_sealed, write_sealed


def test_arrays_come_back_and_another_version_is_refused(tmp_path):
    path = tmp_path / "run"
    write_sealed(path, {"labels": np.array([2, 1])}, version=3)
    assert read_sealed(path, version=3)["labels"].tolist() == [2, 1]
    with pytest.raises(OptionError, match=r"later graphwell \(format 3\)"):
        read_sealed(path, version=2)


def test_a_changed_byte_and_a_foreign_file_are_refused(tmp_path):
    path = tmp_path / "run"
    write_sealed(path, {"labels": np.array([2, 1])}, version=1)
    whole = path.read_bytes()
    path.write_bytes(whole.replace(np.array([2, 1]).tobytes(), np.array([2, 2]).tobytes()))
    with pytest.raises(OptionError, match="damaged or no checkpoint"):
        read_sealed(path, version=1)
    path.write_text("label,x")
    with pytest.raises(OptionError, match="damaged or no checkpoint"):
        read_sealed(path, version=1)


def test_the_checksum_sees_names_too():
    one = np.array([1])
    assert checksum_of({"a": one}) != checksum_of({"b": one})
