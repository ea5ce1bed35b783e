"""What the front door promises, promise by promise."""

from __future__ import annotations

import gc
import tracemalloc
from functools import partial

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF

import slatewise as sw

from .worlds import NAMES, D, coverage, home, keys, nameless, rebuilt, same_slate, table, tomorrow

THOMPSON = sw.Policy(model=sw.LinearModel(), index=sw.PosteriorSample(), oracle=sw.Greedy())


def agent_of(problem=None, policy=None, seed=0):
    """A recommender of the usual problem."""
    return sw.Recommender(problem or home(), policy or sw.afsm_ucb(), seed)


def held(agent):
    """All that an agent holds, part by part the very same objects."""
    ledger = agent._ledger
    return dict(agent._readers), dict(ledger.entries), ledger.next_number, ledger.first_remembered


def check_state(agent, user, log):
    """What is known of a user is what a log says."""
    mean, covariance, logdet, count = rebuilt(agent.policy.model, log)
    posterior = agent.state(user).posterior
    np.testing.assert_allclose(posterior.mean, mean, atol=1e-12)
    np.testing.assert_allclose(posterior.covariance, covariance, atol=1e-12)
    np.testing.assert_allclose(posterior.logdet, logdet, atol=1e-12)
    assert posterior.n_observations == count


# ------------------------------------------------------------------------------ reactions


@pytest.mark.parametrize("problem", [home, tomorrow, nameless])
@pytest.mark.parametrize("by_number", [False, True])
@pytest.mark.parametrize("form", [list, tuple, np.array, "mapping", "mapping, backwards"])
def test_a_reward_a_position_or_a_mapping_that_covers_the_slate(problem, by_number, form):
    agent = agent_of(problem())
    slate = agent.select("ada")
    rewards = [0.5, np.nan, 1.0, 0.0][: len(slate)]
    names = list(slate.ids or slate.items)
    if isinstance(form, str):
        pairs = list(zip(names, rewards, strict=True))
        given = dict(pairs[::-1] if "backwards" in form else pairs)
    else:
        given = form(rewards)
    agent.update(slate.number if by_number else slate, given)
    check_state(agent, "ada", [(slate.features, np.array(rewards), None)])


@pytest.mark.parametrize(
    ("problem", "change", "message"),
    table(
        (
            home,
            lambda right: dict(list(right.items())[1:]),
            "rewards: must cover the slate, but 'b' is missing",
        ),
        (
            home,
            lambda right: right | {"f": 1.0},
            "rewards: must be of the slate's items, but 'f' is not on it",
        ),
        (
            home,
            lambda right: dict(enumerate(right.values())),
            "rewards: must cover the slate, but 'b' is missing",
        ),
        (home, lambda right: right | {0: 1.0}, "rewards: must be of the slate's items, but 0 is not on it"),
        (
            tomorrow,
            lambda right: dict(enumerate(right.values())),
            "rewards: must cover the slate, but 1. is miss",
        ),
        (
            nameless,
            lambda right: {str(key): 1.0 for key in right},
            "rewards: must cover the slate, but . is miss",
        ),
        (
            home,
            lambda right: right | {"b": np.inf},
            r"rewards: must be finite or NaN, but rewards\[0\] is inf",
        ),
        (home, lambda right: right | {"b": "much"}, "rewards: must be an array of real numbers"),
        (home, lambda right: right | {"b": None}, r"rewards: must be numbers, but rewards\[0\] is None"),
        (home, lambda right: [1.0], r"rewards: must have shape \(3\), but has \(1,\)"),
        (home, lambda right: [[1.0, 1.0, 1.0]], r"rewards: must have shape \(3\), but has \(1, 3\)"),
        (home, lambda right: "yes", "rewards: must have shape"),
        (home, lambda right: None, "rewards: must have shape"),
    ),
)
def test_keys_are_ids_where_there_are_ids_else_indices_and_never_a_mixture(problem, change, message):
    agent = agent_of(problem())
    slate = agent.select("ada", pinned=["b"] if problem is home else ())
    if problem is home:
        assert len(slate) == 3
    before = held(agent)
    right = dict.fromkeys(slate.ids or slate.items, 1.0)
    with pytest.raises(sw.ArgumentError, match=message):
        agent.update(slate, change(right))
    assert held(agent) == before
    agent.update(slate, right)


