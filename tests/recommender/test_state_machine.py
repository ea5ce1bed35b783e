"""Any order of calls: what is known of each user is what the accepted reactions say, and nothing else.

Two agents get every call. One never stops; the other is saved and loaded at random moments. They must
agree bit by bit, and with a log that the test keeps.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from sklearn.gaussian_process.kernels import RBF

import slatewise as sw

from .worlds import D, Learned, home, keys, nameless, rebuilt, same_slate, tomorrow

USERS = st.sampled_from([None, 0, 7, "0", "ada", np.str_("ada"), "Zoë", 2**70])
REWARDS = st.sampled_from([0.0, 0.0, 0.25, 1.0, -0.5, np.nan])
LIMITS = st.sampled_from(
    [None, {}, {"items": 1}, {"items": 0}, {"minutes": 3.0}, {"items": 2, "minutes": 1e-3}]
)
PROBLEMS = (home(), tomorrow(), nameless())


@dataclass
class Shown:
    """What the test remembers of a slate: to whom, what was there, and the rewards accepted."""

    user: str | int | None
    slate: sw.Slate
    rewards: np.ndarray


class Machine(RuleBasedStateMachine):
    """Every kind of call on both agents, with the log beside them."""

    policy: ClassVar[sw.Policy]
    n_context: ClassVar[int] = 0

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "agent.slatewise"
        self.log: dict[str | int | None, list[Learned]] = {}
        self.shown: dict[int, Shown] = {}
        self.numbers = 0

    def teardown(self) -> None:
        self.folder.cleanup()

    @initialize(seed=st.integers(0, 2**70))
    def begin(self, seed: int) -> None:
        self.steady = sw.Recommender(PROBLEMS[0], self.policy, seed)
        self.restarted = sw.Recommender(PROBLEMS[0], self.policy, seed)

    # ---------------------------------------------------------------- both agents, and what they hold

    def held(self) -> list[Any]:
        """All that the agents hold; every part is a frozen value, so that being the same one is enough."""
        return [
            (
                dict(agent._readers),
                dict(agent._ledger.entries),
                agent._ledger.next_number,
                agent._ledger.first_remembered,
            )
            for agent in (self.steady, self.restarted)
        ]

    def refused(self, verb: str, *args: Any, **kwargs: Any) -> None:
        """Both agents must refuse the call, and be as before."""
        before = self.held()
        for agent in (self.steady, self.restarted):
            with pytest.raises(ValueError):
                getattr(agent, verb)(*args, **kwargs)
        assert self.held() == before

    def both(self, verb: str, *args: Any, **kwargs: Any) -> list[Any] | None:
        """What both return; nothing where both refuse, which then has changed nothing."""
        before = self.held()
        results: list[Any] = []
        for agent in (self.steady, self.restarted):
            try:
                results.append(getattr(agent, verb)(*args, **kwargs))
            except ValueError:
                results.append(ValueError)
        if ValueError in results:
            assert results == [ValueError, ValueError]
            assert self.held() == before
            return None
        return results

    def context(self, data: st.DataObject) -> np.ndarray | None:
        if not self.n_context:
            return None
        numbers = st.lists(
            st.sampled_from([-1.0, 0.0, 0.5, 1.0]), min_size=self.n_context, max_size=self.n_context
        )
        return np.array(data.draw(numbers, label="context"))

    # ---------------------------------------------------------------- slates

    @rule(user=USERS, which=st.integers(0, 2), limits=LIMITS, data=st.data())
    def select(self, user, which, limits, data):
        problem = PROBLEMS[which]
        some = st.lists(st.sampled_from(keys(problem)), unique=True, max_size=2)
        available = data.draw(
            st.none()
            | st.lists(st.booleans(), min_size=problem.n_items, max_size=problem.n_items).map(np.array)
        )
        slates = self.both(
            "select",
            user=user,
            context=self.context(data),
            problem=problem if which or data.draw(st.booleans()) else None,
            available=available,
            limits=limits,
            exclude=data.draw(st.just([]) | some, label="exclude"),
            pinned=data.draw(st.just([]) | st.just([]) | some, label="pinned"),
        )
        self.show(user, slates)

    @rule(users=st.lists(USERS, min_size=1, max_size=4), data=st.data())
    def select_for_some(self, users, data):
        """Nothing out of the ordinary: there are slates to react to."""
        for user in users:
            self.show(user, self.both("select", user, self.context(data)))

    def show(self, user: str | int | None, slates: list[Any] | None) -> None:
        if slates is None:
            return
        slate = slates[0]
        assert same_slate(*slates)
        assert slate.number == self.numbers
        self.numbers += 1
        self.shown[slate.number] = Shown(user, slate, np.full(len(slate), np.nan))

    @rule(user=USERS, which=st.integers(0, 2), data=st.data())
    def learn_from_elsewhere(self, user, which, data):
        """A slate that something else chose, over the limits too; each time that it is given."""
        problem = PROBLEMS[which]
        items = data.draw(st.lists(st.integers(0, problem.n_items - 1), unique=True, max_size=4))
        rewards = np.array(data.draw(st.lists(REWARDS, min_size=len(items), max_size=len(items))))
        slate = problem.slate(items, self.context(data))
        self.both("update", slate, rewards, user=user)
        self.log.setdefault(user, []).append((slate.features, rewards, slate.context))

    # ---------------------------------------------------------------- reactions

    def drawn(self, data: st.DataObject) -> Shown:
        numbers = sorted(self.shown)
        return self.shown[data.draw(st.sampled_from(numbers), label="number")]

    def accept(self, shown: Shown, rewards: np.ndarray) -> None:
        """Put what is new into the log."""
        fresh = np.where(np.isnan(shown.rewards), rewards, np.nan)
        self.log.setdefault(shown.user, []).append((shown.slate.features, fresh, shown.slate.context))
        shown.rewards = np.where(np.isnan(shown.rewards), rewards, shown.rewards)

    def contradicts(self, shown: Shown, rewards: np.ndarray) -> bool:
        return bool(((shown.rewards != rewards) & ~np.isnan(shown.rewards) & ~np.isnan(rewards)).any())

    @precondition(lambda self: self.shown)
    @rule(
        data=st.data(),
        form=st.sampled_from(["list", "array", "mapping"]),
        by_number=st.booleans(),
        named=st.booleans(),
    )
    def update(self, data, form, by_number, named):
        shown = self.drawn(data)
        length = len(shown.slate)
        rewards = np.array(data.draw(st.lists(REWARDS, min_size=length, max_size=length)), dtype=float)
        agreeing = np.where(np.isnan(shown.rewards) | np.isnan(rewards), rewards, shown.rewards)
        rewards = agreeing if data.draw(st.booleans(), label="agrees") else rewards
        names = shown.slate.ids or shown.slate.items
        backwards = dict(reversed(list(zip(names, rewards.tolist(), strict=True))))
        given = {"list": rewards.tolist(), "array": rewards, "mapping": backwards}[form]
        slate = shown.slate.number if by_number else shown.slate
        user = {"user": shown.user} if named else {}
        if self.contradicts(shown, rewards):
            self.refused("update", slate, given, **user)
            return
        assert self.both("update", slate, given, **user) == [None, None]
        self.accept(shown, rewards)

    @precondition(lambda self: self.shown)
    @rule(data=st.data(), by_number=st.booleans())
    def clicked(self, data, by_number):
        shown = self.drawn(data)
        names = list(shown.slate.ids or shown.slate.items)
        hits = data.draw(
            st.lists(st.sampled_from(names), max_size=len(names)) if names else st.just([]), label="hits"
        )
        seen = data.draw(st.none() | st.integers(0, len(names)), label="seen")
        depth = len(names) if seen is None else seen
        rewards = np.array(
            [1.0 if name in hits else 0.0 if place < depth else np.nan for place, name in enumerate(names)]
        )
        slate = shown.slate.number if by_number else shown.slate
        if self.contradicts(shown, rewards):
            self.refused("clicked", slate, hits, seen)
            return
        assert self.both("clicked", slate, hits, seen) == [None, None]
        self.accept(shown, rewards)

    @precondition(lambda self: self.shown)
    @rule(data=st.data())
    def repeat(self, data):
        """What was accepted, once more: the log gets nothing, and the invariants hold as before."""
        shown = self.drawn(data)
        assert self.both("update", shown.slate, shown.rewards) == [None, None]

    @precondition(lambda self: self.shown)
    @rule(data=st.data())
    def refuse_what_is_wrong(self, data):
        shown = self.drawn(data)
        number, length = shown.slate.number, len(shown.slate)
        names = list(shown.slate.ids or shown.slate.items)
        right = dict.fromkeys(names, 1.0)
        wrong: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
            ("update", (number, [1.0] * (length + 1)), {}),
            ("update", (number, right | {"nothing": 1.0}), {}),
            ("update", (number, [np.inf] * (length + 1)), {}),
            ("update", (number, [0.0] * length), {"user": "somebody else"}),
            ("update", (self.numbers, [0.0] * length), {}),
            ("update", (PROBLEMS[0].slate([0, 1], [1.0] * (self.n_context + 1)), [1.0, np.inf]), {}),
            ("clicked", (number, ["nothing"]), {}),
            ("clicked", (number, names), {"seen": length + 1}),
            ("clicked", (number, names), {"seen": -1}),
            ("select", (), {"limits": {"seconds": 3}, "context": self.context(data)}),
            ("select", (), {"exclude": ["nothing"], "context": self.context(data)}),
            ("select", (), {"available": [True], "context": self.context(data)}),
            ("select", (), {"user": -1, "context": self.context(data)}),
            ("explain", (self.numbers,), {}),
            ("expire", (-1,), {}),
        ]
        if length:
            without = dict(list(right.items())[1:])
            wrong.append(("update", (number, without), {}))
        verb, args, kwargs = data.draw(st.sampled_from(wrong), label="wrong")
        self.refused(verb, *args, **kwargs)

    # ---------------------------------------------------------------- what is kept

    @precondition(lambda self: len(self.shown) > 1)
    @rule(back=st.integers(0, 8))
    def expire(self, back):
        before = max(0, self.numbers - back)
        self.both("expire", before)
        for number in [number for number in self.shown if number < before]:
            gone = self.shown.pop(number)
            self.refused("update", number, gone.rewards)
            self.refused("update", gone.slate, gone.rewards)
            self.refused("clicked", number, [])

    @rule(which=st.integers(0, 2))
    def restart(self, which):
        """Saved, and loaded into a fresh agent, whose own problem may be another."""
        self.restarted.save(self.path)
        loaded = sw.Recommender.load(self.path, PROBLEMS[which], self.policy)
        loaded.problem = PROBLEMS[0]
        self.restarted = loaded
        assert [path.name for path in self.path.parent.iterdir()] == [self.path.name]

    @precondition(lambda self: self.shown)
    @rule(data=st.data())
    def explain(self, data):
        """Looking changes nothing, and goes by the same words before and after a restart."""
        before = self.held()
        number = self.drawn(data).slate.number
        told = [agent.explain(number) for agent in (self.steady, self.restarted)]
        assert [one.positions[0].item if one.positions else None for one in told] == [
            next(iter(self.shown[number].slate.ids or self.shown[number].slate.items), None)
        ] * 2
        assert self.held() == before

    # ---------------------------------------------------------------- what holds at every moment

    @invariant()
    def states_are_what_the_log_says(self):
        if not self.numbers and not self.log:
            return
        assert set(self.steady.users) >= {shown.user for shown in self.shown.values()}
        for user in self.steady.users:
            self.check_posterior(
                self.steady.state(user).posterior,
                self.restarted.state(user).posterior,
                self.log.get(user, []),
            )

    def check_posterior(self, steady: Any, restarted: Any, log: list[Learned]) -> None:
        mean, covariance, logdet, count = rebuilt(self.policy.model, log)
        np.testing.assert_allclose(steady.mean, mean, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(steady.covariance, covariance, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(steady.logdet, logdet, rtol=1e-9, atol=1e-9)
        assert steady.n_observations == count
        for name in ("mean", "covariance", "precision", "moment", "logdet", "count", "since_refresh"):
            assert np.array_equal(getattr(steady, name), getattr(restarted, name)), name

    @invariant()
    def open_slates_are_what_the_log_says(self):
        if not self.numbers:
            return
        waiting = {number for number, shown in self.shown.items() if np.isnan(shown.rewards).any()}
        for agent in (self.steady, self.restarted):
            found = agent.open_slates
            assert found.keys() == waiting
            assert all(same_slate(slate, self.shown[number].slate) for number, slate in found.items())
            assert agent._ledger.keys() == self.shown.keys()
            assert agent._ledger.next_number == self.numbers
        assert self.steady.users == self.restarted.users


class Linear(Machine):
    policy = sw.afsm_ucb()


class WithContexts(Machine):
    """A shared model through contexts, with a prior of its own."""

    n_context = 2
    policy = sw.Policy(
        model=sw.LinearModel(
            n_context=2,
            mean=np.linspace(-0.2, 0.3, 2 * D),
            precision=np.eye(2 * D) + 0.1 * np.ones((2 * D, 2 * D)),
        ),
        index=sw.UpperConfidence(sw.ConstantWidth(0.4)),
        oracle=sw.ThresholdSweep(also=(sw.Greedy(),)),
    )


class Sampling(Machine):
    """Weights drawn from the posterior: the random numbers go on where they stopped."""

    policy = sw.Policy(model=sw.LinearModel(), index=sw.PosteriorSample(), oracle=sw.Greedy())


class Counting(Machine):
    """A policy that learns nothing: its state is a count."""

    policy = sw.random_policy()

    def check_posterior(self, steady: Any, restarted: Any, log: list[Learned]) -> None:
        count = sum(int((~np.isnan(rewards)).sum()) for _, rewards, _ in log)
        assert steady.n_observations == restarted.n_observations == count


class Kernel(Machine):
    """A kernel's history: it predicts what the same rewards, learned at once, predict."""

    policy = sw.sm_ucb(RBF(0.7))

    def check_posterior(self, steady: Any, restarted: Any, log: list[Learned]) -> None:
        rows = np.concatenate([np.zeros((0, D)), *(features for features, _, _ in log)])
        rewards = np.concatenate([np.zeros(0), *(rewards for _, rewards, _ in log)])
        whole = self.policy.model.prior(D).condition(rows, rewards)
        grid = np.random.default_rng(0).random((5, D))
        for found, expected in zip(steady.at().predict(grid), whole.at().predict(grid), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(steady.logdet, whole.logdet, rtol=1e-9, atol=1e-9)
        assert steady.n_observations == whole.n_observations
        for name in ("rows", "factor", "whitened"):
            assert np.array_equal(getattr(steady, name), getattr(restarted, name)), name


def examples(machine: type[Machine], share: float) -> type:
    """The machine's test, with a share of the profile's examples."""
    profile = settings()
    case = machine.TestCase
    case.settings = settings(
        profile, max_examples=max(5, int(profile.max_examples * share)), stateful_step_count=40
    )
    return case


TestLinear = examples(Linear, 1)
TestWithContexts = examples(WithContexts, 0.6)
TestSampling = examples(Sampling, 0.6)
TestCounting = examples(Counting, 0.5)
TestKernel = examples(Kernel, 0.5)
