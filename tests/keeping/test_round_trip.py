"""What is loaded is what was saved, for every model, and goes on as if it had never stopped."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.metrics.pairwise import rbf_kernel

import slatewise as sw

from .files import HERE, NAMES, D, apart, learned, problem

WIDTH = sw.ConstantWidth(0.3)
BASIS = sw.GreedyBasis(size=4, tolerance=1e-3)


def policy(model, oracle=None):
    """A policy of a model."""
    return sw.Policy(model=model, index=sw.UpperConfidence(WIDTH), oracle=oracle or sw.ThresholdSweep())


PRIOR = sw.LinearModel(mean=[0.1, -0.2, 1 / 3], precision=np.diag([1.0, 0.3, 7.0]) + 0.1)
CONTEXTS = sw.LinearModel(n_context=2, mean=np.linspace(-1, 1, 2 * D), precision=np.eye(2 * D) * 0.7)
POLICIES = {
    "linear": sw.afsm_ucb(),
    "prior": policy(PRIOR, sw.BestOf(sw.Greedy(), sw.CostBenefitGreedy())),
    "contexts": policy(CONTEXTS, sw.ThresholdSweep(also=(sw.Greedy(),), max_length=3)),
    "kernel": sw.afsm_ucb(kernel=RBF(0.7) + WhiteKernel(0.1), width=sw.ConstantWidth(0.2)),
    "kernel, a function": sw.sm_ucb(rbf_kernel),
    "kernel, normalised": sw.sm_ucb(sw.NormalizedKernel(rbf_kernel)),
    "kernel and contexts": policy(sw.KernelModel(RBF(0.5))),
    "basis": policy(sw.KernelModel(RBF(0.7), regularization=0.5, basis=BASIS)),
    "basis and contexts": policy(sw.KernelModel(RBF(0.7), basis=BASIS), sw.Greedy()),
    "known": sw.Policy(model=sw.KnownWeights([0.1, 0.2, 1 / 3]), index=sw.Mean(), oracle=sw.Greedy()),
    "random": sw.random_policy(),
    "sampling": sw.Policy(model=sw.LinearModel(), index=sw.PosteriorSample(), oracle=sw.Greedy()),
    "best start": sw.mcs_greedy(width=sw.TheoreticalWidth(norm_bound=1.0, noise=0.5, delta=0.1)),
}
pytestmark = pytest.mark.filterwarnings("ignore::slatewise.KernelScaleWarning")


@pytest.fixture(params=POLICIES)
def kept(request, tmp_path):
    """An agent, what its problem takes for a context, and what its file gives back."""
    policy = POLICIES[request.param]
    context = np.array([0.5, 1 / 3]) if "contexts" in request.param else None
    agent = learned(policy, context)
    agent.save(tmp_path / "agent")
    return agent, context, sw.Recommender.load(tmp_path / "agent", problem(), policy), tmp_path / "agent"


def arrays_of(value):
    """The numbers and arrays of a posterior, by their names, and those of one within it."""
    found = {}
    for name, part in vars(value).items():
        if isinstance(part, sw.Posterior):
            found |= {f"{name}.{inner}": one for inner, one in arrays_of(part).items()}
        elif isinstance(part, np.ndarray | int | float):
            found[name] = part
    return found


def test_every_state_is_the_same_bit_by_bit(kept):
    agent, _, loaded, _ = kept
    assert loaded.users == agent.users
    assert loaded.seed == agent.seed
    for user in (*agent.users, "never met"):
        one, other = agent.state(user), loaded.state(user)
        assert type(one.posterior) is type(other.posterior)
        assert (one.model, one.feature_space) == (other.model, other.feature_space)
        ours, theirs = arrays_of(one.posterior), arrays_of(other.posterior)
        assert ours.keys() == theirs.keys()
        for name, part in ours.items():
            assert type(part) is type(theirs[name])
            assert np.array_equal(part, theirs[name]), name
            if isinstance(part, np.ndarray):
                assert part.dtype == theirs[name].dtype
                assert not theirs[name].flags.writeable
        assert one.posterior.logdet == other.posterior.logdet


def test_every_slate_and_reward_is_the_same(kept):
    agent, _, loaded, _ = kept
    ours, theirs = agent._ledger, loaded._ledger
    assert (ours.next_number, ours.first_remembered) == (theirs.next_number, theirs.first_remembered)
    assert list(ours) == list(theirs)
    for number, entry in ours.items():
        other = theirs[number]
        assert entry.user == other.user
        assert type(entry.user) is type(other.user)
        assert np.array_equal(entry.rewards, other.rewards, equal_nan=True)
        for name, part in vars(entry.slate).items():
            found = getattr(other.slate, name)
            if isinstance(part, np.ndarray):
                assert np.array_equal(part, found, equal_nan=True), name
            else:
                assert part == found or (part != part and found != found), name  # noqa: PLR0124 - NaN
    assert agent.open_slates.keys() == loaded.open_slates.keys()


def test_it_goes_on_as_if_it_had_never_stopped(kept):
    agent, context, loaded, path = kept
    rng = np.random.default_rng(0)
    for step in range(6):
        for user in ("ada", None, 0, "new"):
            slates = [one.select(user, context, exclude=["a"] if step % 2 else ()) for one in (agent, loaded)]
            assert slates[0].items == slates[1].items
            assert slates[0].number == slates[1].number
            assert slates[0].score == slates[1].score or np.isnan(slates[0].score)
            rewards = np.where(rng.random(len(slates[0])) < 0.3, np.nan, rng.random(len(slates[0])))
            for one in (agent, loaded):
                one.update(slates[0].number, rewards)
    for one, place in ((agent, "one"), (loaded, "other")):
        one.save(path.with_name(place))
    assert path.with_name("one").read_bytes() == path.with_name("other").read_bytes()


def test_late_reactions_to_slates_from_before_are_known(kept):
    agent, _, loaded, _ = kept
    slate = agent.open_slates[3]
    loaded.update(slate, [1.0] * len(slate))
    with pytest.raises(sw.ArgumentError, match="rewards: must repeat what slate 1 was rewarded with"):
        loaded.update(1, [0.0] * len(agent.open_slates[1]))
    with pytest.raises(sw.ArgumentError, match="slate: number 0 has expired"):
        loaded.update(0, [])


def test_saving_what_was_loaded_writes_the_same_file(kept):
    _, _, loaded, path = kept
    loaded.save(path.with_name("again"))
    assert path.with_name("again").read_bytes() == path.read_bytes()


def test_the_file_can_be_read_without_the_library(kept):
    agent, _, _, path = kept
    header, arrays = apart(path.read_bytes())
    assert [reader["user"] for reader in header["readers"]] == list(agent.users)
    assert int(header["seed"]) == agent.seed
    for record in header["slates"]:
        slate = agent._ledger[record["number"]].slate
        assert np.array_equal(arrays[record["features"]["index"]], slate.features)


def test_saving_changes_nothing_and_leaves_one_file(kept):
    agent, _, _, path = kept
    before = path.read_bytes()
    agent.save(path)
    agent.save(str(path))
    assert path.read_bytes() == before
    assert [one.name for one in path.parent.iterdir()] == ["agent"]


GOING_ON = """
import json, sys
import numpy as np
import slatewise as sw
sys.path.insert(0, sys.argv[1])
from files import problem
policy = sw.Policy(model=sw.LinearModel(), index=sw.PosteriorSample(), oracle=sw.Greedy())
agent = sw.Recommender.load(sys.argv[2], problem(), policy)
agent.update(max(agent.open_slates), [0.25] * len(agent.open_slates[max(agent.open_slates)]))
slates = [agent.select(user) for user in ("ada", None, "new") for _ in range(3)]
print(json.dumps([[slate.items, slate.mean.tolist(), slate.number] for slate in slates]))
"""


def test_another_process_goes_on(tmp_path):
    agent = learned(POLICIES["sampling"])
    agent.save(tmp_path / "agent")
    done = subprocess.run(  # noqa: S603 - this test's own program
        [sys.executable, "-c", GOING_ON, str(HERE), str(tmp_path / "agent")],
        check=True,
        capture_output=True,
        text=True,
    )
    last = max(agent.open_slates)
    agent.update(last, [0.25] * len(agent.open_slates[last]))
    slates = [agent.select(user) for user in ("ada", None, "new") for _ in range(3)]
    expected = [[list(slate.items), slate.mean.tolist(), slate.number] for slate in slates]
    assert json.loads(done.stdout) == expected


# ------------------------------------------------------------------------------ what is refused


def coverage(**changes):
    """A problem over other features."""
    given = {"kind": sw.ProbabilisticCoverage, "names": NAMES, "size": D} | changes
    return sw.Problem(given["kind"](np.full((2, given["size"]), 0.5), names=given["names"]))


@pytest.mark.parametrize(
    ("other", "message"),
    [
        pytest.param(
            coverage(size=2, names=NAMES[:2]), "there are 3 features in one, 2 in the other", id="fewer"
        ),
        pytest.param(
            coverage(kind=sw.Modular),
            "the kind of objective is ProbabilisticCoverage in one, Modular in the other",
            id="kind",
        ),
        pytest.param(
            coverage(names=["politics", "sport", "science"]),
            "feature 1 is 'science' in one, 'sport' in the other",
            id="order",
        ),
        pytest.param(
            coverage(names=None), "feature 0 is 'politics' in one, 'feature 0' in the other", id="nameless"
        ),
        pytest.param(
            sw.Problem(problem().objective, relevance=np.ones(5)),
            "there are 3 features in one, 4 in the other",
            id="relevance",
        ),
    ],
)
def test_other_features_are_refused_and_the_difference_named(other, message, tmp_path):
    learned(sw.afsm_ucb()).save(tmp_path / "agent")
    with pytest.raises(sw.ArgumentError, match=f"problem: is over other features than the file: {message}"):
        sw.Recommender.load(tmp_path / "agent", other, sw.afsm_ucb())


def test_features_that_were_fitted_otherwise_are_refused(tmp_path):
    def fitted(fingerprint):
        objective = sw.ProbabilisticCoverage([[0.5, 0.5]], names=["a/b/c", "d/e/f"])
        objective.feature_space = objective.feature_space.with_fitted(fingerprint)
        return sw.Problem(objective)

    sw.Recommender(fitted("monday"), sw.afsm_ucb()).save(tmp_path / "agent")
    sw.Recommender.load(tmp_path / "agent", fitted("monday"), sw.afsm_ucb())
    with pytest.raises(sw.ArgumentError, match="what was fitted to make the features differs"):
        sw.Recommender.load(tmp_path / "agent", fitted("tuesday"), sw.afsm_ucb())


@pytest.mark.parametrize(
    ("saved", "loaded", "message"),
    [
        pytest.param(*row, id=row[2])
        for row in [
            (sw.afsm_ucb(), sw.afsm_ucb(epsilon=0.5), "policy.oracle.epsilon is 0.3 in the file, 0.5 here"),
            (
                sw.afsm_ucb(),
                sw.afsm_ucb(regularization=2.0),
                "policy.model.regularization is 1.0 in the file",
            ),
            (
                sw.afsm_ucb(),
                sw.lsb_greedy(),
                "policy.oracle.kind is 'ThresholdSweep' in the file, 'Greedy' here",
            ),
            (
                sw.afsm_ucb(),
                sw.afsm_ucb(width=WIDTH),
                "policy.index.width.kind is 'PracticalWidth' in the file",
            ),
            (
                sw.afsm_ucb(),
                sw.random_policy(),
                "policy.model.kind is 'LinearModel' in the file, 'NoModel' here",
            ),
            (
                policy(PRIOR),
                policy(sw.LinearModel()),
                r"policy.model.mean is \[0.1.*\] in the file, None here",
            ),
            (sw.sm_ucb(RBF(0.5)), sw.sm_ucb(RBF(0.6)), "policy.model.kernel.parameters.length_scale is 0.5"),
            (
                sw.sm_ucb(RBF(0.5)),
                sw.sm_ucb(WhiteKernel(0.5)),
                r"policy.model.kernel.kind is 'sklearn\..*RBF'",
            ),
            (
                sw.sm_ucb(rbf_kernel),
                sw.sm_ucb(RBF()),
                "policy.model.kernel is 'sklearn.metrics.pairwise.rbf_kernel'",
            ),
            (
                policy(sw.KernelModel(RBF(), basis=BASIS)),
                policy(sw.KernelModel(RBF())),
                "policy.model.basis is .*GreedyBasis.* in the file, None here",
            ),
            (POLICIES["known"], policy(PRIOR), "policy.model.kind is 'KnownWeights' in the file"),
            (
                policy(PRIOR, sw.BestOf(sw.Greedy(), sw.CostBenefitGreedy())),
                policy(PRIOR, sw.BestOf(sw.Greedy())),
                r"policy.oracle.oracles is \[.*\] in the file, \[.*\] here",
            ),
        ]
    ],
)
def test_another_policy_is_refused_and_the_difference_named(saved, loaded, message, tmp_path):
    learned(saved).save(tmp_path / "agent")
    with pytest.raises(sw.ArgumentError, match=f"policy: is another than the file's: {message}"):
        sw.Recommender.load(tmp_path / "agent", problem(), loaded)
    sw.Recommender.load(tmp_path / "agent", problem(), saved)


def test_other_items_and_limits_are_welcome(tmp_path):
    agent = learned(sw.afsm_ucb())
    agent.save(tmp_path / "agent")
    tomorrow = sw.Problem(sw.ProbabilisticCoverage(np.full((9, D), 0.1), names=NAMES), [sw.Cardinality(9)])
    loaded = sw.Recommender.load(tmp_path / "agent", tomorrow, sw.afsm_ucb())
    assert loaded.select("ada").ids is None
    loaded.clicked(3, agent.open_slates[3].ids[:1])


class Callable:
    """A kernel that is an object of its own."""

    def __call__(self, x, y):
        return x @ y.T


def local_kernel():
    """A kernel that nothing outside could find."""

    def kernel(x, y):
        return x @ y.T

    return kernel


@pytest.mark.parametrize(
    "kernel",
    [
        pytest.param(lambda x, y: x @ y.T, id="lambda"),
        pytest.param(local_kernel(), id="local"),
        pytest.param(partial(rbf_kernel, gamma=2.0), id="partial"),
        pytest.param(Callable(), id="object"),
        pytest.param(sw.NormalizedKernel(lambda x, y: x @ y.T), id="lambda within"),
    ],
)
def test_what_has_no_name_cannot_be_saved(kernel, tmp_path):
    agent = sw.Recommender(problem(), sw.sm_ucb(kernel))
    with pytest.raises(sw.ArgumentError, match=r"policy: cannot be saved, because .* has no name by which"):
        agent.save(tmp_path / "agent")
    assert list(tmp_path.iterdir()) == []


def test_an_objective_that_has_no_name_cannot_be_saved(tmp_path):
    shape = sw.ConcaveOverModular([[0.5, 0.25]], lambda x: x / (1 + x))
    with pytest.raises(sw.ArgumentError, match=r"cannot be saved, because .*lambda.* has no name"):
        sw.Recommender(sw.Problem(shape), sw.afsm_ucb()).save(tmp_path / "agent")
    named = sw.Problem(sw.ConcaveOverModular([[0.5, 0.25]], np.sqrt))
    sw.Recommender(named, sw.afsm_ucb()).save(tmp_path / "agent")
    other = sw.Problem(sw.ConcaveOverModular([[0.5, 0.25]], np.log1p))
    with pytest.raises(
        sw.ArgumentError, match=r"the kind of objective is .*sqrt.* in one, .*log1p.* in the other"
    ):
        sw.Recommender.load(tmp_path / "agent", other, sw.afsm_ucb())


@pytest.mark.parametrize("identity", [("a", 1), 0.5, None, True, b"a"], ids=repr)
def test_ids_that_json_cannot_hold_cannot_be_saved(identity, tmp_path):
    agent = sw.Recommender(sw.Problem(problem().objective, ids=[identity, 5, 6, 7, 8]), sw.afsm_ucb())
    agent.save(tmp_path / "agent")
    before = (tmp_path / "agent").read_bytes()
    agent.select(pinned=[identity])
    with pytest.raises(
        sw.ArgumentError, match=r"ids: must be strings or whole numbers to be saved, but ids\[0\]"
    ):
        agent.save(tmp_path / "agent")
    assert (tmp_path / "agent").read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["agent"]


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    agent = learned(sw.afsm_ucb())
    agent.save(tmp_path / "agent")
    before = (tmp_path / "agent").read_bytes()
    agent.select("ada")

    def full(*_):
        raise OSError(28, "No space left on device")

    for broken in ("os.fsync", "pathlib.Path.replace"):
        with monkeypatch.context() as patch:
            patch.setattr(broken, full)
            with pytest.raises(OSError, match="No space left"):
                agent.save(tmp_path / "agent")
        assert (tmp_path / "agent").read_bytes() == before
        assert [one.name for one in tmp_path.iterdir()] == ["agent"]
    agent.save(tmp_path / "agent")
    assert (tmp_path / "agent").read_bytes() != before


@pytest.mark.parametrize("place", ["nowhere/agent", "folder"])
def test_a_place_that_cannot_be_written_is_the_systems_error(place, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").touch()
    with pytest.raises(OSError, match=r"folder|nowhere"):
        learned(sw.afsm_ucb()).save(tmp_path / place)
    assert [one.name for one in tmp_path.iterdir()] == ["folder"]
    with pytest.raises(OSError, match=r"folder|nowhere"):
        sw.Recommender.load(tmp_path / place, problem(), sw.afsm_ucb())


def test_a_file_in_the_folder_one_stands_in(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    agent = learned(sw.afsm_ucb())
    agent.save("agent")
    assert sw.Recommender.load(Path("agent"), problem(), sw.afsm_ucb()).users == agent.users