def test_the_same_again_counts_once_and_another_is_an_error():
    agent = agent_of()
    slate = agent.select("ada")
    agent.update(slate, [1.0, np.nan, np.nan])
    agent.update(slate, [1.0, 0.25, np.nan])
    assert agent.state("ada").posterior.n_observations == 2
    assert agent.open_slates.keys() == {0}
    before = held(agent)
    message = r"rewards: must repeat what slate 0 was rewarded with .*, but rewards\[1\] is 0.5"
    with pytest.raises(sw.ArgumentError, match=message):
        agent.update(slate, [1.0, 0.5, 0.75])
    assert held(agent) == before, "not even the position that agrees, or the new one, was learned"
    agent.update(slate, [np.nan, np.nan, 0.75])
    agent.update(slate, [1.0, 0.25, 0.75])
    assert agent.open_slates == {}
    check_state(agent, "ada", [(slate.features, np.array([1.0, 0.25, 0.75]), None)])
    with pytest.raises(sw.ArgumentError, match="must repeat what slate 0"):
        agent.update(slate, [1.0, 0.25, 0.0])


@pytest.mark.parametrize(
    ("hits", "seen", "rewards"),
    table(
        ([0], None, [1.0, 0.0, 0.0]),
        ([], None, [0.0, 0.0, 0.0]),
        ([0, 1, 2], None, [1.0, 1.0, 1.0]),
        ([1], 2, [0.0, 1.0, np.nan]),
        ([2], 1, [0.0, np.nan, 1.0]),
        ([2], 0, [np.nan, np.nan, 1.0]),
        ([], 0, [np.nan, np.nan, np.nan]),
        ([], 3, [0.0, 0.0, 0.0]),
    ),
)
def test_a_click_is_1_the_others_0_down_to_what_was_seen_and_unknown_beyond(hits, seen, rewards):
    agent = agent_of()
    slate = agent.select("ada")
    agent.clicked(slate, {slate.ids[place] for place in hits}, seen=seen)
    check_state(agent, "ada", [(slate.features, np.array(rewards), None)])
    assert bool(agent.open_slates) == bool(np.isnan(rewards).any())


@pytest.mark.parametrize(
    ("items", "seen", "message"),
    table(
        (["nothing"], None, "items: must be of the slate, but 'nothing' is not on it"),
        ([0], None, "items: must be of the slate, but 0 is not on it"),
        ([["b"]], None, r"items: must be of the slate, but \['b'\] is not on it"),
        ("b", None, "items: must be a list, but is 'b'"),
        (5, None, "items: must be a list, but is 5"),
        ([], 4, "seen: must be at most the 3 positions of the slate, but is 4"),
        ([], -1, "seen: must be at least 0, but is -1"),
        ([], 1.5, "seen: must be a whole number, but is 1.5"),
        ([], True, "seen: must be a (whole )?number, but is True"),
    ),
)
def test_a_bad_click_says_what_is_wrong(items, seen, message):
    agent = agent_of()
    slate = agent.select("ada")
    before = held(agent)
    with pytest.raises(sw.ArgumentError, match=message):
        agent.clicked(slate, items, seen)
    assert held(agent) == before


def test_reactions_come_late_and_out_of_order():
    agent = agent_of()
    slates = [agent.select("ada") for _ in range(4)]
    log = []
    for place in (2, 0, 3, 1):
        rewards = np.array([0.0, 1.0, 0.5]) + place / 8
        agent.update(slates[place], rewards)
        log.append((slates[place].features, rewards, None))
    check_state(agent, "ada", log)
    check_state(agent, "ada", log[::-1])


