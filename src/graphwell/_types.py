"""Names for the array types that cross module borders."""

from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[Any]
IntArray = npt.NDArray[Any]
BoolArray = npt.NDArray[np.bool_]
