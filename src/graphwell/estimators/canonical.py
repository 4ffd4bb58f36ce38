"""The way into the order of a fit, and back: rows, labels and parameters in, attributes out.

What the order is, and why: `graphwell.graph.canonical`.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from graphwell._rows import labels_that_differ
from graphwell._threads import thread_count
from graphwell._types import BoolArray, IntArray
from graphwell.backends.base import Backend, Rows, State
from graphwell.errors import LabelWarning, warn_user
from graphwell.estimators.labels import Labels
from graphwell.estimators.tuning.maps import Linear
from graphwell.graph.canonical import (
    Canonical,
    RowsGraph,
    arrange,
    bits_of,
    equal_rows,
    graph_of_rows,
    in_order_of_weights,
    mix,
    order_of_classes,
    stored_once,
)
from graphwell.graph.checks import check_points
from graphwell.graph.graph import Graph
from graphwell.graph.knn import check_columns
from graphwell.solve.descent import Step
from graphwell.solve.fit import Run


def arranged_rows(
    backend: Backend, rows: Rows, labels: Labels, trust: Any, prior: Any
) -> tuple[Rows, Labels, Any]:
    """Rows, labels and trust in an order that content alone decides, equal rows as one."""
    X, threads = rows.values, thread_count(backend.n_jobs)
    check_columns(X)
    X = stored_once(X)
    content = equal_rows(X, n_threads=threads)
    firsts = np.unique(content, return_index=True)[1]
    if len(firsts) == 1:
        check_points(float(X.max()), float(X.min()), differ=False)
    told = labels_that_differ(content, labels.codes, labels.classes.tolist(), np.arange(len(content)))
    if told is not None:
        warn_user(told, LabelWarning)
    some = X if len(firsts) == len(content) else X[firsts]
    found = arrange(content, some, labels.codes, trust, _class_keys(prior, labels.classes), threads)
    order = found.order
    compact = rows.compact
    if isinstance(compact, Linear):
        matrix = compact.matrix[order.columns]
        matrix = matrix[:, np.argsort((matrix != 0).argmax(axis=0), kind="stable")]
        compact = replace(compact, shift=compact.shift[order.columns], matrix=matrix)
    rows = replace(
        rows,
        values=order.arranged(X),
        n_rows=len(found.codes),
        compact=compact,
        order=order,
        masses=found.masses,
    )
    groups, known = found.groups, np.flatnonzero(labels.codes >= 0)
    if labels.groups is not None:  # given: those of the vertices, numbered as they come there
        groups, of = np.full(len(found.codes), -1), order.vertices[known]
        groups[of] = labels.groups[known]
        groups = in_order_of_first(groups)
    labels = Labels(found.codes, labels.classes[order.classes], groups, found.strengths)
    return rows, labels, found.strengths


def arranged_graph(
    backend: Backend, rows: Rows, graph: Graph, labels: Labels, trust: Any, prior: Any
) -> tuple[Rows, Graph, Labels, Any]:
    """A given graph, its labels and their trust, its vertices told apart by weights and labels."""
    graph = graph.unbridged
    keys, threads = _class_keys(prior, labels.classes), thread_count(backend.n_jobs)
    known, own = labels.codes >= 0, in_order_of_weights(graph, threads)
    if own is not None:
        moved, firsts = own.graph, own.order.firsts
        codes, weights = labels.codes[firsts], np.where(known, 1.0 if trust is None else trust, 1.0)[firsts]
        order = replace(own.order, classes=order_of_classes(codes, weights, own.hashes, keys))
        codes = np.append(order.class_places, -1)[codes].astype(codes.dtype)  # the last one is of none
        strengths = None if (weights == 1).all() else weights
    else:  # by their labels too
        found = arrange(np.arange(graph.n_vertices), graph.W, labels.codes, trust, keys, threads)
        order, codes, strengths = replace(found.order, columns=None), found.codes, found.strengths
        firsts = order.firsts
        moved = graph_of_rows(graph, replace(order, vertices=firsts))
    groups = None
    if labels.groups is not None:
        groups = in_order_of_first(np.where(known, labels.groups, -1)[firsts])
    labels = Labels(codes, labels.classes[order.classes], groups, strengths)
    return replace(rows, values=moved, order=order), moved, labels, strengths


def in_order_of_first(groups: IntArray) -> IntArray:
    """Groups, each with the number of its first member; -1 for none."""
    _, first, which = np.unique(groups, return_index=True, return_inverse=True)
    return np.where(groups >= 0, first[which], -1)


def _class_keys(prior: Any, classes: Any) -> IntArray:
    """Keys of the classes besides their labels: the sizes that were given."""
    keys = np.zeros(len(classes), np.uint64)
    if prior is None or isinstance(prior, str):
        return keys
    for number, name in enumerate(classes.tolist()):
        value = prior.get(name, 0.0) if isinstance(prior, dict) else [*prior, *([0.0] * len(classes))][number]
        keys[number] = mix(bits_of(np.ravel(value)) + np.arange(np.size(value), dtype=np.uint64)).sum()
    return keys


def told_in_order(run: Run, order: Canonical) -> Run:
    """The run, whose callback is told of the user's rows and classes."""
    callback = run.callback
    if callback is None:
        return run

    def told(step: Step) -> object:
        labels, offsets = order.class_numbers(step.state.labels), step.state.offsets[order.vertices]
        return callback(replace(step, state=State(labels, offsets)))

    return replace(run, callback=told)


def put_back(found: dict[str, Any], order: Canonical, given: BoolArray) -> dict[str, Any]:
    """Attributes by the rows, columns and classes of the user, who gave some of the labels."""
    vertices, classes = order.vertices, order.by_class(found["classes_"])
    back = {
        **found,
        "classes_": classes,
        "unlabelled_classes_": np.sort(found["unlabelled_classes_"]),
        "class_prior_": order.by_class(found["class_prior_"]),
        "graph_": RowsGraph(found["graph_"], order),
        "label_distributions_": order.by_class(found["label_distributions_"])[vertices],
        **{name: found[name][vertices] for name in ("transduction_", "reachable_", "bridged_")},
    }
    if "result_" in found:
        result = found["result_"]
        labels, offsets = order.class_numbers(result.labels), result.offsets[vertices]
        back["result_"] = replace(result, labels=labels, offsets=offsets)
    issues = found.get("label_issues_")
    if issues is not None:  # of a vertex, those of all rows that had its label
        place = np.full(len(order.firsts), -1)
        place[issues["row"]] = np.arange(len(issues))
        rows = np.flatnonzero(given & (place[vertices] >= 0))
        rows = rows[np.argsort(place[vertices[rows]], kind="stable")]
        back["label_issues_"] = issues.iloc[place[vertices[rows]]].assign(row=rows).reset_index(drop=True)
    tuning = found.get("tuning_")
    if tuning is not None and tuning.held_out is not None:
        held, probabilities = tuning.held_out, order.by_class(tuning.held_out.probabilities)
        held = replace(held, labels=order.classes[held.labels], probabilities=probabilities)
        back["tuning_"] = replace(tuning, held_out=held)
    if "state_" in found:  # its sign is the class
        back["state_"] = found["state_"][vertices] * (1 if (np.diff(order.classes) >= 0).all() else -1)
    return back