def test_a_slate_that_something_else_chose_is_learned_each_time():
    agent = agent_of()
    slate = tomorrow().slate([4, 3, 0])
    agent.update(slate, [1.0, np.nan, 0.0], user="bob")
    agent.update(slate, {10: 1.0, 11: np.nan, 14: 0.0}, user="bob")
    check_state(agent, "bob", [(slate.features, np.array([1.0, np.nan, 0.0]), None)] * 2)
    assert agent.users == ("bob",)
    assert agent.open_slates == {}
    agent.update(slate, [1.0, 1.0, 1.0])
    assert agent.users == ("bob", None), "whose it is when nobody is named: the one user's"


def test_another_agents_slate_is_told_apart():
    one, other = agent_of(), agent_of(tomorrow())
    one.select()
    slate = other.select()
    with pytest.raises(sw.ArgumentError, match="slate: number 0 is another slate here"):
        one.update(slate, [0.0] * len(slate))
    with pytest.raises(sw.ArgumentError, match="slate: has no number: it was not chosen here"):
        one.clicked(home().slate([0]), [])
    with pytest.raises(sw.ArgumentError, match="slate: has no number: it was not chosen here"):
        one.explain(home().slate([0]))


def test_whose_rewards_they_are_is_known_and_may_be_said():
    agent = agent_of()
    slate = agent.select("ada")
    with pytest.raises(sw.ArgumentError, match="user: is 'bob', but slate 0 was shown to 'ada'"):
        agent.update(slate, [0.0] * len(slate), user="bob")
    agent.update(slate, [0.0] * len(slate), user="ada")


@pytest.mark.parametrize(
    ("slate", "message"),
    table(
        (1, "slate: there is none with the number 1"),
        (-1, "slate: must be at least 0, but is -1"),
        (0.5, "slate: must be a whole number, but is 0.5"),
        (False, "slate: must be a (whole )?number, but is False"),
        ("0", "slate: must be a number, but is '0'"),
        (None, "slate: must be a number, but is None"),
    ),
)
def test_a_slate_that_there_is_none_of(slate, message):
    agent = agent_of()
    agent.select()
    for call in (agent.explain, lambda s: agent.update(s, []), lambda s: agent.clicked(s, [])):
        with pytest.raises(sw.ArgumentError, match=message):
            call(slate)


# ------------------------------------------------------------------------- what is open, and for how long


def test_expired_slates_are_forgotten_and_numbers_go_on():
    agent = agent_of()
    slates = [agent.select("ada") for _ in range(3)]
    agent.update(slates[0], [1.0, 1.0, 1.0])
    agent.update(slates[0], [1.0, 1.0, 1.0])
    assert agent.open_slates.keys() == {1, 2}
    agent.expire(before=2)
    assert agent.open_slates.keys() == {2}
    for gone in (0, 1, slates[1]):
        with pytest.raises(
            sw.ArgumentError, match=r"slate: number \d has expired: slates before 2 are forgotten"
        ):
            agent.update(gone, [1.0, 1.0, 1.0])
    agent.expire(before=1)
    assert agent.open_slates.keys() == {2}, "an earlier date brings nothing back, and takes nothing away"
    agent.expire(before=100)
    assert agent.open_slates == {}
    assert agent.select("ada").number == 3, "no number is given twice, and none is skipped"
    agent.update(3, [0.0, 0.0, 0.0])
    with pytest.raises(sw.ArgumentError, match="before: must be at least 0"):
        agent.expire(before=-1)


