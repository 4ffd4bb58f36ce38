"""The scikit-learn face: classifiers on a graph."""
