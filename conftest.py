"""Runs the Python examples of README.md and docs/ as tests.

The blocks of one page share their names, from top to bottom, so workers take a page as a whole
(``-n 2 --dist loadfile``). A block that is not meant to run stands after the comment
``<!--- skip: next -->``.
"""

from __future__ import annotations

from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser

pytest_collect_file = Sybil(
    parsers=[PythonCodeBlockParser(), SkipParser()],
    patterns=["README.md", "docs/*.md", "docs/**/*.md"],
).pytest()
