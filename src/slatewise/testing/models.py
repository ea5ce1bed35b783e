"""The laws of models: what is known grows with rewards, whatever their order, and never changes back."""

# ruff: noqa: D401 - a law says what is so, and orders nothing

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from slatewise.models import Belief, Model, Posterior
from slatewise.testing.laws import ROUNDING, close, uphold
from slatewise.typing import Floats

BETAS = (0.0, 0.5, 10.0)


@dataclass(frozen=True)
class Lesson:
    """Rewards for some rows, under one context."""

    x: Floats
    y: Floats
    context: Floats | None = None

    def singly(self) -> list[Lesson]:
        """Return a lesson for each row."""
        return [replace(self, x=self.x[[i]], y=self.y[[i]]) for i in range(len(self.y))]

    def backwards(self) -> Lesson:
        """Return the rows in the opposite order."""
        return replace(self, x=self.x[::-1], y=self.y[::-1])


@dataclass(frozen=True)
class Course:
    """Lessons for a model, and rows to ask it about, under contexts."""

    lessons: tuple[Lesson, ...]
    probes: Floats
    contexts: tuple[Floats | None, ...]

    def singly(self) -> list[Lesson]:
        """Return a lesson for each reward."""
        return [single for lesson in self.lessons for single in lesson.singly()]

    @classmethod
    def drawn(cls, n_features: int, n_context: int, rng: np.random.Generator) -> Course:
        """Return lessons of one to five rows, two of them equal, and probes that repeat."""
        contexts = [rng.standard_normal(n_context) if n_context else None for _ in range(3)]
        lessons = [
            Lesson(rng.random((length, n_features)), rng.standard_normal(length), context)
            for length, context in zip((3, 1, 5), contexts, strict=True)
        ]
        lessons[2].x[4] = lessons[2].x[1]
        probes = np.concatenate([rng.random((6, n_features)), lessons[0].x, np.zeros((1, n_features))])
        return cls(tuple(lessons), probes[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 7, 9]], tuple(contexts))


def check_model(model: Model, n_features: int, *, n_context: int = 0, seed: int = 0) -> None:
    """Run a model, its posteriors and its beliefs through their laws.

    Rewards one by one, in a batch, in any order teach the same; a NaN is as if it were not there;
    ln det grows by ln(1 + σ²) a reward; standard deviations never grow; `condition` leaves the old
    posterior as it was; `predict` and `predict_exactly` agree within `rounding`, and equal rows get
    exactly equal numbers from the latter.

    Parameters
    ----------
    model
        What is to be checked.
    n_features
        d, the number of features to try it on.
    n_context
        The length of the contexts to try it with; 0 for none.
    seed
        What the rewards are drawn from.

    Raises
    ------
    AssertionError
        Where a law is broken, with its name and the row.

    Examples
    --------
    >>> import slatewise as sw
    >>> from slatewise.testing import check_model
    >>> check_model(sw.LinearModel(regularization=0.5), 3)
    """
    uphold(LAWS, model, n_features, Course.drawn(n_features, n_context, np.random.default_rng(seed)))


def batches_and_single_rewards_teach_the_same(model: Model, n_features: int, course: Course) -> Iterator[str]:
    """Rewards of one slate may come together or one by one."""
    together = taught(model.prior(n_features), course.lessons)
    yield from differences(together, taught(model.prior(n_features), course.singly()), course, "one by one")


def order_does_not_matter(model: Model, n_features: int, course: Course) -> Iterator[str]:
    """Rewards may come late, and in any order."""
    forwards = taught(model.prior(n_features), course.lessons)
    backwards = taught(model.prior(n_features), [one.backwards() for one in reversed(course.lessons)])
    yield from differences(forwards, backwards, course, "backwards")


def what_is_not_observed_teaches_nothing(model: Model, n_features: int, course: Course) -> Iterator[str]:
    """A reward of NaN is as if it were not there."""
    for lesson in course.lessons:
        seen = np.arange(len(lesson.y)) % 2 == 0
        with_gaps = replace(lesson, y=np.where(seen, lesson.y, np.nan))
        without = replace(lesson, x=lesson.x[seen], y=lesson.y[seen])
        one, other = (taught(model.prior(n_features), [some]) for some in (with_gaps, without))
        yield from differences(one, other, course, "without the rows that were not observed")
        nothing = replace(lesson, y=np.full(len(lesson.y), np.nan))
        yield from differences(one, taught(one, [nothing]), course, "with a lesson of NaN alone besides")


def rewards_are_counted(model: Model, n_features: int, course: Course) -> Iterator[str]:
    """n_observations is the number of rewards, and n_features is d."""
    posterior = taught(model.prior(n_features), course.lessons)
    wanted = sum(len(lesson.y) for lesson in course.lessons)
    if (posterior.n_observations, posterior.n_features) != (wanted, n_features):
        yield f"{posterior.n_observations} were counted over {posterior.n_features} features, not {wanted}"


