"""Figures: curves that can be told apart, labels that do not overlap, files that are whole."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib._pylab_helpers import Gcf

from slatewise.plots import STYLES, Curve, Estimate, blank, draw_curves, learning_figure, save_png, spread


def curves(rounds: int) -> list[Curve]:
    means = [np.linspace(0.0, end, rounds) for end in (1.0, 0.5, 0.49, 0.2)]
    return [
        Curve(name, mean, mean - 0.1, mean + 0.1) for name, mean in zip(list(STYLES)[:4], means, strict=True)
    ]


@given(st.lists(st.floats(-2, 3), min_size=1, max_size=8), st.floats(0.01, 0.5))
def test_spread_keeps_order_and_distance_and_moves_no_more_than_it_must(
    heights: list[float], apart: float
) -> None:
    wishes = np.array(heights)
    moved = spread(wishes, apart)
    order = np.argsort(wishes, kind="stable")
    assert (np.diff(moved[order]) >= apart - 1e-9).all()
    assert moved.mean() == pytest.approx(wishes.mean())
    if (np.diff(wishes[order]) >= apart).all():
        assert moved == pytest.approx(wishes)


def test_styles_differ_without_colour_too() -> None:
    assert len({style.marker for style in STYLES.values()}) == len(STYLES)
    assert len({style.dashes for style in STYLES.values()}) == len(STYLES)
    assert len({style.colour for style in STYLES.values()}) == len(STYLES)


@pytest.mark.parametrize("rounds", [1, 2, 50])
def test_every_curve_is_named_at_its_end_and_has_a_band(rounds: int) -> None:
    _, (panel,) = blank([1.0], title="title")
    draw_curves(panel, curves(rounds))
    assert [text.get_text() for text in panel.texts] == list(STYLES)[:4]
    heights = sorted(text.xy[1] for text in panel.texts)
    assert (np.diff(heights) > 0.05).all()
    assert len(panel.collections) == 4


def test_the_same_figure_gives_the_same_bytes_and_pyplot_is_left_alone(tmp_path: Path) -> None:
    paths = [tmp_path / "a.png", tmp_path / "b.png"]
    for path in paths:
        differences = [Estimate("RANDOM", 0.5, 0.2, 0.8), Estimate("unknown", -0.1, -0.2, 0.0)]
        save_png(learning_figure(curves(9), differences, title="t", subtitle="s", y="y"), path)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert paths[0].read_bytes().startswith(b"\x89PNG")
    assert not Gcf.get_all_fig_managers()


def test_a_link_is_written_through(tmp_path: Path) -> None:
    target, link = tmp_path / "target.png", tmp_path / "link.png"
    link.symlink_to(target)
    save_png(learning_figure(curves(2), [Estimate("RANDOM", 0, 0, 0)], title="t", subtitle="s", y="y"), link)
    assert link.is_symlink()
    assert target.read_bytes().startswith(b"\x89PNG")
