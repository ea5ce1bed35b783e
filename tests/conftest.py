"""Profiles of Hypothesis: the same few examples every time, unless one asks for more.

``HYPOTHESIS_PROFILE=search pytest tests/laws`` looks for new examples, many of them.
"""

from __future__ import annotations

import os

# Workers share the cores already; a BLAS with threads of its own makes them wait for each other. It
# reads this when NumPy is first imported.
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

from hypothesis import HealthCheck, settings  # noqa: E402 - see above

QUIET = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much)

settings.register_profile(
    "ci", max_examples=60, deadline=None, derandomize=True, database=None, suppress_health_check=QUIET
)
settings.register_profile("search", max_examples=1000, deadline=None, suppress_health_check=QUIET)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
