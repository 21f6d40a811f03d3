"""Every public table beside the repository loads with the figures its README states."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quorate.data.answers import read_systems
from quorate.data.ratings import Ratings
from quorate.data.read_ratings import read_ratings
from quorate.data.topology import topology
from tests.ratings import known, share_of

# name: items, raters, responses per item (min, median, max), scale, kinds of topology – as the README states them,
# with the scale the contract infers. `lesion` is "fully crossed but for 20 missing cells".
TABLES = {
    "dices_350": (350, 123, (123, 123, 123), "nominal", "crossed"),
    "hs_brexit": (1120, 6, (6, 6, 6), "nominal", "crossed"),
    "armis": (943, 3, (3, 3, 3), "nominal", "crossed"),
    "paraphrase": (500, 4, (4, 4, 4), "ordinal", "crossed"),
    "summeval_experts": (6400, 3, (3, 3, 3), "ordinal", "crossed"),
    "lesion": (500, 6, (3, 6, 6), "ordinal", "crossed"),
    "wmt23_sxs_mqm_ende": (1040, 10, (3, 3, 3), "interval", "sparse"),
    "csc_devtest": (1408, 872, (4, 4, 6), "ordinal", "batches"),
    "framing": (2552, 4, (3, 3, 3), "nominal", "sparse"),
    "md_agreement": (10753, 819, (5, 5, 5), "nominal", "sparse"),
    "jobs_q1": (2000, 1185, (10, 10, 13), "nominal", "sparse"),
    "jobs_q3": (2000, 1185, (10, 10, 16), "nominal", "sparse"),
    "convabuse": (4050, 8, (2, 3, 8), "ordinal", "sparse"),
    "sentiment_polarity": (4999, 203, (4, 5, 10), "nominal", "sparse"),
    "weather_sentiment_amt": (300, 110, (20, 20, 25), "ordinal", "sparse"),
    "zencrowd_us": (2040, 74, (2, 5, 25), "nominal", "sparse"),
    "zencrowd_in": (2040, 25, (2, 5, 20), "nominal", "sparse"),
    "adult_content3": (496, 338, (86, 90, 90), "nominal", "sparse"),
    "cebab_stars": (711, 10, (3, 3, 4), "ordinal", "sparse"),
    "prompts_10k": (1698, 13, (2, 2, 5), "ordinal", "sparse"),
    "dices_990": (990, None, (69, 73, 76), "nominal", "anonymous"),
    "chaosnli_snli": (1514, None, (4, 5, 5), "nominal", "anonymous"),
}
COUNTS = {"chaosnli_snli": (1514, ("c", "e", "n")), "chaosnli_alphanli": (1532, ("1", "2"))}
# Pairs that answered more than once, from the README's notes on repeated pairs and on md_agreement and jobs_q3.
REPEATED = {
    "zencrowd_us": 795,
    "zencrowd_in": 600,
    "adult_content3": 8039,
    "weather_sentiment_amt": 5,
    "md_agreement": 1,
    "jobs_q3": 722,
}
FILL = {"md_agreement": 0.006, "convabuse": 0.38, "weather_sentiment_amt": 0.18, "adult_content3": 0.21}


@pytest.fixture(scope="session")
def load(shared: Path) -> Callable[..., Ratings]:
    loaded = {}

    def read(name: str, file: str = "annotations") -> Ratings:
        if (name, file) not in loaded:
            path = next((shared / name).glob(f"{file}.csv*"))
            key = "item,system" if name.startswith("wmt23") else None
            loaded[name, file] = read_ratings(path, item_column=key)
        return loaded[name, file]

    return read


@pytest.mark.parametrize("name", TABLES)
def test_a_table_has_the_figures_of_its_readme(name: str, load: Callable[..., Ratings]) -> None:
    items, raters, per_item, scale, kind = TABLES[name]
    ratings = load(name)
    assert (ratings.n_items, ratings.n_raters) == (items, raters)
    assert (ratings.size.min(), sorted(ratings.size)[items // 2], ratings.size.max()) == per_item
    assert (ratings.scale.kind, topology(ratings).kind) == (scale, kind)
    assert ratings.n_responses == ratings.n_rows  # nothing filtered, nothing imputed, duplicates kept


@pytest.mark.parametrize("name", COUNTS)
def test_a_table_of_counts_has_a_hundred_votes_per_item(name: str, load: Callable[..., Ratings]) -> None:
    items, categories = COUNTS[name]
    ratings = load(name, "counts")
    assert (ratings.n_items, ratings.n_raters, ratings.scale.categories) == (items, None, categories)
    assert set(ratings.size.tolist()) == {100}


@pytest.mark.parametrize("name", TABLES)
def test_repeated_pairs_are_those_of_the_readme(name: str, load: Callable[..., Ratings]) -> None:
    if TABLES[name][1] is not None:
        assert load(name).repeated_pairs == REPEATED.get(name, 0)


@pytest.mark.parametrize("name", FILL)
def test_fill_is_that_of_the_readme(name: str, load: Callable[..., Ratings]) -> None:
    fill = known(topology(load(name)).fill)
    digits = len(re.sub(r".*\.", "", str(FILL[name])))
    assert round(fill, digits) == FILL[name]


def test_disjoint_blocks_are_found(load: Callable[..., Ratings]) -> None:
    assert topology(load("csc_devtest")).blocks == 188


def test_negative_labels_are_labels(load: Callable[..., Ratings]) -> None:
    assert load("convabuse").scale.categories == ("-3", "-2", "-1", "0", "1")
    assert load("paraphrase").scale.categories[0] == "-5"


def test_a_word_for_missing_stays_a_category_of_text(load: Callable[..., Ratings]) -> None:
    """The README: yes / no (8 "n/a")."""
    framing = load("framing")
    assert [name[:3] for name in framing.scale.categories] == ["n/a", "no", "yes"]
    assert round(framing.response_share[0] * framing.n_responses) == 8


def test_grouping_columns_are_found(load: Callable[..., Ratings]) -> None:
    assert set(load("summeval_experts").item_groups) == {"doc", "summary_system", "dimension"}
    assert {name: len(group.names) for name, group in load("armis").rater_groups.items()} == {"rater_group": 3}
    assert len(load("wmt23_sxs_mqm_ende").item_groups["doc"].names) == 30
    assert "feature" in load("lesion").item_groups


@pytest.mark.parametrize(
    ("name", "systems"),
    [("summeval_experts", 6), ("lesion", 4), ("framing", 6), ("cebab_stars", 6), ("prompts_10k", 6)],
)
def test_predictions_align_with_their_ratings(
    name: str, systems: Any, load: Callable[..., Ratings], shared: Path
) -> None:
    path = next((shared / name).glob("predictions.csv*"))
    ratings, found = read_systems(path, load(name), missing="drop")
    assert len(found.names) == systems
    assert all(answers.summary.size.shape == (ratings.n_items,) for answers in found.answers.values())
    assert all((answers.summary.size > 0).all() for answers in found.answers.values())


def test_class_probabilities_align_with_counts(load: Callable[..., Ratings], shared: Path) -> None:
    ratings, found = read_systems(shared / "chaosnli_snli" / "scores.csv.gz", load("chaosnli_snli", "counts"))
    assert len(found.names) == 5
    assert ratings.n_items == 1514
    for answers in found.answers.values():
        assert abs(share_of(answers.summary).sum(-1) - 1).max() < 1e-12
