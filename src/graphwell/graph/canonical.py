"""The order in which a fit sees rows, columns and classes: by their content alone.

Sums and searches, random draws and ties depend on an order. So that nothing of what a user happens to have
chosen does, everything is put into one order first, and the answer is put back:

1. Equal rows become one vertex with a mass: how many rows it stands for. Where equal rows have different
   labels there is a vertex for each of these, and rows without a label join the strongest.
2. Rows, columns and classes are told apart by colour refinement (Weisfeiler and Leman, 1968): the hash of a
   row is made of its values and the hashes of their columns, that of a column of its values and the hashes
   of their rows, that of a class of its labels. Hashes are added up in whole numbers, which know no order.
3. They are sorted by their hashes. What content cannot tell apart keeps the order of the user.

`RowsGraph` is the way back: the graph of a fit as users see it, a vertex for each of their rows.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from graphwell._threads import ThreadPool
from graphwell._types import FloatArray, IntArray
from graphwell.graph.checks import frozen, read_features, read_only
from graphwell.graph.compiled import compiled, inner, seen
from graphwell.graph.components import Bridges
from graphwell.graph.graph import Graph, Origin, products_of_masses
from graphwell.graph.knn import check_columns
from graphwell.memory import available, in_words

ROWS_AT_ONCE = 4096
# Of refinement. A column can be told from others by the rows of its values, after those by their columns;
# a third round tells apart what differs in the labels of rows alone that differ in columns alone.
ROUNDS = 3
BYTES_OF_AN_EDGE = 8
# Of splitmix64 (Steele, Lea, Flood, 2014).
FIRST, SECOND, GOLDEN = (np.uint64(n) for n in (0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0x9E3779B97F4A7C15))


@inner
def mixed(x: Any) -> Any:
    """A hash of whole numbers of 64 bits: the last steps of splitmix64."""
    x = (x ^ (x >> np.uint64(30))) * FIRST
    x = (x ^ (x >> np.uint64(27))) * SECOND
    return x ^ (x >> np.uint64(31))


mix = mixed.py_func


@compiled(nogil=True)
def _refine(
    indptr: IntArray, indices: IntArray, bits: IntArray, columns: IntArray, rows: IntArray, sums: IntArray
) -> None:
    """Replace what rows have of their own by their hashes, and add their cells to the sums of the columns."""
    for i in range(len(rows)):
        total = rows[i]
        for at in range(indptr[i], indptr[i + 1]):
            if bits[at] != 0:
                total += mixed(bits[at] + columns[indices[at]])
        rows[i] = mixed(total)
        for at in range(indptr[i], indptr[i + 1]):
            if bits[at] != 0:
                sums[indices[at]] += mixed(bits[at] + rows[i])


def bits_of(values: Any) -> IntArray:
    """The bits of numbers, or of those in double precision that they equal; those of zero are 0."""
    return (np.asarray(values, dtype=np.float64) + 0.0).view(np.uint64)


def refined(X: Any, columns: IntArray, own: IntArray, n_threads: int) -> tuple[IntArray, IntArray]:
    """Hashes of rows, by those of columns and by what each has of its own; and new ones of columns."""
    rows, pool = own.copy(), ThreadPool(n_threads)
    columns = seen(columns)
    together = max(ROWS_AT_ONCE, X.shape[1] // 8)  # each part has a sum for every column

    def some(first: int) -> IntArray:
        part, sums = slice(first, first + together), np.zeros(X.shape[1], np.uint64)
        here = X[part]
        if sparse.issparse(X):
            starts, numbers, values = here.indptr, here.indices, here.data
        else:
            m, d = here.shape
            starts, values = np.arange(m + 1, dtype=np.int32) * d, here.ravel()
            numbers = np.tile(np.arange(d, dtype=np.int32), m)
        _refine(seen(starts), seen(numbers), seen(bits_of(values)), columns, rows[part], sums)
        return sums

    sums = pool.results(some, range(0, X.shape[0], together))
    return rows, mix(np.sum(sums, axis=0, dtype=np.uint64))


def stored_once(X: Any) -> Any:
    """Rows, each entry of sparse ones stored once."""
    if sparse.issparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def equal_rows(*blocks: Any, n_threads: int = 1) -> IntArray:
    """Number of each row of some matrices, as they come: equal rows have one, by 64 bits of a hash."""
    hashes = [np.zeros(0, np.uint64)]
    for X in blocks:
        places = mix(np.arange(1, X.shape[1] + 1, dtype=np.uint64) * GOLDEN)
        hashes.append(refined(stored_once(X), places, np.zeros(X.shape[0], np.uint64), n_threads)[0])
    _, first, groups = np.unique(np.concatenate(hashes), return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[groups]


def collected(places: IntArray, hashes: IntArray, count: int) -> IntArray:
    """Sum of the hashes at each place."""
    sums = np.zeros(count, np.uint64)
    np.add.at(sums, places, hashes)
    return sums


@dataclass(frozen=True, eq=False)
class Canonical:
    """The order of a fit, and the way back to the user's."""

    vertices: IntArray  # vertex of each row of the user
    columns: IntArray | None  # number that the user knows each column by; None where there are none
    classes: IntArray  # number that the user knows each class by

    @cached_property
    def firsts(self) -> IntArray:
        """A row of each vertex."""
        found = np.empty(int(self.vertices.max()) + 1, np.int64)
        found[self.vertices[::-1]] = np.arange(len(self.vertices))[::-1]
        return found

    @cached_property
    def copies(self) -> IntArray:
        """Number of rows of each vertex."""
        return np.bincount(self.vertices)

    @cached_property
    def class_places(self) -> IntArray:
        """Place of each of the user's classes in the order of the fit."""
        return np.argsort(self.classes)

    def arranged(self, X: Any) -> Any:
        """One row for each vertex, columns in the order of the fit."""
        if sparse.issparse(X):
            return self.of_new_rows(X[self.firsts])
        found = np.empty((len(self.firsts), X.shape[1]), X.dtype)
        for begin in range(0, len(found), ROWS_AT_ONCE):
            some = slice(begin, begin + ROWS_AT_ONCE)
            found[some] = X[self.firsts[some]][:, self.columns]
        return found

    def of_new_rows(self, X: Any) -> Any:
        """New rows with their columns in the order of the fit."""
        if self.columns is None:
            return X
        X = X[:, self.columns]
        if sparse.issparse(X):
            X.sort_indices()
        return X

    def by_class(self, values: Any) -> Any:
        """Values of the classes, in the last axis, in the user's order."""
        return values[..., self.class_places]

    def class_numbers(self, labels: IntArray) -> IntArray:
        """Class of each row as the user numbers them, from the classes of the vertices."""
        return self.classes[labels][self.vertices].astype(labels.dtype)


