"""Names for the array types that signatures speak of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]
Items: TypeAlias = Sequence[int] | Ints
Array: TypeAlias = npt.NDArray[Any]
