"""The verb `simulate`: its tables are what the readers expect, and raters are named honestly."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import quorate
from quorate import InputError
from quorate.data.answers import read_systems
from quorate.data.evaluation import read_evaluation
from quorate.data.read_ratings import read_ratings
from quorate.data.topology import topology
from quorate.populations.population import Answers
from quorate.populations.resampled import resampled
from quorate.report import to_html
from quorate.simulating.result import CrowdSimulation, Simulation

CROSSED = {
    "item": [f"i{i}" for i in range(8) for _ in range(4)],
    "rater": ["r1", "r2", "r3", "r4"] * 8,
    "response": [str((i * j) % 3) for i in range(8) for j in range(4)],
}


def simulate(*named: Any, **options: Any) -> Simulation:
    """Draw a study, not a crowd."""
    study = quorate.simulate(*named, **options)
    assert isinstance(study, Simulation)
    return study


FORMS: list[tuple[str, Answers]] = [
    (preset, n) for preset in ("dices", "toxicity-likert", "uniform-normal") for n in (1, 3, "raters")
]


@pytest.mark.parametrize(
    ("preset", "answers"), [*FORMS, ("dices", "probabilities"), ("toxicity-likert", "probabilities")]
)
def test_tables_are_read_back_as_they_were_drawn(preset: str, answers: Answers) -> None:
    study = simulate(preset, items=40, raters=5, answers=answers, effect=0.3, seed=3)
    ratings = read_ratings(study.ratings)
    assert (ratings.n_items, ratings.n_raters) == (40, 200)  # every response is a stranger's
    assert (ratings.size == 5).all()
    _, systems = read_systems(study.answers, ratings)
    assert systems.names == ("A", "B")
    expected = {"raters": 5, "probabilities": np.inf}.get(str(answers), answers)
    for name in "AB":
        assert (systems.answers[name].summary.size == expected).all()


def test_continuous_answers_have_no_probabilities() -> None:
    with pytest.raises(quorate.InputError, match="ask for a number of answers"):
        quorate.simulate("uniform-normal", items=40, raters=5, answers="probabilities")


def test_systems_may_answer_in_different_forms() -> None:
    study = simulate("dices", items=10, raters=3, answers_a=2, answers_b="probabilities")
    _, systems = read_systems(study.answers, read_ratings(study.ratings, order=["No", "Unsure", "Yes"]))
    assert (systems.answers["A"].summary.size == 2).all()
    assert np.isinf(systems.answers["B"].summary.size).all()


def test_crossed_raters_come_back_and_strangers_do_not() -> None:
    crossed = resampled(read_ratings(CROSSED), "items+raters")
    study = simulate(crossed, items=12, raters=5)
    assert topology(read_ratings(study.ratings)).kind == "crossed"
    assert study.ratings["rater"].n_unique() == 5
    apart = simulate(resampled(read_ratings(CROSSED), "S2"), items=12, raters=5)
    assert apart.ratings["rater"].n_unique() == 60


def test_the_seed_decides_everything() -> None:
    first, same, other = (simulate("dices", items=30, raters=4, seed=s) for s in (1, 1, 2))
    assert first.ratings.equals(same.ratings)
    assert first.answers.equals(same.answers)
    assert not first.ratings.equals(other.ratings)


def test_answers_to_an_item_come_in_random_order() -> None:
    # Counts would list them by category; the first of five answers must have the mean share, here ½.
    study = simulate((1000.0, 1000.0), items=4000, raters=5)
    first = study.ratings.group_by("item", maintain_order=True).first()["response"].to_numpy()
    assert abs(np.mean(first == "c1") - 0.5) < 5 * 0.5 / np.sqrt(4000)


def test_the_files_are_written_together(tmp_path: Path) -> None:
    study = simulate("dices", items=5, raters=2)
    paths = study.write(tmp_path / "new" / "study")
    assert sorted(p.name for p in (tmp_path / "new" / "study").iterdir()) == ["answers.csv", "ratings.csv"]
    assert pl.read_csv(paths[0]).height == 10
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="Cannot write"):
        study.write(tmp_path / "file")


def test_labels_that_are_formulas_are_made_harmless_unless_they_are_to_stay(tmp_path: Path) -> None:
    labels = {**CROSSED, "response": ["=1+1" if place % 3 else "\u202eno" for place in range(len(CROSSED["response"]))]}
    study = simulate(resample=labels, items=30, raters=2, answers="probabilities")
    for path in study.write(tmp_path / "safe"):
        assert ",'=1+1" in path.read_text()
        assert ",=1+1" not in path.read_text()
    assert ",=1+1" in study.write(tmp_path / "kept", keep_formulas=True)[0].read_text()
    assert "\u202e" not in to_html(study)
    assert "\\u202eno" in to_html(study)


def test_the_files_never_replace_what_was_resampled(tmp_path: Path) -> None:
    pl.DataFrame(CROSSED).write_csv(tmp_path / "ratings.csv")
    study = simulate(resample=tmp_path / "ratings.csv", items=5, raters=2)
    with pytest.raises(InputError, match="it is an input and stays as it is"):
        study.write(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["ratings.csv"]
    study.write(tmp_path / "study")


def test_ratings_are_fitted_and_resampled_under_the_names_of_the_command_line() -> None:
    crossed = simulate(resample=CROSSED, resample_unit="S1", resample_pool=3, items=6, raters=2)
    assert crossed.settings["resample_unit"] == "S1"
    assert crossed.settings["population"]["kind"] == "empirical"
    fitted = simulate(from_ratings=CROSSED, scale="nominal", items=6, raters=2)
    assert fitted.settings["population"]["kind"] == "dirichlet"
    assert fitted.settings["from_ratings"] == "the data"
    assert any("looks most like a Dirichlet" in line for line in fitted.load_report)


def test_a_population_that_does_not_fit_its_ratings_is_a_warning() -> None:
    """Half of the items all yes, half evenly split: no Dirichlet has both."""
    rows = [(f"i{i}", "yes" if i % 2 or j % 2 else "no") for i in range(300) for j in range(10)]
    item, response = zip(*rows, strict=True)
    study = simulate(from_ratings={"item": item, "response": response}, items=5, raters=2)
    assert any("consider --resample" in warning for warning in study.to_dict()["warnings"])


@pytest.mark.parametrize("named", ["dices", "irt"])
def test_a_result_can_be_pickled(named: str) -> None:
    study = quorate.simulate(named, items=5, raters=2)
    assert pickle.loads(pickle.dumps(study)).to_dict() == study.to_dict()


def test_the_sentence_says_what_was_drawn() -> None:
    def words(**arguments: Any) -> str:
        return simulate("dices", items=5, raters=2, **arguments).sentence()

    assert "5 items with 2 responses each, and the answers of two equally good systems" in words()
    assert "two systems (A perturbed by 0.1 and B perturbed by 0.3)" in words(effect=0.3, effect_a=0.1)
    assert "two equally good systems" in words(effect=0.3, null=True)
    assert simulate("dices", items=5, raters=2).to_dict()["responses"] == 10


def test_a_crowd_is_laid_out_as_estimate_reads_it() -> None:
    crowd = quorate.simulate("maven", items=100, raters=3, expert_share=0.1)
    assert isinstance(crowd, CrowdSimulation)
    assert (crowd.votes.height, crowd.votes.columns) == (100, ["item", "positive", "total"])
    assert (crowd.experts.height, crowd.experts.columns) == (10, ["item", "label"])
    assert (crowd.scores.height, crowd.scores.columns) == (100, ["item", "score"])


def test_rated_outputs_are_drawn_for_compare() -> None:
    study = simulate("toxicity-likert", items=40, raters=3, effect=0.4, rated=True)
    assert list(study.files) == ["ratings.csv"]
    assert study.ratings.columns == ["item", "rater", "system", "response"]
    assert study.ratings.height == 2 * 40 * 3
    assert study.ratings["rater"].n_unique() == 240  # strangers all
    result = quorate.compare(study.ratings, rated_system="system")
    assert (result.kind, result.pairs[0].n_items) == ("rated", 40)
    with pytest.raises(InputError, match="leave out answers"):
        quorate.simulate("toxicity-likert", items=40, raters=3, rated=True, answers=2)


def test_votes_side_by_side_are_drawn_and_read_again(tmp_path: Path) -> None:
    drawn = quorate.simulate(
        "preference", items=40, raters=3, n_systems=4, pair_share=0.5, win_rate=0.7, pool=9, seed=2
    )
    [path] = drawn.write(tmp_path)
    assert path.name == "votes.csv"
    votes = read_evaluation(str(path)).votes
    assert votes is not None
    assert (votes.systems, votes.ratings.n_items, votes.ratings.n_raters) == (("s1", "s2", "s3", "s4"), 40, 9)
    assert votes.ratings.n_responses == 120
    assert np.any(votes.side)
    assert drawn.to_dict()["systems"] == 4


@pytest.mark.parametrize(
    ("options", "message"),
    [({"rated": True}, "votes side by side are all there is"), ({"pair_share": 0.0, "n_systems": 3}, "share of pairs")],
)
def test_what_votes_do_not_have_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        quorate.simulate("preference", items=5, raters=2, **options)
    with pytest.raises(InputError, match="--n-systems and --pair-share belong"):
        quorate.simulate("dices", items=5, raters=2, n_systems=3)
