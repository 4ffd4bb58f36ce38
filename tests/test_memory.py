"""What a fit will need."""

from graphwell.memory import fit_bytes, in_words


def test_memory_grows_with_rows_neighbours_and_classes():
    least = fit_bytes(1000, 10, 2)
    assert fit_bytes(2000, 10, 2) == 2 * least
    assert fit_bytes(1000, 20, 2) > least
    assert fit_bytes(1000, 10, 200) > least


def test_bytes_for_people():
    assert [in_words(n) for n in (12_345, 9_990_000, 3e9)] == ["12 kB", "10.0 MB", "3.0 GB"]
