"""The verb `fit`: what it returns, on data made for the purpose and on the shared data sets."""

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import quorate
from quorate import InputError
from quorate._random import generator
from quorate._typing import Array
from quorate.populations.families import TruncatedNormal
from quorate.populations.normal import NormalPopulation


def table(codes: Array, labels: list[str]) -> dict[str, list[str]]:
    n_items, n_raters = codes.shape
    return {
        "item": [f"i{i}" for i in range(n_items) for _ in range(n_raters)],
        "response": [labels[code] for code in codes.ravel()],
    }


def votes(alpha: tuple[float, ...], n_items: int = 300, n_raters: int = 5) -> dict[str, list[str]]:
    rng = generator(0, "fit-verb", *map(str, alpha))
    law = rng.dirichlet(alpha, n_items)
    codes = (rng.random((n_items, n_raters, 1)) > law.cumsum(-1)[:, None]).sum(-1)
    return table(codes, ["a", "b", "c", "d", "e"])


def test_the_result_has_the_fields_of_the_contract() -> None:
    found = quorate.fit(votes((2.0, 1.0, 0.5)))
    content = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert content["schema"] == "quorate.fit/1"
    assert content["population"]["kind"] == "dirichlet"
    assert content["population"]["categories"] == ["a", "b", "c"]
    assert len(content["population"]["alpha"]) == 3
    assert content["verdict"] == "fits"
    assert content["warnings"] == []
    assert {"log_likelihood", "mab", "spread", "alternatives", "settings", "seed"} <= set(content)
    assert content["settings"]["prior"].startswith("log(sum of alpha) ~ Normal(log M, 2)")
    assert "\n".join(found.sentence().lines()) in str(found)
    assert "alpha" in found._repr_html_()
    assert found.to_frame().columns == ["category", "observed", "expected", "alpha"]


def test_few_ratings_cannot_tell_whether_a_population_fits() -> None:
    few, many = (quorate.fit(votes((2.0, 1.0), n_items, 3)) for n_items in (12, 600))
    assert (few.verdict, many.verdict) == ("cannot_tell", "fits")
    assert few.spread.visible > 0.25 > many.spread.visible
    assert "so few ratings do not tell" in few.sentence()


def test_a_result_can_be_pickled_and_names_what_it_was_held_against() -> None:
    stars = {"item": [1, 1, 2, 2, 3, 3], "response": [1, 2, 3, 3, 5, 4]}
    for found in (quorate.fit(stars, order="1,2,3,4,5"), quorate.fit(votes((2.0, 1.0)), evaluate="toxicity")):
        assert pickle.loads(pickle.dumps(found)).to_dict() == found.to_dict()
    assert found.settings["evaluate"]["name"] == "toxicity"
    assert found.settings["evaluate"]["alpha"] == [1.37, 1.33]


def test_ml_names_no_prior_and_a_given_population_no_method() -> None:
    data = votes((2.0, 1.0, 0.5))
    assert quorate.fit(data, method="ml").settings["prior"] is None
    given = quorate.fit(data, evaluate=[2.0, 1.0, 0.5])
    assert given.settings["method"] is None
    assert given.verdict == "fits"
    assert "the population it is held against: a Dirichlet with alpha 2, 1, 0.5" in given.sentence()


def test_a_population_of_alike_items_is_called_out() -> None:
    found = quorate.fit(votes((2.0, 1.0, 0.5)), evaluate=[2000.0, 1000.0, 500.0])
    assert found.mab is not None
    assert found.mab < 0.05
    assert found.verdict == "does_not_fit"
    assert any("correlated" in warning for warning in found.warnings)
    assert "does not reproduce" in found.sentence()


def test_the_same_seed_gives_the_same_result_and_row_order_does_not_matter() -> None:
    data = votes((1.0, 1.0))
    order = np.random.default_rng(0).permutation(len(data["item"]))
    shuffled = {name: [column[i] for i in order] for name, column in data.items()}
    assert quorate.fit(data).to_dict() == quorate.fit(shuffled).to_dict()
    assert quorate.fit(data, seed=1).spread != quorate.fit(data).spread


def test_ordered_answers_choose_between_dirichlet_and_normal() -> None:
    rng = generator(0, "fit-verb", "ordered")
    mean, sd = rng.uniform(1, 5, 400), rng.uniform(0.2, 0.6, 400)
    stars = np.clip(np.rint(mean[:, None] + sd[:, None] * rng.standard_normal((400, 6))), 1, 5).astype(int) - 1
    data = table(stars, ["1", "2", "3", "4", "5"])
    found = quorate.fit(data)
    assert found.population.kind == "normal"
    assert found.population.levels == (1.0, 2.0, 3.0, 4.0, 5.0)
    roles = [row["role"] for row in found.to_dict()["alternatives"]]
    assert roles.count("means") == roles.count("sds") == 4
    assert roles.count("population") == 2
    dirichlet = quorate.fit(data, family="dirichlet")
    assert dirichlet.population.levels == (1.0, 2.0, 3.0, 4.0, 5.0)
    assert dirichlet.fitted.log_likelihood < found.fitted.log_likelihood
    assert quorate.fit(votes((2.0, 1.0, 0.5))).population.kind == "dirichlet"


