"""What of scikit-learn's contract for estimators cannot be kept."""

EXPECTED_FAILURES = {
    "check_classifiers_classes": "-1 is a class there; here, as in scikit-learn's own semi-supervised "
    "classifiers, it means unknown",
}
