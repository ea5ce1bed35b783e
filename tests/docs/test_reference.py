"""docs/reference.md says what the code says, and every public name tells how it is used.

``python tests/docs/test_reference.py`` writes the page anew.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cached_property
from pathlib import Path

import pytest

import slatewise as sw
from slatewise import testing

PAGE = Path(__file__).parents[2] / "docs" / "reference.md"

SECTIONS = {
    "Problems": ("problem", "features"),
    "Objectives": ("objectives",),
    "Constraints": ("constraints",),
    "Models": ("models",),
    "Widths": ("widths",),
    "Indices": ("indices",),
    "Oracles": ("oracles",),
    "Policies": ("policies",),
    "Slates": ("slate", "randomness"),
    "Known weights": ("offline",),
    "From tables to slates": ("catalogue", "reranking", "recommender", "explaining", "keeping", "ledger"),
    "Errors": ("errors",),
    "Contracts": ("testing",),
}
"""Which modules of the package make which section."""

INTRODUCTION = """\
# Reference

Every public name of `slatewise`, by noun: how it is called, and what it is. Under a class stand the verbs \
that it adds to its bases. A `*` means that what follows is given by keyword; `help(...)` tells the rest \
(shapes, costs, examples). This page is written by `python tests/docs/test_reference.py`, and a test holds \
it to the code.
"""

MET_NOT_MADE = {
    "ArgumentError",
    "Candidate",
    "Intersection",
    "KernelScaleWarning",
    "Look",
    "NoModel",
    "Packing",
    "Prefix",
    "Score",
    "Search",
    "Slates",
    "State",
    "States",
    "UnknownLabelWarning",
}
"""Names that others hand out, or that say all there is to say: without an example of their own."""

NAMES = {name: getattr(sw, name) for name in sw.__all__}
CONTRACTS = {name: getattr(testing, name) for name in testing.__all__}
LONGEST_DEFAULT = 24


def page() -> str:
    """Return the whole page."""
    return "\n".join([INTRODUCTION, *(line for title in SECTIONS for line in section(title))])


def section(title: str) -> Iterator[str]:
    """Yield the lines of a section, the nouns that others implement first; none where it has no names."""
    names = [name for name, thing in (NAMES | CONTRACTS).items() if module_of(thing) in SECTIONS[title]]
    if names:
        yield from (f"## {title}", "")
        if title == "Contracts":
            yield from ("In `slatewise.testing`: run what you have written through them.", "")
        for name in sorted(names, key=lambda name: not inspect.isabstract((NAMES | CONTRACTS)[name])):
            yield from entry(name, (NAMES | CONTRACTS)[name])
        yield ""


def module_of(thing: object) -> str:
    """Return the part of the package that a thing is defined in."""
    return thing.__module__.split(".")[1]


def entry(name: str, thing: object) -> Iterator[str]:
    """Yield the line of a name, and those of its verbs."""
    yield f"- **`{name}{call(thing)}`**: {first_line(thing)}"
    if inspect.isclass(thing):
        for verb, attribute in own_verbs(thing):
            yield f"    - `.{verb}{call(attribute)}`: {first_line(attribute)}"


def own_verbs(kind: type) -> Iterator[tuple[str, object]]:
    """Yield the public methods and properties that a class adds to its bases, in order."""
    inherited = {name for base in kind.__mro__[1:] for name in vars(base)}
    for name, attribute in vars(kind).items():
        plain = attribute.__func__ if isinstance(attribute, classmethod | staticmethod) else attribute
        is_verb = inspect.isfunction(plain) or isinstance(plain, property | cached_property)
        if is_verb and not name.startswith("_") and name not in inherited:
            yield name, plain


def call(thing: object) -> str:
    """Return how something is called, without annotations; nothing for what is not called."""
    if inspect.isabstract(thing) or isinstance(thing, property | cached_property):
        return ""
    try:
        signature = inspect.signature(thing)
    except ValueError:
        return ""
    parameters = [
        parameter.replace(
            annotation=inspect.Parameter.empty,
            default=parameter.default
            if parameter.default is inspect.Parameter.empty
            else Shown(parameter.default),
        )
        for parameter in signature.parameters.values()
        if parameter.name not in {"self", "cls"}
    ]
    return str(signature.replace(parameters=parameters, return_annotation=inspect.Signature.empty))


class Shown:
    """A default as the page shows it: long ones cut short."""

    def __init__(self, value: object) -> None:
        self.value = value

    def __repr__(self) -> str:
        text = repr(self.value)
        return text if len(text) <= LONGEST_DEFAULT else f"{type(self.value).__name__}(...)"


def first_line(thing: object) -> str:
    """Return the first line of a docstring."""
    return (inspect.getdoc(thing) or "").partition("\n")[0]


def arguments(thing: object) -> list[str]:
    """Return the names of what something takes."""
    if inspect.isclass(thing) and is_dataclass(thing) and "__init__" not in vars(thing):
        return [field.name for field in fields(thing)]
    try:
        return list(inspect.signature(thing).parameters)
    except ValueError:
        return []


def test_the_page_is_what_the_code_says() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "python tests/docs/test_reference.py writes it anew"


def test_every_public_name_is_on_the_page_once_and_no_other() -> None:
    listed = re.findall(r"^- \*\*`(\w+)", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert sorted(listed) == sorted([*sw.__all__, *testing.__all__])


@pytest.mark.parametrize("name", [*sw.__all__, *testing.__all__])
def test_every_public_name_has_a_docstring_with_all_that_it_takes(name: str) -> None:
    thing = (NAMES | CONTRACTS)[name]
    text = thing.__doc__ or ""
    assert first_line(thing).endswith((".", ":", "?")), f"{name} has no first sentence"
    if not inspect.isabstract(thing) and arguments(thing):
        described = parameters_section(inspect.cleandoc(text))
        missing = [argument for argument in arguments(thing) if argument not in described]
        assert not missing, f"{name} does not say what it takes: {missing}"


@pytest.mark.parametrize("name", sorted({*sw.__all__, *testing.__all__} - MET_NOT_MADE))
def test_whatever_a_caller_makes_has_an_example(name: str) -> None:
    thing = (NAMES | CONTRACTS)[name]
    if not inspect.isabstract(thing):
        text = inspect.cleandoc(thing.__doc__ or "")
        assert "Examples\n--------" in text
        assert ">>> " in text


def test_verbs_have_docstrings() -> None:
    without = [
        f"{name}.{verb}"
        for name, thing in NAMES.items()
        if inspect.isclass(thing)
        for verb, attribute in own_verbs(thing)
        if not inspect.getdoc(attribute)
    ]
    assert not without


def parameters_section(text: str) -> set[str]:
    """Return the names that a docstring's section of parameters describes."""
    found = re.search(r"^Parameters\n-+\n(.*?)(?=^\w[^\n]*\n-{3,}$|\Z)", text, flags=re.DOTALL | re.MULTILINE)
    lines = re.findall(r"^(\w[\w, ]*)$", found[1], flags=re.MULTILINE) if found else []
    return {name.strip() for line in lines for name in line.split(",")}


def main() -> None:
    """Write the page anew."""
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