def test_an_empty_slate_waits_for_nothing():
    agent = agent_of()
    slate = agent.select("ada", limits={"items": 0})
    assert len(slate) == 0
    assert slate.ids == ()
    assert agent.open_slates == {}
    agent.update(slate, [])
    agent.update(slate, {})
    agent.clicked(slate, [])
    assert agent.state("ada").posterior.n_observations == 0
    assert agent.explain(slate).positions == ()
    assert agent.select("ada").number == 1
    nothing = agent.select("ada", available=np.zeros(6, dtype=bool))
    assert len(nothing) == 0


def test_what_open_slates_gives_cannot_be_used_to_change_anything():
    agent = agent_of()
    slate = agent.select()
    agent.open_slates.clear()
    assert agent.open_slates.keys() == {slate.number}
    with pytest.raises(ValueError, match="read-only"):
        slate.features[0, 0] = 1.0


# ------------------------------------------------------------------------------ users


@pytest.mark.parametrize("user", [None, 0, 12, 2**70, "ada", "", "0", "Zoë 🦊", np.int64(3)], ids=repr)
def test_users_are_none_strings_and_whole_numbers(user, tmp_path):
    agent = agent_of()
    slate = agent.select(user)
    agent.clicked(slate, slate.ids[:1])
    agent.save(tmp_path / "agent")
    loaded = sw.Recommender.load(tmp_path / "agent", home(), sw.afsm_ucb())
    assert loaded.users == agent.users == (user,)
    assert loaded.state(user).posterior.n_observations == 3


@pytest.mark.parametrize(
    ("user", "message"),
    table(
        (-1, "user: must be a string, a whole number of at least 0, or None, but is -1"),
        (0.5, "user: must be a string, a whole number .*, but is 0.5"),
        (True, "user: must be a string, a whole number .*, but is True"),
        (b"ada", "user: must be a string, a whole number .*, but is b'ada'"),
        (("ada", 1), "user: must be a string, a whole number"),
        (np.nan, "user: must be a string, a whole number .*, but is nan"),
        ("\ud800", "user: must be text that can be written as UTF-8"),
    ),
)
def test_other_keys_are_refused(user, message):
    agent = agent_of()
    with pytest.raises(sw.ArgumentError, match=message):
        agent.select(user)
    with pytest.raises(sw.ArgumentError, match=message):
        agent.update(home().slate([0]), [1.0], user=user)
    assert agent.users == ()


def test_users_do_not_share_what_is_learned_nor_what_is_drawn():
    agent = agent_of(policy=THOMPSON)
    firsts = {user: agent.select(user) for user in ("0", 0, "ada", None)}
    assert len({slate.mean.tobytes() for slate in firsts.values()}) == 4
    agent.update(firsts["ada"], [1.0] * len(firsts["ada"]))
    for user in ("0", 0, None, "never met"):
        assert agent.state(user).posterior.n_observations == 0
    alone = agent_of(policy=THOMPSON)
    assert alone.select("ada").items == firsts["ada"].items, "no user's slates depend on who else is there"


def test_a_user_who_was_not_met_is_the_prior():
    model = sw.LinearModel(mean=[0.1, 0.2, 0.3], precision=np.diag([1.0, 2.0, 3.0]))
    policy = sw.Policy(model=model, index=sw.UpperConfidence(sw.ConstantWidth(0.1)), oracle=sw.Greedy())
    agent = agent_of(policy=policy)
    prior = model.prior(D)
    for name in ("mean", "precision", "covariance"):
        assert np.array_equal(getattr(agent.state("who").posterior, name), getattr(prior, name))
    assert agent.users == ()
    assert agent.tastes("who").mean == (0.1, 0.2, 0.3)
    assert agent.users == (), "looking makes no user"
    agent.select("who")
    assert agent.users == ("who",)


