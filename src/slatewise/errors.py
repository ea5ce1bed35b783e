"""The one error of bad input: it names the argument, what is wrong with it, and where."""

from __future__ import annotations

from typing import NoReturn


class ArgumentError(ValueError):
    """A bad argument; raised before anything has changed.

    Parameters
    ----------
    argument
        The name of the argument, as the caller knows it.
    problem
        What is wrong: the rule, the value that breaks it, and its place.
    """

    def __init__(self, argument: str, problem: str) -> None:
        super().__init__(f"{argument}: {problem}")
        self.argument = argument
        self.problem = problem

    def __reduce__(self) -> tuple[type[ArgumentError], tuple[str, str]]:
        return ArgumentError, (self.argument, self.problem)


def reject(argument: str, problem: str) -> NoReturn:
    """Raise `ArgumentError` for an argument."""
    raise ArgumentError(argument, problem)
