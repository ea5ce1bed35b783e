"""An explanation says what a second computation, from nothing but the definitions, finds."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF

import slatewise as sw

from .worlds import NAMES, D, home, nameless, tomorrow

CONTEXT = np.array([1.0, -0.5])
WIDTH = sw.ConstantWidth(0.3)
Scores = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


def contextual(oracle):
    """A policy that learns from contexts."""
    return sw.Policy(model=sw.LinearModel(n_context=2), index=sw.UpperConfidence(WIDTH), oracle=oracle)


POLICIES = {
    "linear": sw.afsm_ucb(width=WIDTH),
    "linear, a further oracle": sw.Policy(
        model=sw.LinearModel(),
        index=sw.UpperConfidence(WIDTH),
        oracle=sw.ThresholdSweep(also=(sw.Greedy(), sw.CostBenefitGreedy())),
    ),
    "two lists": sw.c_greedy(width=WIDTH),
    "contextual": contextual(sw.ThresholdSweep()),
    "kernel": sw.afsm_ucb(kernel=RBF(0.6), width=WIDTH),
    "random": sw.random_policy(),
    "sampling": sw.Policy(model=sw.LinearModel(), index=sw.PosteriorSample(), oracle=sw.ThresholdSweep()),
    "known": sw.Policy(model=sw.KnownWeights([0.2, 0.5, 0.1]), index=sw.Mean(), oracle=sw.ThresholdSweep()),
}
ROUNDS = {
    "whole": {},
    "tight": {"limits": {"items": 2, "minutes": 3.0}},
    "masked": {"available": np.array([True, False, True, True, True, True]), "exclude": ["d"]},
    "pinned": {"pinned": ["c"]},
    "other items": {"problem": tomorrow(), "exclude": [14]},
    "no ids": {"problem": nameless()},
    "empty": {"limits": {"items": 0}},
}


def told(policy, arguments, seed=3):
    """An agent that has learned a little, its next slate, and the state that it was chosen in."""
    agent = sw.Recommender(home(), policy, seed)
    context = CONTEXT if isinstance(policy.model, sw.LinearModel) and policy.model.n_context else None
    rng = np.random.default_rng(0)
    for _ in range(3):
        slate = agent.select("ada", context)
        agent.update(slate, rng.random(len(slate)))
    state = agent.state("ada")
    return agent, agent.select("ada", context, **arguments), state


def scores(policy, state, slate, drawn=None) -> Scores:
    """μ and σ of rows, from the covariance itself."""
    if isinstance(policy.model, sw.NoModel):
        return lambda x: (np.full(len(x), np.nan), np.full(len(x), np.nan))
    if isinstance(policy.model, sw.KernelModel):
        return state.posterior.at().predict
    if isinstance(policy.model, sw.KnownWeights):
        return lambda x: (x @ np.asarray(policy.model.weights), np.zeros(len(x)))
    if drawn is not None:
        return lambda x: (x @ drawn, np.zeros(len(x)))
    mean, covariance = state.posterior.mean, state.posterior.covariance
    phi = np.ones(1) if slate.context is None else slate.context
    mean = phi @ mean.reshape(len(phi), D)
    covariance = np.einsum("i,igjh,j->gh", phi, covariance.reshape(len(phi), D, len(phi), D), phi)
    return lambda x: (x @ mean, np.sqrt(np.einsum("ig,gh,ih->i", x, covariance, x)))


def drawn_weights(policy, slate):
    """The weights that a posterior sample drew: those under which its slate has the means that it has."""
    if not isinstance(policy.index, sw.PosteriorSample):
        return None
    return np.linalg.lstsq(slate.features, slate.mean, rcond=None)[0]


def round_of(arguments):
    """The problem of a round, with its limits, and which items there were."""
    problem = arguments.get("problem", home()).with_limits(arguments.get("limits", {}))
    mask = np.array(arguments.get("available", np.ones(problem.n_items, dtype=bool)))
    mask[list(problem.positions(arguments.get("exclude", ()), "exclude"))] = False
    return problem, mask


def gains(problem, listed, items):
    """x(e|S), as differences of values."""
    start = problem.value(listed)
    return np.array([problem.value([*listed, item]) - start for item in items]).reshape(-1, D)


def beta_of(policy):
    """β, the same in each round."""
    return WIDTH.value if isinstance(policy.index, sw.UpperConfidence) else 0.0


def name(problem, item):
    """What an item is called."""
    return item if problem.ids is None else problem.ids[item]


@pytest.fixture(params=[(policy, kind) for policy in POLICIES for kind in ROUNDS], ids=" / ".join)
def told_round(request):
    policy, arguments = POLICIES[request.param[0]], ROUNDS[request.param[1]]
    agent, slate, state = told(policy, arguments)
    if isinstance(policy.index, sw.PosteriorSample) and np.linalg.matrix_rank(slate.features) < D:
        score = None
    else:
        score = scores(policy, state, slate, drawn_weights(policy, slate))
    return policy, arguments, agent, slate, score


def test_each_position_says_what_the_item_was_worth(told_round):
    policy, arguments, agent, slate, score = told_round
    problem, mask = round_of(arguments)
    described = agent.explain(slate).to_dict()
    assert described["number"] == slate.number
    assert described["threshold"] == slate.threshold
    assert len(described["positions"]) == len(slate)
    beta, pinned = beta_of(policy), len(arguments.get("pinned", ()))
    for place, (item, told_of) in enumerate(zip(slate.items, described["positions"], strict=True)):
        assert told_of["item"] == name(problem, item)
        prefix = list(slate.items[:place])
        x = gains(problem, prefix, [item])
        adds = {topic["name"]: topic["adds"] for topic in told_of["topics"]}
        assert len(adds) <= 3
        assert all(adds[NAMES[g]] == pytest.approx(x[0, g]) for g in range(D) if NAMES[g] in adds)
        assert bool(adds) == bool((x > 0).any()), "where an item adds anything, something is named"
        if score is None:
            continue
        mean, std = (float(part[0]) for part in score(x))
        if np.isnan(mean):
            assert (
                told_of["expected"]
                is told_of["uncertainty"]
                is told_of["density"]
                is told_of["instead"]
                is None
            )
            continue
        assert told_of["expected"] == pytest.approx(mean, abs=1e-9)
        assert told_of["uncertainty"] == pytest.approx(std, abs=1e-7)
        cost = sum(
            limit.costs[item] / limit.budget
            for limit in problem.constraints
            if isinstance(limit, sw.Knapsack)
        )
        if cost:
            assert told_of["density"] == pytest.approx((mean + beta * std) / cost, abs=1e-6)
        else:
            assert told_of["density"] is None
        free = [other for other in np.flatnonzero(mask) if other not in prefix]
        means, stds = score(gains(problem, prefix, free))
        best = free[int(np.argmax(np.round(means + beta * stds, 9)))]
        expected = None if best == item or place < pinned else name(problem, best)
        assert told_of["instead"] == expected


def test_what_a_topic_is_worth_is_what_is_believed_of_it_times_what_is_added(told_round):
    policy, _, agent, slate, _ = told_round
    if policy == sw.random_policy():
        return
    believed = agent.tastes("ada", slate.context)
    for position in agent.explain(slate).positions:
        for topic in position.topics:
            assert topic.worth == pytest.approx(
                topic.adds * believed.mean[NAMES.index(topic.name)], abs=1e-12
            )
        linear = not isinstance(policy.model, sw.KernelModel) and not isinstance(
            policy.index, sw.PosteriorSample
        )
        if len(position.topics) == D and linear:
            assert sum(topic.worth for topic in position.topics) == pytest.approx(position.expected)


def test_each_limit_says_how_far_it_is_used_up_and_what_it_refuses(told_round):
    _, arguments, agent, slate, _ = told_round
    problem, mask = round_of(arguments)
    lines = agent.explain(slate).to_dict()["limits"]
    described = {limit["limit"]: limit for limit in lines}
    assert list(described) == [limit.name for limit in problem.constraints]
    left = [item for item in np.flatnonzero(mask) if item not in slate.items]
    for limit in problem.constraints:
        alone = sw.Problem(problem.objective, [limit])
        refused = [item for item in left if not alone.feasible([*slate.items, item])]
        told = [line for line in lines if line["limit"] == limit.name]
        assert all(line["binds"] == bool(refused) for line in told)
        if limit.name == "section":
            full = [g for g in range(len(limit.limits)) if limit.members[refused][:, g].any()]
            counts = limit.members[list(slate.items)].sum(axis=0)
            full = [g for g in full if counts[g] >= limit.limits[g]]
            assert [line["refuses"] for line in told if refused] == [
                int(limit.members[refused][:, g].sum()) for g in full
            ]
        else:
            assert [line["refuses"] for line in told] == [len(refused)]
    assert described["items"]["used"] == len(slate)
    assert described["items"]["bound"] == problem.constraints[[*described].index("items")].m
    if "minutes" in described:
        minutes = next(limit for limit in problem.constraints if limit.name == "minutes")
        assert described["minutes"]["used"] == pytest.approx(minutes.costs[list(slate.items)].sum())
        assert described["minutes"]["bound"] == minutes.budget


def swept(policy, problem, mask, pinned, score):
    """The list of each threshold of the grid, by the definition: no prefix shared, nothing skipped."""
    beta = beta_of(policy)
    r = 2.0 / (problem.k + 2 * problem.n_knapsacks + 1)
    epsilon = policy.oracle.epsilon
    low, high = policy.oracle.nu or 0.01, policy.oracle.nu_max or 1.0
    rho, last = r * low / (1 + epsilon), r * high * problem.n_items
    thresholds = [rho]
    while problem.n_knapsacks and (rho := rho * (1 + epsilon)) <= last:
        thresholds.append(rho)
    found: dict[tuple[int, ...], tuple[float, float]] = {}
    for rho in thresholds:
        listed = list(pinned)
        while True:
            able = [
                item
                for item in np.flatnonzero(mask).tolist()
                if item not in listed and problem.feasible([*listed, item])
            ]
            uppers = []
            for start in (list(pinned), listed):
                mean, std = score(gains(problem, start, able))
                uppers.append(mean + beta * std >= rho * problem.costs[able] - 1e-12)
            upper = np.where(uppers[0] & uppers[1], mean + beta * std, -np.inf) if able else np.zeros(0)
            if not len(upper) or np.isneginf(upper).all():
                break
            listed.append(able[int(np.argmax(np.round(upper, 9)))])
        x = np.array([gains(problem, listed[:place], [item])[0] for place, item in enumerate(listed)])
        mean, std = score(x.reshape(-1, D))
        found.setdefault(tuple(listed), (rho, float(mean.sum() + 3 * beta * std.sum())))
    return found


@pytest.mark.parametrize("policy", ["linear", "contextual", "kernel"])
@pytest.mark.parametrize("kind", ROUNDS)
def test_rivals_are_the_lists_of_the_other_thresholds(policy, kind):
    policy, arguments = POLICIES[policy], ROUNDS[kind]
    agent, slate, state = told(policy, arguments)
    problem, mask = round_of(arguments)
    pinned = problem.positions(arguments.get("pinned", ()), "pinned")
    lists = swept(policy, problem, mask, pinned, scores(policy, state, slate))
    threshold, score = lists.pop(slate.items)
    assert (slate.threshold, slate.score) == (pytest.approx(threshold), pytest.approx(score))
    rivals = agent.explain(slate).to_dict()["rivals"]
    assert len(rivals) == min(5, len(lists))
    called = {tuple(name(problem, item) for item in items): made for items, made in lists.items()}
    for rival in rivals:
        threshold, score = called[tuple(rival["items"])]
        assert rival["threshold"] == pytest.approx(threshold)
        assert rival["score"] == pytest.approx(score, abs=1e-8)
        assert rival["behind"] == pytest.approx(slate.score - score, abs=1e-8)
        assert rival["behind"] >= -1e-12
    assert all(one["behind"] <= other["behind"] for one, other in pairwise(rivals))


def test_rivals_of_a_sample_are_scored_under_the_draw_that_chose(told_round):
    policy, arguments, agent, slate, _ = told_round
    problem, _ = round_of(arguments)
    explained = agent.explain(slate)
    assert all(rival.items != (slate.ids or slate.items) for rival in explained.rivals)
    assert all(rival.behind >= -1e-12 for rival in explained.rivals), "or the slate would be another"
    assert all(problem.feasible(problem.positions(rival.items, "rival")) for rival in explained.rivals)
    if policy == sw.random_policy():
        assert explained.rivals == ()


# ------------------------------------------------------------------------------ as text, table and values


def test_every_explanation_is_plain_values_text_and_a_table(told_round):
    _, _, agent, slate, _ = told_round
    for shown in (agent.explain(slate), agent.explain(0), agent.tastes("ada", slate.context)):
        plain = shown.to_dict()
        assert json.loads(json.dumps(plain, allow_nan=False)) == plain
        text, table = str(shown), shown._repr_html_()
        assert len({*text.splitlines()}) >= 2
        assert table.startswith("<table>")
    for one in slate.ids or slate.items:
        assert str(one) in str(agent.explain(slate))
        assert f"<td>{one}</td>" in agent.explain(slate)._repr_html_()


def test_looking_twice_tells_the_same_and_changes_nothing(told_round):
    policy, _, agent, slate, _ = told_round
    before = agent.state("ada")
    first = agent.explain(slate).to_dict()
    assert agent.explain(slate.number).to_dict() == first
    assert agent.state("ada") is before
    agent.update(slate, np.linspace(0.0, 1.0, len(slate)))
    assert agent.explain(slate).to_dict() == first, "it tells why it was chosen, not what was learned since"
    twin, _, _ = told(policy, ROUNDS["whole"])
    agent, _, _ = told(policy, ROUNDS["whole"])
    agent.explain(3)
    context = slate.context
    assert agent.select("ada", context).items == twin.select("ada", context).items


HOSTILE = ["<script>alert(1)</script>", "two\nlines", "\x1b[31mred", 'a"b&c', "tab\there"]


def test_names_are_escaped_in_tables_and_cannot_drive_a_terminal():
    topics = sw.ProbabilisticCoverage(
        [[0.5, 0.1], [0.4, 0.3], [0.3, 0.5], [0.2, 0.7], [0.1, 0.9]], names=["<b>bold", "bell\a"]
    )
    limits = [sw.Cardinality(4, name="<i>items"), sw.Knapsack([1.0, 2.0, 3.0, 4.0, 5.0], 12.0, name="a\nb")]
    problem = sw.Problem(topics, limits, ids=HOSTILE)
    agent = sw.Recommender(problem, sw.c_greedy())
    for shown in (agent.explain(agent.select()), agent.tastes()):
        text, table = str(shown), shown._repr_html_()
        assert all(sign.isprintable() or sign == "\n" for sign in text)
        assert "<script" not in table
        assert "<b>" not in table
        assert "<i>" not in table
    explained = agent.explain(0)
    lines = str(explained).split("\n")
    assert len(lines) == 2 + len(explained.positions) + 2 + len(explained.limits) + len(explained.rivals)
    assert {one.item for one in explained.positions} <= set(HOSTILE), "for programs nothing is changed"
    assert "&lt;i&gt;items" in explained._repr_html_()


# ------------------------------------------------------------------------------ earlier rounds


@pytest.mark.parametrize("policy", POLICIES)
def test_an_earlier_slate_is_explained_from_what_it_recorded(policy, tmp_path):
    policy = POLICIES[policy]
    agent, slate, _ = told(policy, ROUNDS["whole"])
    latest = agent.explain(slate)
    agent.update(slate, np.linspace(1.0, 0.0, len(slate)))
    agent.select("ada", slate.context)
    agent.save(tmp_path / "agent")
    loaded = sw.Recommender.load(tmp_path / "agent", tomorrow(), policy)
    for one in (agent, loaded):
        earlier = one.explain(slate.number)
        assert earlier.limits == ()
        assert earlier.rivals == ()
        assert earlier.threshold == latest.threshold
        plain, before = earlier.to_dict(), latest.to_dict()
        assert plain["score"] == before["score"]
        for found, was, x in zip(plain["positions"], before["positions"], slate.features, strict=True):
            assert found["density"] is found["instead"] is None
            assert all(found[key] == was[key] for key in ("item", "expected", "uncertainty"))
            assert all(topic["adds"] == x[NAMES.index(topic["name"])] for topic in found["topics"])
    assert str(loaded.explain(slate.number)) == str(agent.explain(slate.number))
    last = max(loaded._ledger)
    assert loaded.explain(last).limits == (), "the round that it was chosen in is not kept"


def test_an_expired_slate_is_not_explained():
    agent, slate, _ = told(POLICIES["linear"], {})
    agent.expire(before=slate.number + 1)
    with pytest.raises(sw.ArgumentError, match="slate: number 3 has expired"):
        agent.explain(slate)


def test_the_latest_slate_is_the_latest_of_anybody():
    agent, slate, _ = told(POLICIES["linear"], {})
    assert agent.explain(slate).limits
    agent.select("bob")
    assert not agent.explain(slate).limits
    assert agent.explain(slate.number + 1).limits