def test_a_user_takes_as_much_memory_as_the_docstring_says():
    d, count = 32, 400
    said = 16 * d * (d + 1)
    problem = sw.Problem(sw.Modular(np.random.default_rng(0).random((20, d))), [sw.Cardinality(3)])
    agent = sw.Recommender(problem, sw.lsb_greedy())
    elsewhere = problem.slate([0, 1, 2])
    users = [f"user {number}" for number in range(count)]
    agent.select("first")
    gc.collect()
    tracemalloc.start()
    try:
        start, _ = tracemalloc.get_traced_memory()
        for user in users:
            agent.select(user)
        agent.expire(count + 1)
        gc.collect()
        met, _ = tracemalloc.get_traced_memory()
        for user in users:
            agent.update(elsewhere, [0.0, 1.0, 1.0], user=user)
        gc.collect()
        learned, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (met - start) / count < 300, "one who has not reacted costs some 200 bytes"
    arrays = [
        value for value in vars(agent.state(users[0]).posterior).values() if isinstance(value, np.ndarray)
    ]
    assert sum(array.nbytes for array in arrays) == said
    assert said <= (learned - met) / count < said + 1500


# ------------------------------------------------------------------------------ rounds


def test_limits_of_the_round_hold_for_the_round():
    agent = agent_of()
    assert len(agent.select(limits={"items": 1})) == 1
    assert len(agent.select()) == 3
    minutes = agent.problem.constraints[1].costs
    for budget in (1.0, 2.0, 3.5):
        slate = agent.select(limits={"minutes": budget})
        assert minutes[list(slate.items)].sum() <= budget
    slate = agent.select(limits={"section": [0, 1], "items": 6})
    assert not {"a", "b", "c"} & set(slate.ids)


@pytest.mark.parametrize(
    ("limits", "message"),
    table(
        ({"seconds": 3}, "limits: there is no limit 'seconds'; there are items, minutes, section"),
        ({0: 3}, "limits: there is no limit 0"),
        ({"minutes": 0}, r"limits\['minutes'\]: must be greater than 0"),
        ({"minutes": np.nan}, r"limits\['minutes'\]: must be finite"),
        ({"items": 1.5}, r"limits\['items'\]: must be a whole number"),
        ({"items": -1}, r"limits\['items'\]: must be at least 0"),
        ({"section": [1]}, r"limits\['section'\]: must have shape"),
        (5, "limits: must be a Mapping"),
        ("items", "limits: must be a Mapping"),
    ),
)
def test_a_bad_limit_says_what_is_wrong(limits, message):
    agent = agent_of()
    before = held(agent)
    with pytest.raises(sw.ArgumentError, match=message):
        agent.select(limits=limits)
    assert held(agent) == before


def test_a_limit_without_a_name_or_without_a_bound_is_told_so():
    unnamed = sw.Problem(coverage(4, 0), [sw.Cardinality(2)])
    with pytest.raises(sw.ArgumentError, match="there is no limit 'items'; there are none with a name"):
        agent_of(unnamed).select(limits={"items": 1})
    forest = sw.Problem(coverage(3, 0), [sw.GraphicMatroid([(0, 1), (1, 2), (2, 0)], name="forest")])
    with pytest.raises(sw.ArgumentError, match="'forest' is a GraphicMatroid, which has no bound"):
        agent_of(forest).select(limits={"forest": 1})


@pytest.mark.parametrize("k", [None, 1, 7])
def test_k_is_derived_anew_unless_the_caller_gave_it(k):
    members = np.array([[1, 1, 0], [1, 1, 1], [1, 0, 1], [1, 1, 0]])
    problem = sw.Problem(
        coverage(4, 0), [sw.LabelLimits(members, 1, name="section"), sw.Cardinality(3, name="items")], k
    )
    assert problem.k == (k or 3)
    for bound, derived in ((1, 3), (2, 2), (3, 1), (4, 1), ([4, 1, 1], 2)):
        other = problem.with_limits({"section": bound})
        assert other.k == (k or derived)
        fresh = sw.Problem(problem.objective, [sw.LabelLimits(members, bound), sw.Cardinality(3)], k)
        assert other.k == fresh.k
        assert other.alpha(0.5) == fresh.alpha(0.5)
        narrower = other.among([1, 2])
        afresh = sw.LabelLimits(members[[1, 2]], bound)
        assert narrower.k == sw.Problem(coverage(2, 0), [afresh, sw.Cardinality(3)], k).k


