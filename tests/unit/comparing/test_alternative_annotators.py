"""The alternative annotator test and the worth of a judge, against implementations response by response."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import ttest_1samp

from quorate import compare
from quorate.comparing.alternative_annotators import annotator_test, worth_in_raters
from quorate.data.answers import read_systems
from quorate.data.read_ratings import read_ratings


def plain_test(
    people: dict[str, dict[str, Any]], judge: dict[str, Any], epsilon: float, numbers: bool
) -> tuple[float, float]:
    """ω and ρ of [calderon2025], one response at a time."""
    of_item: dict[str, list[str]] = {}
    for person, said in people.items():
        for item in said:
            of_item.setdefault(item, []).append(person)

    def score(answer: Any, others: list[Any]) -> float:
        if numbers:
            return -float(np.sqrt(np.mean([(answer - other) ** 2 for other in others])))
        return float(np.mean([answer == other for other in others]))

    p_values, advantages = [], []
    for person, said in people.items():
        judge_wins, person_wins = [], []
        for item, own in said.items():
            others = [people[other][item] for other in of_item[item] if other != person]
            if others:
                of_judge, of_person = score(judge[item], others), score(own, others)
                judge_wins.append(float(of_judge >= of_person))
                person_wins.append(float(of_person >= of_judge))
        if len(judge_wins) >= 30:
            difference = np.subtract(person_wins, judge_wins)
            p_values.append(float(ttest_1samp(difference, epsilon, alternative="less").pvalue))
            advantages.append(np.mean(judge_wins))
    m = len(p_values)
    harmonic = sum(1 / k for k in range(1, m + 1))
    passed = [k for k, p in enumerate(sorted(p_values), 1) if p <= k * 0.05 / (m * harmonic)]
    return max(passed, default=0) / m, float(np.mean(advantages))


def read(folder: Path, name: str) -> pl.DataFrame:
    path = next(folder.glob(f"{name}.csv*"))
    return pl.read_csv(path, infer_schema_length=None)


@pytest.mark.parametrize(
    ("name", "epsilon", "judges"),
    [
        ("summeval_experts", 0.2, ["gpt-4o"]),
        ("framing", 0.15, ["gpt-4o", "mistral-v03"]),
        ("cebab_stars", 0.1, None),
        ("lesion", 0.2, None),
        ("prompts_10k", 0.1, None),
    ],
)
def test_real_judges_have_the_winning_rate_and_advantage_of_a_plain_implementation(
    shared: Path, name: str, epsilon: float, judges: list[str] | None
) -> None:
    ratings, answers = read(shared / name, "annotations"), read(shared / name, "predictions")
    numbers = ratings["response"].dtype.is_numeric()
    people: dict[str, dict[str, Any]] = {}
    for item, rater, response in ratings.select("item", "rater", "response").iter_rows():
        people.setdefault(rater, {})[item] = response
    table = read_ratings(ratings.select("item", "rater", "response"))
    kept, systems = read_systems(answers.select("item", "system", "response"), table)
    for system, given in systems.answers.items():
        if judges is not None and system not in judges:
            continue
        judge = dict(answers.filter(pl.col("system") == system).select("item", "response").iter_rows())
        found = annotator_test(kept, given.summary, epsilon)
        assert (found.winning_rate, found.advantage) == pytest.approx(plain_test(people, judge, epsilon, numbers))


def test_compare_reports_them(shared: Path) -> None:
    folder = shared / "cebab_stars"
    result = compare(folder / "annotations.csv", folder / "predictions.csv", baseline="raters", epsilon="crowd")
    [judge] = [each for each in result.judges if each.system == "gpt-4o"]
    assert judge.epsilon == 0.1
    assert judge.raters_tested == 10
    assert judge.advantage == pytest.approx(0.899, abs=5e-4)


def test_raters_of_few_items_are_not_tested() -> None:
    ratings = read_ratings({"item": [1, 1, 2, 2], "rater": list("uvuv"), "response": list("yyyn")})
    _, systems = read_systems({"item": [1, 2], "system": ["j", "j"], "response": ["y", "y"]}, ratings)
    found = annotator_test(ratings, systems.answers["j"].summary, 0.2)
    assert (found.winning_rate, found.advantage, found.raters) == (None, None, 0)
    # Against v, the judge meets u: y against u's y, y, so it is never behind; against u it meets v, as u does.
    assert found.advantages.tolist() == [1.0, 1.0]


def test_the_mean_of_two_raters_is_worth_two() -> None:
    # Numbers with variance 1 among raters: the mean of two others has error variance ½, so D_fh = 1.5 and D_hh = 2.
    rng = np.random.default_rng(5)
    n_items, n_raters = 4000, 4
    truth = rng.normal(size=n_items)
    said = truth[:, None] + rng.normal(size=(n_items, n_raters))
    judge = (truth[:, None] + rng.normal(size=(n_items, 2))).mean(-1)
    item = np.repeat(np.arange(n_items), n_raters)
    table = {"item": item, "rater": np.tile(np.arange(n_raters), n_items), "response": said.round(4).ravel()}
    ratings = read_ratings(pl.DataFrame(table))
    answers = pl.DataFrame({"item": np.arange(n_items), "system": ["j"] * n_items, "response": judge.round(4)})
    kept, systems = read_systems(answers, ratings)
    worth = worth_in_raters(kept, systems.answers["j"].summary)
    # k = H / (2F − H) moves by 3 dH and −4 dF at H = 2, F = 1.5; of 4000 items both have errors of at most 0.026.
    assert worth == pytest.approx(2.0, abs=5 * (3 + 4) * 0.026)


def test_a_rater_is_worth_one_and_labels_are_points() -> None:
    # Two raters differ on one of four items: D_hh = 2 · ¼; a judge who sides with the first: D_fh = 2 · ⅛.
    ratings = read_ratings({"item": [1, 1, 2, 2, 3, 3, 4, 4], "rater": list("uv" * 4), "response": list("yyyynnyn")})
    _, systems = read_systems({"item": [1, 2, 3, 4], "system": ["j"] * 4, "response": list("yyny")}, ratings)
    assert worth_in_raters(ratings, systems.answers["j"].summary) is None  # as close as can be told
    _, systems = read_systems({"item": [1, 2, 3, 4], "system": ["j"] * 4, "response": list("ynny")}, ratings)
    # D_fh = 2 (⅛ + ¼): k = ½ / (1.5 − ½).
    assert worth_in_raters(ratings, systems.answers["j"].summary) == pytest.approx(0.5)
