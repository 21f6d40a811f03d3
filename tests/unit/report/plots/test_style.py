"""Colours can be told from the page on light and on dark; sources are those of the bibliography."""

import re
from itertools import combinations
from pathlib import Path

import pytest

import quorate.report
from quorate.report.plots.planning import _frontier
from quorate.report.plots.style import PALETTE, SYMBOLS, band, label, ticks
from quorate.report.references import REFERENCES

ROOT = Path(__file__).parents[4]
CSS = (Path(quorate.report.__file__).parent / "static" / "report.css").read_text()


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def variables(scheme: int) -> dict[str, str]:
    """The colours of the page: light ones first, dark ones second."""
    return dict(re.findall(r"--([\w-]+): (#\w{6});", CSS.split(":root {")[scheme].split("}")[0]))


@pytest.mark.parametrize("scheme", [1, 2])
def test_plots_and_text_stand_out_from_the_page(scheme: int) -> None:
    page = variables(scheme)
    for colour in PALETTE:
        assert contrast(colour, page["page"]) >= 3, colour  # WCAG 1.4.11, graphics
    for name in ("ink", "soft", "accent"):
        assert contrast(page[name], page["page"]) >= 4.5, name  # WCAG 1.4.3, text
        assert contrast(page[name], page["card"]) >= 4.5, name
    assert contrast(page["care"], page["care-back"]) >= 4.5


def test_the_contrast_of_black_and_white_is_21() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


def test_colours_differ_and_have_a_shape_each() -> None:
    assert len(set(SYMBOLS)) == len(set(PALETTE)) == len(PALETTE)
    assert all(one != other for one, other in combinations(PALETTE, 2))


def test_labels_are_short_single_lines() -> None:
    assert label("x" * 100) == "x" * 25 + "…"
    assert label("a\nb") == "a b"


def test_ticks_of_a_wide_range_are_powers_of_ten() -> None:
    assert ticks(1, 100_000)["ticktext"] == ["1", "10", "100", "1,000", "10,000", "100,000"]


def test_the_frontier_runs_between_the_cells_that_meet_the_goal_and_those_that_do_not() -> None:
    # 79.6 is shown as 80; the last row never meets it.
    cells: list[list[float | None]] = [[10, 70, 90], [None, 79.6, 81], [5, 6, 7]]
    (line,) = _frontier(cells, 80)
    assert line.x == (1.5, 1.5, 0.5, 0.5, None, None)
    assert line.y == (-0.5, 0.5, 0.5, 1.5, 1.5, 2.5)
    assert _frontier([[80, 90]], 80) == _frontier([[10, 20]], 80) == []


def test_a_band_goes_forth_along_the_top_and_back_along_the_bottom() -> None:
    drawn = band([0, 1], [2, 3], [4, 5], PALETTE[0])
    assert (drawn.x, drawn.y) == ((0, 1, 1, 0), (4, 5, 3, 2))


@pytest.mark.skipif(not (ROOT / "docs").exists(), reason="the bibliography comes with the repository")
def test_sources_are_in_the_bibliography() -> None:
    text = (ROOT / "docs" / "references.bib").read_text()
    titles = {key: re.sub(r"[{}]", "", title) for key, title in re.findall(r"@\w+\{(\w+),\s+title = \{(.*)\}", text)}
    for key, words in REFERENCES.items():
        assert titles[key] in words
