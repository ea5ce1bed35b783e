"""Laws of objectives on generated data."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

import slatewise as sw
from slatewise.testing import check_objective

from .strategies import SEEDS, objectives, separable_objectives, tables


@given(st.integers(1, 6).flatmap(objectives), SEEDS)
def test_objectives_are_monotone_and_submodular(objective, seed):
    check_objective(objective, seed=seed)


@given(st.data(), st.integers(1, 6))
def test_sparse_data_gives_what_dense_data_gives(data, n):
    table = data.draw(tables(n, 3))
    items = data.draw(
        st.permutations(range(n)).flatmap(lambda some: st.integers(0, n).map(lambda k: some[:k]))
    )
    for kind in (sw.ProbabilisticCoverage, sw.Modular, sw.FacilityLocation):
        dense, sparse = sw.Problem(kind(table)), sw.Problem(kind(csr_array(table)))
        assert np.array_equal(dense.features(items), sparse.features(items))


@given(st.data(), st.integers(1, 6))
def test_a_separable_objective_is_its_two_scalar_functions(data, n):
    objective = data.draw(separable_objectives(n, 2))
    items = data.draw(st.permutations(range(n)))
    level, state = np.full(2, objective.rule.start), objective.empty()
    for item in items:
        gains = objective.gains(state)
        assert np.array_equal(gains[item], objective.rule.gain(objective.matrix[item], level))
        level, state = objective.rule.step(objective.matrix[item], level), objective.add(state, item)


@given(st.data(), st.integers(1, 5))
def test_a_larger_amount_gains_more_in_a_separable_objective(data, n):
    """What lets the largest amount of a group bound the whole group."""
    objective = data.draw(separable_objectives(n, 2))
    items = data.draw(st.permutations(range(n)))
    state = objective.empty()
    for item in items:
        level = state.levels
        found = objective.rule.gain(np.sort(objective.matrix, axis=0), level)
        assert np.all(np.diff(found, axis=0) >= -1e-12 * np.abs(found).max())
        state = objective.add(state, item)


@given(st.data(), st.integers(2, 6))
def test_permuted_items_have_permuted_gains(data, n):
    table, order = data.draw(tables(n, 2)), data.draw(st.permutations(range(n)))
    first = data.draw(st.integers(0, n - 1))
    for kind in (sw.ProbabilisticCoverage, sw.Modular, sw.FacilityLocation):
        one, other = kind(table), kind(table[order])
        gains = one.gains(one.add(one.empty(), order[first]))
        assert np.array_equal(gains[order], other.gains(other.add(other.empty(), first)))
