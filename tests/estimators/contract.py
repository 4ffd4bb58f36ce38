"""What of scikit-learn's contract for estimators cannot be kept."""

EXPECTED_FAILURES = {
    "check_classifiers_classes": "-1 is a class there; here, as in scikit-learn's own semi-supervised "
    "classifiers, it means unknown",
    "check_sample_weight_equivalence_on_dense_data": "a weight is how far a label is trusted: a row of "
    "weight 0 keeps its place in the graph, and a row that comes twice is two vertices",
    "check_sample_weight_equivalence_on_sparse_data": "as for dense data",
}