@pytest.mark.parametrize("problem", [home, tomorrow, nameless])
def test_the_slate_under_limits_of_the_round_is_that_of_the_problem_built_with_them(problem):
    whole = problem()
    bounds = {"items": 2, "minutes": 3.0} if whole.n_knapsacks else {"items": 1}
    built = sw.Problem(
        whole.objective,
        [
            limit.with_bound(bounds[limit.name]) if limit.name in bounds else limit
            for limit in whole.constraints
        ],
        ids=whole.ids,
    )
    for policy in (sw.afsm_ucb(), sw.c_greedy(), sw.random_policy(), THOMPSON):
        one, other = agent_of(whole, policy), agent_of(built, policy)
        for user in ("ada", None, 3):
            assert same_slate(one.select(user, limits=bounds), other.select(user))


@pytest.mark.parametrize("problem", [home, tomorrow, nameless])
@pytest.mark.parametrize("policy", [sw.afsm_ucb(), sw.lsb_greedy(), sw.random_policy(), THOMPSON])
def test_excluded_items_stay_away_and_pinned_ones_open_the_slate(problem, policy):
    agent = agent_of(problem(), policy)
    names = keys(agent.problem)
    for out in names:
        slate = agent.select(exclude=[out])
        assert out not in (slate.ids or slate.items)
    for first in names:
        if not agent.problem.feasible(agent.problem.positions([first], "pinned")):
            with pytest.raises(sw.ArgumentError, match=r"pinned: must fit together, but pinned\[0\]"):
                agent.select(pinned=[first])
            continue
        slate = agent.select(pinned=[first])
        assert (slate.ids or slate.items)[0] == first
        assert agent.problem.feasible(slate.items)
    mask = np.arange(len(names)) % 2 == 0
    slate = agent.select(available=mask)
    assert mask[list(slate.items)].all()


@pytest.mark.parametrize(
    ("problem", "arguments", "message"),
    table(
        (
            home,
            {"exclude": ["z"]},
            r"exclude: must hold ids of items, but exclude\[0\] is 'z', which is none",
        ),
        (home, {"exclude": [0]}, r"exclude: must hold ids of items, but exclude\[0\] is 0, which is none"),
        (home, {"exclude": ["a", ["b"]]}, r"exclude: must hold ids of items, but exclude\[1\] is \['b'\]"),
        (home, {"exclude": "a"}, "exclude: must be a list, but is 'a'"),
        (home, {"exclude": ["a", "a"]}, r"exclude: must not hold an item twice, but exclude\[1\]"),
        (home, {"pinned": ["z"]}, r"pinned: must hold ids of items, but pinned\[0\] is 'z', which is none"),
        (home, {"pinned": ["a", "a"]}, r"pinned: must not hold an item twice, but pinned\[1\]"),
        (home, {"pinned": ["a", "b", "c"]}, r"pinned: must fit together, but pinned\[2\]"),
        (home, {"pinned": ["a"], "exclude": ["a"]}, r"pinned: must be available, but pinned\[0\]"),
        (
            home,
            {"pinned": ["a"], "available": [False] + [True] * 5},
            r"pinned: must be available, but pinned\[0\]",
        ),
        (
            tomorrow,
            {"exclude": [0]},
            r"exclude: must hold ids of items, but exclude\[0\] is 0, which is none",
        ),
        (nameless, {"exclude": [4]}, r"exclude: must be in 0 .. 3, but exclude\[0\] is 4"),
        (nameless, {"pinned": ["a"]}, r"pinned: must hold whole numbers, but pinned\[0\] is 'a'"),
        (home, {"available": [True] * 5}, r"available: must have shape \(6\), but has \(5,\)"),
        (home, {"available": [1] * 6}, "available: must be boolean"),
        (home, {"context": [1.0]}, "context: was given, but nothing here takes one"),
        (home, {"problem": "home"}, "problem: must be a Problem, but is 'home'"),
        (
            home,
            {"problem": sw.Problem(sw.Modular([[1.0, 1.0]]))},
            "problem: is over other features than the state",
        ),
    ),
)
def test_a_bad_round_says_what_is_wrong_and_is_none(problem, arguments, message):
    agent = agent_of(problem(), sw.random_policy() if "context" not in arguments else sw.afsm_ucb())
    agent.select("ada")
    before = held(agent)
    with pytest.raises(sw.ArgumentError, match=message):
        agent.select("ada", **arguments)
    assert held(agent) == before
    twin = agent_of(problem(), agent.policy)
    twin.select("ada")
    assert same_slate(agent.select("ada"), twin.select("ada")), "nothing was drawn for the refused round"


