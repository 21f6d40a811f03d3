"""Colours can be told from the page on light and on dark; names are text; dots and bands stand where they should."""

import re
from itertools import combinations
from pathlib import Path

import pytest

import quorate.report
from quorate.report.style import PALETTE, SYMBOLS, band, dots, figure, label, names_axis, tall, ticks

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
    assert label("<b> \"a\" & 'b'") == "&lt;b&gt; \"a\" &amp; 'b'"  # plotly shows other signs' codes as they are


def test_ticks_of_a_wide_range_are_powers_of_ten() -> None:
    assert ticks(1, 100_000)["ticktext"] == ["1", "10", "100", "1,000", "10,000", "100,000"]


def test_a_band_goes_forth_along_the_top_and_back_along_the_bottom() -> None:
    drawn = band([0, 1], [2, 3], [4, 5], PALETTE[0])
    assert (drawn["x"], drawn["y"]) == ([0, 1, 1, 0], [4, 5, 3, 2])


def test_names_on_an_axis_are_text_with_the_first_on_top() -> None:
    axis = names_axis(["2024-01-01", "<i>x</i>"])
    assert axis["ticktext"] == ["2024-01-01", "&lt;i&gt;x&lt;/i&gt;"]
    assert axis["range"] == [1.6, -0.6]
    assert (tall(2), tall(10)) == (198, 470)


def test_whiskers_reach_from_the_value_to_both_ends_where_there_are_any() -> None:
    drawn = dots([(0.5, 0.25, 0.75), (1.0, None, None)], [0, 1], ["x", "y"], "a", "#2a7fba", "circle")
    assert (drawn["error_x"]["array"], drawn["error_x"]["arrayminus"]) == ([0.25, 0.0], [0.25, 0.0])


def test_a_title_stands_below_where_names_take_the_side() -> None:
    beside = figure([], "Title", x={"title": "x"}, y={"title": "y"})["layout"]
    assert beside["xaxis"]["title"]["text"] == "x"
    below = figure([], "Title", x={"title": "x"}, y=names_axis(["a"]))["layout"]
    assert (below["xaxis"]["title"]["text"], below["annotations"][0]["text"]) == ("", "x")


def test_what_has_no_points_is_not_drawn() -> None:
    nobody = dots([], [], [], "a", "#2a7fba", "circle")
    somebody = dots([(0.5, 0.25, 0.75)], [0], ["x"], "b", "#2a7fba", "circle")
    drawn = figure([nobody, somebody], "Title", x={"title": "x"}, y={"title": "y"})
    assert [each["name"] for each in drawn["data"]] == ["b"]
    assert not drawn["layout"]["showlegend"]
