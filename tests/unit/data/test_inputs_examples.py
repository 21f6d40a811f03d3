"""The examples that come with quorate are those of the script, small, and tell the story they are said to tell."""

import importlib.util
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from quorate import compare, read_ratings, read_systems
from quorate._typing import Array
from quorate.data.inputs import EXAMPLES, example_path
from quorate.data.topology import topology
from tests.draws import counts_of
from tests.ratings import share_of

SCRIPT = Path(__file__).parents[3] / "examples" / "make_bundled.py"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not SCRIPT.exists():
        pytest.skip("examples/make_bundled.py comes with the repository, not with the package")
    spec = importlib.util.spec_from_file_location("make_bundled", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    folder = tmp_path_factory.mktemp("bundled")
    module.write(folder)
    return folder


def test_the_script_makes_the_same_bytes(made: Path) -> None:
    assert {path.stem for path in made.iterdir()} == set(EXAMPLES)
    for name in EXAMPLES:
        assert (made / f"{name}.csv").read_bytes() == example_path(name).read_bytes(), name


def test_all_examples_together_are_small() -> None:
    assert sum(example_path(name).stat().st_size for name in EXAMPLES) < 100_000


# name: items, raters, responses per item (least, most), scale, design
SETS = {
    "support": (120, 14, (5, 5), "nominal", "sparse"),
    "summaries": (80, 4, (4, 4), "ordinal", "crossed"),
    "moderation": (600, 40, (3, 5), "nominal", "sparse"),
    "claims": (80, 9, (4, 4), "nominal", "sparse"),
}


@pytest.mark.parametrize("name", SETS)
def test_an_example_is_what_its_line_says(name: str) -> None:
    items, raters, per_item, scale, design = SETS[name]
    ratings = read_ratings(f"example:{name}")
    assert (ratings.n_items, ratings.n_raters, ratings.scale.kind) == (items, raters, scale)
    assert (ratings.size.min(), ratings.size.max()) == per_item
    assert topology(ratings).kind == design


def scores(name: str) -> list[Array]:
    """Score of each item for atlas and birch: share of raters who gave the answer, or minus the distance to them."""
    ratings, systems = read_systems(f"example:{name}-answers", read_ratings(f"example:{name}"))
    levels = ratings.scale.levels
    apart = 1.0 - np.eye(ratings.scale.n_levels) if levels is None else np.abs(levels[:, None] - levels)
    rated = share_of(ratings.summary)
    return [-((share_of(systems.answers[who].summary) @ apart) * rated).sum(-1) for who in ("atlas", "birch")]


@pytest.mark.parametrize("name", ["support", "summaries"])
def test_atlas_is_better_than_birch(name: str) -> None:
    """At least three standard errors: an example whose truth is known should show it."""
    atlas, birch = scores(name)
    difference = atlas - birch
    assert difference.mean() > 3 * difference.std(ddof=1) / np.sqrt(len(difference))


@pytest.mark.parametrize("name", ["replies", "replies-judge"])
def test_the_replies_of_atlas_are_marked_higher(name: str) -> None:
    marks = pl.read_csv(example_path(name)).group_by("prompt", "system").agg(pl.col("rating").mean())
    wide = marks.pivot("system", index="prompt", values="rating")
    apart = (wide["atlas"] - wide["birch"]).to_numpy()
    assert len(apart) == 40
    assert apart.mean() > 3 * apart.std(ddof=1) / np.sqrt(40)


def test_one_judge_of_claims_agrees_with_raters_more_than_they_do_and_one_less() -> None:
    larch, maple = compare("example:claims", "example:claims-judges", baseline="raters", margin=0.05).judges
    assert (larch.system, larch.verdict) == ("larch", "not_worse")
    assert (maple.system, maple.high < 0) == ("maple", True)


def test_summaries_have_three_runs_per_item() -> None:
    _, systems = read_systems("example:summaries-answers", read_ratings("example:summaries"))
    assert set(systems.answers["birch"].summary.size.tolist()) == {3}
    assert systems.answers["birch"].run is not None


def test_probabilities_and_labels_come_from_the_same_belief() -> None:
    ratings = read_ratings("example:support")
    _, labels = read_systems("example:support-answers", ratings)
    _, beliefs = read_systems("example:support-probabilities", ratings)
    for who in ("atlas", "birch"):
        assert (
            share_of(beliefs.answers[who].summary).argmax(-1) == counts_of(labels.answers[who].summary).argmax(-1)
        ).mean() > 0.99


def test_experts_and_scores_belong_to_the_posts() -> None:
    posts = set(read_ratings("example:moderation").items)
    experts = read_ratings("example:moderation-experts", response_column="label")
    scores = example_path("moderation-scores").read_text().splitlines()[1:]
    assert experts.n_items == 60
    assert set(experts.items) < posts
    assert experts.response_share[1] * 60 >= 10  # enough of both classes for `estimate`
    assert {line.split(",")[0] for line in scores} == posts
    assert all(0 < float(line.split(",")[1]) < 1 for line in scores)