def test_select_works_by_position_as_printed():
    agent = agent_of()
    mask = np.array([True, True, True, True, True, False])
    slate = agent.select("ada", None, tomorrow(), np.ones(5, dtype=bool), {"items": 2}, [14], [12])
    assert slate.ids[0] == 12
    slate = agent.select("ada", None, None, mask, {"items": 2}, ["a"], ["b"])
    assert slate.ids[0] == "b"
    assert len(slate) == 2
    agent.update(slate, [1.0, 0.0], "ada")
    agent.clicked(slate, ["b"], 2)


def test_a_contextual_model_needs_its_context():
    policy = sw.Policy(
        model=sw.LinearModel(n_context=2), index=sw.UpperConfidence(sw.ConstantWidth(0.3)), oracle=sw.Greedy()
    )
    agent = agent_of(policy=policy)
    for context, message in (
        (None, "context: is needed, with 2 numbers"),
        ([1.0], r"context: must have shape \(2\)"),
    ):
        with pytest.raises(sw.ArgumentError, match=message):
            agent.select(context=context)
    phi = np.array([1.0, 0.5])
    slate = agent.select(context=phi)
    phi[:] = 0.0
    assert slate.context.tolist() == [1.0, 0.5], "a later change of the caller's reaches nothing"
    agent.update(slate, [1.0, 0.0, 1.0])
    check_state(agent, None, [(slate.features, np.array([1.0, 0.0, 1.0]), slate.context)])


@pytest.mark.parametrize(
    "kernel", [lambda x, y: x @ y.T, partial(RBF(0.5).__call__), RBF(0.5)], ids=["lambda", "partial", "RBF"]
)
def test_a_kernel_of_any_kind_recommends(kernel):
    agent = agent_of(policy=sw.sm_ucb(sw.NormalizedKernel(kernel)))
    for _ in range(3):
        slate = agent.select()
        agent.clicked(slate, slate.ids[:1])
    assert agent.state().posterior.n_observations == 9


# ------------------------------------------------------------------------------ seeds


def test_a_generator_is_drawn_from_once():
    given, untouched = np.random.default_rng(5), np.random.default_rng(5)
    agent = agent_of(policy=sw.random_policy(), seed=given)
    untouched.integers(2**63)
    assert given.bit_generator.state == untouched.bit_generator.state
    for _ in range(3):
        agent.select()
    assert given.bit_generator.state == untouched.bit_generator.state
    twin = agent_of(policy=sw.random_policy(), seed=np.random.default_rng(5))
    for _ in range(3):
        twin.select()
    assert all(same_slate(agent.open_slates[number], twin.open_slates[number]) for number in range(3))
    second = agent_of(policy=sw.random_policy(), seed=given)
    assert second.seed != agent.seed


