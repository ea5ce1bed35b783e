"""The algorithms by name, each one expression over `Policy`."""

from __future__ import annotations

from slatewise.indices import Mean, UpperConfidence
from slatewise.models import KernelModel, LinearModel, NoModel
from slatewise.models.base import Model
from slatewise.models.kernel import Kernel
from slatewise.oracles import BestOf, BestStart, CostBenefitGreedy, Greedy, Oracle, RandomList, ThresholdSweep
from slatewise.policies.policy import Policy
from slatewise.widths import PracticalWidth, Width

DEFAULT_WIDTH = PracticalWidth(norm_bound=0.01, r1=0.1, r2=1.0, delta=0.1)
"""β_t for rewards in [0, 1]: the experiments' parameters."""


def afsm_ucb(  # noqa: PLR0913 - the algorithm's parameters
    *,
    regularization: float = 1.0,
    width: Width = DEFAULT_WIDTH,
    epsilon: float = 0.3,
    nu: float = 0.01,
    nu_max: float = 1.0,
    kernel: Kernel | None = None,
) -> Policy:
    """Return AFSM-UCB, the paper's algorithm: UCB scores and a threshold sweep.

    Parameters
    ----------
    regularization
        λ.
    width
        β_t; the experiments' by default.
    epsilon
        ε: each threshold is 1 + ε times the one before.
    nu, nu_max
        ν ≤ max_e f({e}) ≤ ν'.
    kernel
        A kernel on contexts and features (scikit-learn's, or a function); linear where none is given.

    Examples
    --------
    >>> import slatewise as sw
    >>> sw.afsm_ucb().oracle.epsilon
    0.3
    """
    model: Model = LinearModel(regularization=regularization)
    if kernel is not None:
        model = KernelModel(kernel, regularization=regularization)
    oracle = ThresholdSweep(epsilon=epsilon, nu=nu, nu_max=nu_max)
    return Policy(model=model, index=UpperConfidence(width), oracle=oracle)


def lsb_greedy(*, regularization: float = 1.0, width: Width = DEFAULT_WIDTH) -> Policy:
    """Return LSBGreedy: always the item of the best UCB.

    Parameters
    ----------
    regularization
        λ.
    width
        β_t; the experiments' by default.

    Examples
    --------
    >>> import slatewise as sw
    >>> sw.lsb_greedy().oracle
    Greedy()
    """
    return _linear_ucb(regularization, width, Greedy())


def sm_ucb(kernel: Kernel, *, regularization: float = 1.0, width: Width = DEFAULT_WIDTH) -> Policy:
    """Return SM-UCB: LSBGreedy with a kernel.

    Parameters
    ----------
    kernel
        On contexts and features: scikit-learn's, or a function of two arrays of rows.
    regularization
        λ.
    width
        β_t; the experiments' by default.

    Examples
    --------
    >>> from sklearn.gaussian_process.kernels import RBF
    >>> import slatewise as sw
    >>> sw.sm_ucb(RBF(0.5)).model.kernel
    RBF(length_scale=0.5)
    """
    model = KernelModel(kernel, regularization=regularization)
    return Policy(model=model, index=UpperConfidence(width), oracle=Greedy())


def c_greedy(*, regularization: float = 1.0, width: Width = DEFAULT_WIDTH) -> Policy:
    """Return CGreedy: the better of the greedy list and the cost-benefit list, by their list UCB.

    Parameters
    ----------
    regularization
        λ.
    width
        β_t; the experiments' by default.

    Examples
    --------
    >>> import slatewise as sw
    >>> sw.c_greedy().oracle
    BestOf(oracles=(Greedy(), CostBenefitGreedy()))
    """
    return _linear_ucb(regularization, width, BestOf(Greedy(), CostBenefitGreedy()))


def mcs_greedy(*, regularization: float = 1.0, width: Width = DEFAULT_WIDTH) -> Policy:
    """Return MCSGreedy: the best start of at most three items, then by UCB for its cost.

    Parameters
    ----------
    regularization
        λ.
    width
        β_t; the experiments' by default.

    Examples
    --------
    >>> import slatewise as sw
    >>> sw.mcs_greedy().oracle
    BestStart(size=3, max_candidates=200)
    """
    return _linear_ucb(regularization, width, BestStart(3))


def cost_benefit_greedy(*, regularization: float = 1.0, width: Width = DEFAULT_WIDTH) -> Policy:
    """Return the rule by ratio alone: always the item of the best UCB for its cost.

    Parameters
    ----------
    regularization
        λ.
    width
        β_t; the experiments' by default.

    Examples
    --------
    >>> import slatewise as sw
    >>> sw.cost_benefit_greedy().oracle
    CostBenefitGreedy()
    """
    return _linear_ucb(regularization, width, CostBenefitGreedy())


def random_policy() -> Policy:
    """Return RANDOM: any item that fits, until none does.

    Examples
    --------
    >>> import slatewise as sw
    >>> sw.random_policy().oracle
    RandomList()
    """
    return Policy(model=NoModel(), index=Mean(), oracle=RandomList())


def _linear_ucb(regularization: float, width: Width, oracle: Oracle) -> Policy:
    model = LinearModel(regularization=regularization)
    return Policy(model=model, index=UpperConfidence(width), oracle=oracle)