def test_continuous_answers_get_a_normal_population() -> None:
    rng = generator(0, "fit-verb", "continuous")
    values = rng.uniform(0, 1, (200, 1)) + rng.uniform(0.05, 0.2, (200, 1)) * rng.standard_normal((200, 4))
    data = {"item": np.repeat(np.arange(200), 4), "response": values.ravel()}
    found = quorate.fit(data)
    assert found.population.kind == "normal"
    assert found.population.levels is None
    assert found.mab is None
    assert found.spread.figure == "item sd"
    assert found.verdict == "fits"
    assert found.to_frame().height == 8
    json.dumps(found.to_dict(), allow_nan=False)
    with pytest.raises(InputError, match="use --family normal"):
        quorate.fit(data, family="dirichlet")


def test_what_cannot_be_fitted_is_refused_with_a_sentence() -> None:
    with pytest.raises(InputError, match="every item has one answer"):
        quorate.fit({"item": [1, 2, 3], "response": ["a", "b", "a"]})
    with pytest.raises(InputError, match="all answers are the same"):
        quorate.fit({"item": [1, 1, 2, 2], "response": ["a", "a", "a", "a"]})
    unknown: Any = "cauchy"
    with pytest.raises(InputError, match="family must be"):
        quorate.fit(votes((1.0, 1.0)), family=unknown)
    with pytest.raises(InputError, match="the population has 2 categories, the ratings have 3"):
        quorate.fit(votes((2.0, 1.0, 0.5)), evaluate=[1.0, 2.0])
    with pytest.raises(InputError, match="are not those of the ratings"):
        quorate.fit(votes((2.0, 1.0, 0.5)), evaluate="dices")
    with pytest.raises(InputError, match="name all levels with --order"):
        quorate.fit(votes((2.0, 1.0, 0.5)), evaluate="toxicity-likert")


# The exact optima below were found by a plain Nelder–Mead search over gamma functions (test_fit_dirichlet.py shows
# that the two agree); the issue asks for 5 %.
ML = {
    "dices_350": (("No", "Unsure", "Yes"), (4.96, 0.84, 2.65)),
    "md_agreement": (("0", "1"), (1.17, 0.60)),
    "jobs_q1": (
        ("1st_person", "2nd_person", "3rd_person", "not_jobrelated", "unclear"),
        (2.48, 0.42, 0.38, 0.79, 0.47),
    ),
}


@pytest.mark.parametrize("name", ML)
def test_ml_on_public_data(shared: Path, name: str) -> None:
    categories, alpha = ML[name]
    found = quorate.fit(shared / name / "annotations.csv.gz", method="ml")
    population = found.population.enumerable
    assert population is not None
    assert tuple(population.categories) == categories
    np.testing.assert_allclose(np.array(population.alpha), alpha, rtol=0.05)


@pytest.mark.parametrize(("name", "preset", "mab"), [("jobs_q1", "jobsq1", 0.0537), ("jobs_q3", "jobsq3", 0.0869)])
def test_printed_alphas_have_the_printed_mab_and_fail_the_spread_check(
    shared: Path, name: str, preset: str, mab: float
) -> None:
    # Table 1 of forest prints these biases: the printed α belong to these data, and MAB alone would let them pass.
    found = quorate.fit(shared / name / "annotations.csv.gz", evaluate=preset)
    assert found.mab == pytest.approx(mab, abs=5e-5)
    assert found.verdict == "does_not_fit"
    assert found.spread.expected_correlation < 0.01 < found.spread.correlation
    assert found.spread.correlation_fails


def test_public_data_that_a_dirichlet_describes_pass(shared: Path) -> None:
    assert quorate.fit(shared / "md_agreement" / "annotations.csv.gz").verdict == "fits"


def test_the_bounds_of_multidomain_are_those_of_the_test_part(shared: Path) -> None:
    # ratings prints no truncation bounds; [0, 1] for means and sds, the first guess, is far less likely.
    rows = pl.read_csv(shared / "md_agreement" / "annotations.csv.gz").filter(pl.col("split") == "test")
    ratings = quorate.read_ratings(rows.select("item", "rater", "response"), order=["0", "1"])
    found = quorate.fit(ratings, evaluate="multidomain")
    assert ratings.n_items == 3057
    assert found.verdict == "fits"
    for high in ((1.0, 1.0), (0.75, 0.68), (0.9, 0.68), (0.82, 0.6), (0.82, 0.77)):
        means, sds = TruncatedNormal(-0.5, 1.0, 0.0, high[0]), TruncatedNormal(-0.3923, 0.8502, 0.0, high[1])
        other = NormalPopulation(means, sds, levels=(0.0, 1.0))
        assert quorate.fit(ratings, evaluate=other).fitted.log_likelihood < found.fitted.log_likelihood


def test_reading_options_of_ratings_already_read_are_refused() -> None:
    with pytest.raises(InputError, match="read already, so --scale would do nothing"):
        quorate.fit(quorate.read_ratings("example:support"), scale="ordinal")


def test_a_population_that_is_none_names_the_option() -> None:
    with pytest.raises(InputError, match=r"^--evaluate: no preset is called 'p=.05'"):
        quorate.fit("example:support", evaluate="p=.05")


def test_levels_are_said_to_agree_and_categories_and_numbers_to_correlate() -> None:
    """Only equal levels are alike to the check, so what it shows is far below the correlation of the numbers."""
    levels, labels = quorate.fit("example:summaries"), quorate.fit("example:support")
    assert levels.sentence().startswith("Two answers to an item agree 0.17 beyond chance")
    assert "agreement beyond chance" in [row[0] for row in levels.tables()["spread"].rows]
    assert labels.sentence().startswith("Two answers to an item correlate 0.24")
    assert "correlation within items" in [row[0] for row in labels.tables()["spread"].rows]
