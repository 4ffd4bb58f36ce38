"""The compiled loop of `graphwell.solve.assignment`: rows move between classes along cheapest chains."""

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.graph.compiled import compiled


@compiled(nogil=True)
def move_along_chains(
    scores: FloatArray, orders: IntArray, lowest: IntArray, highest: IntArray, large: float, labels: IntArray
) -> int:
    """Move rows until the sizes lie within their bounds and no chain of moves gains; return the moves.

    `orders[k, l]` holds all rows by what a move from `k` to `l` costs, the cheapest first. A row too many or
    too few costs `large`, which is more than any chain. `labels` is changed in place.
    """
    n, n_classes = scores.shape
    sizes = np.zeros(n_classes, np.int64)
    for i in range(n):
        sizes[labels[i]] += 1
    place = np.zeros((n_classes, n_classes), np.int64)
    cost = np.empty((n_classes, n_classes))
    via = np.empty((n_classes, n_classes), np.int64)
    moves = 0
    while True:
        for k in range(n_classes):
            for m in range(n_classes):
                cost[k, m], via[k, m] = (0.0 if k == m else np.inf), m
                if k != m:
                    while place[k, m] < n and labels[orders[k, m, place[k, m]]] != k:
                        place[k, m] += 1
                    if place[k, m] < n:
                        i = orders[k, m, place[k, m]]
                        cost[k, m] = scores[i, k] - scores[i, m]
        for middle in range(n_classes):
            for k in range(n_classes):
                for m in range(n_classes):
                    if cost[k, middle] + cost[middle, m] < cost[k, m] - 1e-15:
                        cost[k, m] = cost[k, middle] + cost[middle, m]
                        via[k, m] = via[k, middle]
        best, giver, taker = -1e-12, -1, -1
        for k in range(n_classes):
            for m in range(n_classes):
                if k != m and sizes[k] > 0:
                    gives = -large if sizes[k] > highest[k] else (large if sizes[k] <= lowest[k] else 0.0)
                    takes = -large if sizes[m] < lowest[m] else (large if sizes[m] >= highest[m] else 0.0)
                    if gives + takes + cost[k, m] < best:
                        best, giver, taker = gives + takes + cost[k, m], k, m
        if giver < 0:
            return moves
        k = giver
        while k != taker:
            following = via[k, taker]
            i = orders[k, following, place[k, following]]
            labels[i] = following
            for m in range(n_classes):
                if m != following:
                    key, low, high = scores[i, following] - scores[i, m], 0, place[following, m]
                    while low < high:
                        middle = (low + high) // 2
                        j = orders[following, m, middle]
                        if scores[j, following] - scores[j, m] < key:
                            low = middle + 1
                        else:
                            high = middle
                    place[following, m] = low
            moves += 1
            k = following
        sizes[giver] -= 1
        sizes[taker] += 1
