"""What a fit will need, before it begins."""

EDGES_PER_NEIGHBOR = 1.8
"""Stored entries of a graph per neighbour that each row chooses: joined where either chose the other."""


def fit_bytes(n_rows: int, n_neighbors: int, n_classes: int) -> int:
    """Memory that a fit takes beyond its input, about: the larger of its two stages.

    Examples
    --------
    >>> fit_bytes(1_000_000, n_neighbors=10, n_classes=10) < 1e9
    True
    """
    entries = EDGES_PER_NEIGHBOR * n_neighbors
    graph = 8 * entries + 4
    lists = n_neighbors * (4 + 8) + 3 * 8 * n_neighbors
    neighbours = graph + lists
    columns = -(-n_classes // 4) * 4
    sharper, layout, system = 4 * entries, 8 * entries + 16, 4 * entries
    vectors = 4 * 4 * columns + 4 * 4 * n_classes + 8 * 20
    start = graph + sharper + layout + system + vectors
    return int(n_rows * max(neighbours, start))


def in_words(n_bytes: float) -> str:
    """Bytes for people.

    Examples
    --------
    >>> in_words(3_200_000), in_words(4_100_000_000)
    ('3.2 MB', '4.1 GB')
    """
    for unit, size in (("GB", 1e9), ("MB", 1e6)):
        if n_bytes >= size:
            return f"{n_bytes / size:.1f} {unit}"
    return f"{n_bytes / 1e3:.0f} kB"