@pytest.mark.parametrize("seed", [0, 1, 2**40, 2**200, np.int64(4)])
def test_a_seed_decides_what_is_drawn(seed, tmp_path):
    one, same, other = (agent_of(policy=sw.random_policy(), seed=s) for s in (seed, seed, int(seed) + 1))
    rounds = [
        [agent.select(user).items for user in ("ada", None) for _ in range(6)] for agent in (one, same, other)
    ]
    assert rounds[0] == rounds[1] != rounds[2]
    expected = home()
    for user in ("ada", None):
        for number in range(6):
            policy = sw.random_policy()
            slate = policy.select(policy.init(expected), expected, rng=sw.stream(seed, user, number))
            assert slate.items == rounds[0][number + 6 * (user is None)]
    one.save(tmp_path / "agent")
    assert sw.Recommender.load(tmp_path / "agent", home(), sw.random_policy()).seed == seed


@pytest.mark.parametrize(
    "seed", [-1, 0.5, "0", None, True, np.random.RandomState(0)], ids=lambda seed: type(seed).__name__
)
def test_other_seeds_are_refused(seed):
    with pytest.raises(sw.ArgumentError, match="seed: must be"):
        agent_of(seed=seed)


@pytest.mark.parametrize("arguments", [("home", sw.afsm_ucb()), (home(), "afsm_ucb"), (home(), None)])
def test_a_recommender_is_of_a_problem_and_a_policy(arguments, tmp_path):
    with pytest.raises(sw.ArgumentError, match="must be a P"):
        sw.Recommender(*arguments)
    agent_of().save(tmp_path / "agent")
    with pytest.raises(sw.ArgumentError, match="must be a P"):
        sw.Recommender.load(tmp_path / "agent", *arguments)


# ------------------------------------------------------------------------------ ids


@pytest.mark.parametrize(
    ("ids", "expected"),
    table(
        (np.arange(3) + 5, (5, 6, 7)),
        (np.array(["x", "y", "z"]), ("x", "y", "z")),
        ([np.int32(1), np.str_("y"), 3], (1, "y", 3)),
        (iter(["x", "y", "z"]), ("x", "y", "z")),
        ([("a", 1), ("a", 2), None], (("a", 1), ("a", 2), None)),
    ),
)
def test_ids_are_kept_as_pythons_own(ids, expected):
    problem = sw.Problem(coverage(3, 0), [sw.Cardinality(3)], ids=ids)
    assert problem.ids == expected
    assert all(type(one) is type(other) for one, other in zip(problem.ids, expected, strict=True))
    assert set(agent_of(problem).select().ids) <= set(expected)


@pytest.mark.parametrize(
    ("ids", "message"),
    table(
        (["a", "b"], "ids: must be one for each of 3 items, but are 2"),
        (["a", "b", "a"], r"ids: must be different, but ids\[2\] is 'a' again"),
        (["a", ["b"], "c"], r"ids: must be hashable, but ids\[1\] is \['b'\]"),
        ("abc", "ids: must be a list, but is 'abc'"),
        (5, "ids: must be a list, but is 5"),
    ),
)
def test_bad_ids_are_told_so(ids, message):
    with pytest.raises(sw.ArgumentError, match=message):
        sw.Problem(coverage(3, 0), ids=ids)


def test_names_of_features_reach_what_is_believed():
    agent = agent_of()
    slate = agent.select("ada")
    agent.update(slate, [1.0, 1.0, 0.0])
    tastes = agent.tastes("ada")
    assert list(tastes.to_dict()) == NAMES
    posterior = agent.state("ada").posterior
    beta = agent.policy.index.width.beta(posterior)
    for g, believed in enumerate(tastes.to_dict().values()):
        margin = beta * np.sqrt(posterior.covariance[g, g])
        expected = {
            "mean": posterior.mean[g],
            "low": posterior.mean[g] - margin,
            "high": posterior.mean[g] + margin,
        }
        assert believed == pytest.approx(expected, abs=1e-12)
    assert all(name in str(tastes) for name in NAMES)
    assert all(f"<td>{name}</td>" in tastes._repr_html_() for name in NAMES)
