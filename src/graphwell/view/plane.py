"""Where rows are drawn: their first two principal components."""

import numpy as np

from graphwell._types import FloatArray


def plane_of(points: FloatArray) -> FloatArray:
    """Two coordinates of each row.

    Examples
    --------
    >>> plane_of(np.array([[1.0], [2.0]]))
    array([[1., 0.],
           [2., 0.]])
    """
    from sklearn.decomposition import PCA

    if points.shape[1] == 1:
        return np.column_stack([points[:, 0], np.zeros(len(points))])
    return np.asarray(PCA(2, random_state=0).fit_transform(points))