def information_grows_by_the_logarithm_of_one_plus_variance(
    model: Model, n_features: int, course: Course
) -> Iterator[str]:
    """ln det(M₀⁻¹ M) = Σ ln(1 + σ²(x_i | the rewards before))."""
    posterior = model.prior(n_features)
    if posterior.logdet != 0:
        yield f"before the first reward it is {posterior.logdet}, not 0"
    for row, single in enumerate(course.singly()):
        std = posterior.at(single.context).predict(single.x)[1]
        wanted = posterior.logdet + float(np.log1p(np.nan_to_num(std) ** 2).sum())
        posterior = taught(posterior, [single])
        if not close(posterior.logdet, wanted):
            yield f"after reward {row} it is {posterior.logdet}, not {wanted}"


def uncertainty_never_grows(model: Model, n_features: int, course: Course) -> Iterator[str]:
    """A reward makes no standard deviation larger."""
    posterior = model.prior(n_features)
    for lesson in course.lessons:
        wiser = taught(posterior, [lesson])
        for context in course.contexts:
            before, now = (known.at(context).predict(course.probes)[1] for known in (posterior, wiser))
            for row in np.flatnonzero(now > before * (1.0 + ROUNDING) + ROUNDING):
                yield f"that of the row {course.probes[row]} grows from {before[row]} to {now[row]}"
        posterior = wiser


def posteriors_are_values(model: Model, n_features: int, course: Course) -> Iterator[str]:
    """Learning leaves the old posterior as it was."""
    posterior = model.prior(n_features)
    for lesson in course.lessons:
        before = snapshot(posterior, course)
        wiser = taught(posterior, [lesson])
        if any(
            not np.array_equal(a, b, equal_nan=True)
            for a, b in zip(before, snapshot(posterior, course), strict=True)
        ):
            yield f"the rewards {lesson.y} change the posterior that they are added to"
        posterior = wiser


def fast_and_exact_predictions_agree_within_rounding(
    model: Model, n_features: int, course: Course
) -> Iterator[str]:
    """|μ + βσ by `predict` - that by `predict_exactly`| ≤ `rounding`."""
    for belief in beliefs(model, n_features, course):
        fast, exact = belief.predict(course.probes), belief.predict_exactly(course.probes)
        for beta in BETAS:
            one, other = (mean + beta * std for mean, std in (fast, exact))
            bound = belief.rounding(course.probes, beta, one)
            for row in np.flatnonzero(np.abs(one - other) > bound):
                yield (
                    f"with beta {beta} the row {course.probes[row]} gets {one[row]} and {other[row]}, "
                    f"further apart than {bound[row]}"
                )


def equal_rows_get_equal_numbers(model: Model, n_features: int, course: Course) -> Iterator[str]:
    """`predict_exactly` gives equal rows equal numbers, to the last bit, wherever they stand."""
    order = np.arange(len(course.probes))[::-1]
    for belief in beliefs(model, n_features, course):
        for one, other in zip(
            belief.predict_exactly(course.probes), belief.predict_exactly(course.probes[order]), strict=True
        ):
            for i, j in np.argwhere((course.probes[:, None] == course.probes[order]).all(axis=2)):
                if not np.array_equal(one[i], other[j], equal_nan=True):
                    yield f"the row {course.probes[i]} gets {one[i]} here and {other[j]} there"


LAWS = (
    batches_and_single_rewards_teach_the_same,
    order_does_not_matter,
    what_is_not_observed_teaches_nothing,
    rewards_are_counted,
    information_grows_by_the_logarithm_of_one_plus_variance,
    uncertainty_never_grows,
    posteriors_are_values,
    fast_and_exact_predictions_agree_within_rounding,
    equal_rows_get_equal_numbers,
)


def taught(posterior: Posterior, lessons: Sequence[Lesson]) -> Posterior:
    """Return what is known after lessons."""
    for lesson in lessons:
        posterior = posterior.condition(lesson.x, lesson.y, lesson.context)
    return posterior


def beliefs(model: Model, n_features: int, course: Course) -> Iterator[Belief]:
    """Yield what is believed before and after the lessons, under every context."""
    for posterior in (model.prior(n_features), taught(model.prior(n_features), course.lessons)):
        yield from (posterior.at(context) for context in course.contexts)


def snapshot(posterior: Posterior, course: Course) -> list[Floats]:
    """Return what a posterior says of the probes under every context, and how much it has learned."""
    said = [posterior.at(context).predict(course.probes) for context in course.contexts]
    counts = np.array([posterior.logdet, float(posterior.n_observations)])
    return [counts, *(numbers for pair in said for numbers in pair)]


def differences(one: Posterior, other: Posterior, course: Course, how: str) -> Iterator[str]:
    """Yield where two posteriors that should know the same do not."""
    for a, b in zip(snapshot(one, course), snapshot(other, course), strict=True):
        for row in np.flatnonzero(
            ~(close(a, b, np.nanmax(np.abs(a), initial=0.0)) | (np.abs(a - b) < ROUNDING))
        ):
            yield f"{how}, {b[row]} is believed instead of {a[row]}"