@dataclass(frozen=True, eq=False)
class Arranged:
    """Labels in the order of a fit."""

    order: Canonical
    codes: IntArray  # class of each vertex, -1 where it is unknown
    masses: FloatArray | None  # rows that each vertex stands for; None if each is one
    strengths: FloatArray | None  # how often, or how strongly, its label was given; None if once everywhere
    groups: IntArray | None  # equal where vertices with a label have equal rows; None if none have


def arrange(
    content: IntArray,
    X: Any,
    codes: IntArray,
    trust: FloatArray | None,
    class_keys: IntArray,
    n_threads: int,
) -> Arranged:
    """Put rows, columns and classes into their order.

    `X` has a row for each content, None if there are no rows; `class_keys` are what classes are known by
    besides their labels. A row with a label that is trusted twice counts as two.
    """
    n_contents, n_classes = int(content.max()) + 1, len(class_keys)
    known = np.flatnonzero(codes >= 0)
    weights = np.ones(len(known)) if trust is None else trust[known]
    pairs = content[known] * n_classes + codes[known]
    ranked = np.lexsort((weights, pairs))  # sums of weights know an order
    pairs, starts = np.unique(pairs[ranked], return_index=True)
    strength, mass = (
        np.add.reduceat(each[ranked], starts) if len(starts) else np.zeros(0)
        for each in (weights, np.maximum(weights, 1.0))
    )
    of, given = pairs // n_classes, pairs % n_classes
    own_mass = np.bincount(content[codes < 0], minlength=n_contents).astype(np.float64)
    rows, columns = mix(bits_of(own_mass)), np.zeros(X.shape[1], np.uint64)
    labels, classes = mix(bits_of(strength) + mix(bits_of(mass))), mix(class_keys)
    for _ in range(ROUNDS):
        own = rows + collected(of, mix(labels + classes[given]), n_contents)
        rows, columns = refined(X, columns, own, n_threads)
        classes = mix(classes + collected(given, mix(labels + rows[of]), n_classes))
    first = np.full(n_contents, len(content))
    np.minimum.at(first, content, np.arange(len(content)))
    in_order, by_class = np.lexsort((first, rows)), np.argsort(classes, kind="stable")
    place, class_place = np.argsort(in_order), np.argsort(by_class)
    # A vertex for each content and label of it, and for a content without one; rows without a label join
    # the strongest. Vertices are numbered by both.
    ranked = np.lexsort((-class_place[given], strength))
    strongest = np.full(n_contents, -1)
    strongest[of[ranked]] = class_place[given[ranked]]
    own_class = np.where(codes >= 0, np.append(class_place, -1)[codes], strongest[content])
    width = n_classes + 1
    numbers, vertices = np.unique(place[content] * width + own_class + 1, return_inverse=True)
    vertex = np.searchsorted(numbers, place[of] * width + class_place[given] + 1)  # of each label
    joined = np.searchsorted(numbers, place * width + strongest + 1)
    masses, strengths, of_vertices = np.zeros(len(numbers)), np.ones(len(numbers)), numbers % width - 1
    masses[joined] = own_mass
    masses[vertex] += mass
    strengths[vertex] = strength
    groups = None
    if len(np.unique(of)) < len(of):
        groups = np.where(of_vertices >= 0, numbers // width, -1)
    order = Canonical(vertices, np.argsort(columns, kind="stable"), by_class)
    return Arranged(
        order,
        of_vertices.astype(codes.dtype),
        None if (masses == 1).all() else masses,
        None if (strengths == 1).all() else strengths,
        groups,
    )


def order_of(X: Any, n_threads: int, *, columns: bool = True) -> Canonical:
    """The order of rows without labels, and of their columns; each row is a vertex of its own."""
    n = X.shape[0]
    check_columns(X)
    none = np.full(n, -1), None, np.zeros(0, np.uint64)
    order = arrange(np.arange(n), stored_once(X), *none, n_threads).order
    return order if columns else replace(order, columns=np.arange(X.shape[1]))


def graph_of_rows(graph: Graph, order: Canonical) -> Graph:
    """The graph of a user's rows, from that of the same rows in another order."""
    W = graph.W[order.vertices][:, order.vertices].tocsr()
    W.sort_indices()
    return Graph(frozen(W), origin_of_rows(graph.origin, order), graph.sharpness)


@dataclass(frozen=True, eq=False)
class InOrder:
    """A graph with its vertices in the order of their weights, and the way back."""

    graph: Graph
    order: Canonical
    hashes: IntArray  # of the vertices in that order


def in_order_of_weights(graph: Graph, n_threads: int) -> InOrder | None:
    """A given graph in an order that its weights alone decide; None if they do not tell all vertices apart.

    It is kept with the graph, so that fits and questions share one, and its engine.
    """
    found: InOrder | None = graph.__dict__.get("_in_order")
    if found is None and "_in_order" not in graph.__dict__:
        rows = columns = np.zeros(graph.n_vertices, np.uint64)
        for _ in range(ROUNDS):
            rows, columns = refined(graph.W, columns, rows, n_threads)
        firsts = np.argsort(rows)
        if (np.diff(rows[firsts]) > 0).all():
            order = Canonical(np.argsort(firsts), None, np.zeros(0, np.int64))
            found = InOrder(graph_of_rows(graph, replace(order, vertices=firsts)), order, rows[firsts])
        graph.__dict__["_in_order"] = found
    return found


def order_of_classes(
    codes: IntArray, weights: FloatArray, hashes: IntArray, class_keys: IntArray
) -> IntArray:
    """Classes in an order that their labels decide: hashes of vertices, and how often each was given."""
    known = np.flatnonzero(codes >= 0)
    labels = mix(bits_of(weights[known]) + hashes[known])
    sums = collected(codes[known], labels, len(class_keys))
    return np.argsort(mix(mix(class_keys) + sums), kind="stable")


def origin_of_rows(origin: Origin | None, order: Canonical) -> Origin | None:
    """Origin of the graph of a user's rows, from that of the graph of its vertices."""
    if origin is None:
        return None
    scales, before = origin.scales[order.vertices], origin.order
    if before is not None:
        order = replace(before, vertices=before.vertices[order.vertices])
    return replace(origin, scales=scales, order=order)


class RowsGraph(Graph):
    """The graph of all rows, made when it is asked for from `plain`, whose vertices stand for equal rows.

    Equal rows have the same neighbours and weights, and no edge among themselves.
    """

    plain: Graph
    order: Canonical

    def __init__(self, plain: Graph, order: Canonical) -> None:
        self.__dict__.update(plain=plain, order=order, masses=None, sharpness=plain.sharpness)

    @property
    def vertices(self) -> IntArray:
        """Vertex of each row."""
        return self.order.vertices

    @cached_property
    def origin(self) -> Origin | None:
        """Search and scales that the graph was made by."""
        return origin_of_rows(self.plain.origin, self.order)

    @cached_property
    def W(self) -> Any:
        """Affinities of the rows."""
        W = self.plain.W
        if self.plain.masses is not None:
            data = (W.data / products_of_masses(W, self.plain.masses)).astype(W.dtype)
            W = sparse.csr_array((data, W.indices, W.indptr), shape=W.shape)
        copies = self.order.copies
        need = BYTES_OF_AN_EDGE * float(copies @ (sparse.csr_array(W, dtype=bool) @ copies.astype(float)))
        if need > available():
            raise ValueError(
                f"The graph of all rows takes about {in_words(int(need))}, as many are equal; "
                "graph_.plain has one vertex for each of the others."
            )
        # W @ P.T for the columns, P being the indicator of the vertex of each row
        found = W[self.vertices][:, self.vertices].tocsr()
        found.sort_indices()
        return frozen(found)

    @property
    def n_vertices(self) -> int:
        """Number of rows."""
        return len(self.vertices)

    @cached_property
    def components(self) -> IntArray:
        """Number of the connected component of each row, as they are met."""
        found = self.plain.components[self.vertices]
        _, first, found = np.unique(found, return_index=True, return_inverse=True)
        return read_only(np.argsort(np.argsort(first))[found])

    @cached_property
    def bridges(self) -> Bridges | None:
        """Edges that join components without a known row to others."""
        bridges = self.plain.bridges
        if bridges is None:
            return None
        row = self.order.firsts
        return replace(
            bridges, near=row[bridges.near], far=row[bridges.far], rows=bridges.rows[self.vertices]
        )

    @property
    def locality(self) -> IntArray | None:
        """No order is known in which neighbours are near each other."""
        return None

    @property
    def unbridged(self) -> Graph:
        """The graph without bridges."""
        return self if self.plain.bridges is None else RowsGraph(self.plain.unbridged, self.order)

    def affinity_to(self, X: Any) -> Any:
        """Affinities of new rows to the fitted ones."""
        if self.plain.origin is None:
            return super().affinity_to(X)
        return self.plain.affinity_to(self.order.of_new_rows(read_features(X, at_least=1)))[:, self.vertices]

    def __reduce__(self) -> Any:
        return RowsGraph, (self.plain, self.order)
