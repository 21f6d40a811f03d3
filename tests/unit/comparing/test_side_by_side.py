"""Votes side by side: two systems by a plain two-way computation, several by strengths, and what a reader is told."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quorate._errors import InputError
from quorate._typing import Array
from quorate.comparing.verb import compare
from quorate.data.evaluation import read_evaluation
from quorate.inference.strengths import strengths_of
from quorate.inference.uncertain_variance import Part, UncertainVariance
from quorate.report.plots import compare_votes


def full_table(values: Array, **more: Any) -> dict[str, Any]:
    """Votes of every rater on every item, 1, 0 or −1 for atlas, ``(item, rater)``."""
    n_raters = values.shape[1]
    item, rater = np.divmod(np.arange(values.size), n_raters)
    words = np.array(["birch", "tie", "atlas"])
    table = {"item": item, "rater": [f"r{j}" for j in rater], "winner": words[values.ravel() + 1]}
    systems = {"system_a": ["atlas"] * len(item), "system_b": ["birch"] * len(item)}
    return {**table, **systems, **{name: np.asarray(column)[item] for name, column in more.items()}}


def leaning_votes(n_items: int, n_raters: int, mean: float = 0.5, seed: int = 0) -> Array:
    rng = np.random.default_rng(seed)
    noisy = mean + 0.8 * rng.normal(size=(n_items, 1)) + 0.6 * rng.normal(size=n_raters)
    noisy = noisy + rng.logistic(size=(n_items, n_raters))
    return np.where(noisy > 0.5, 1, np.where(noisy < -0.5, -1, 0))


def test_two_systems_are_a_plain_two_way_analysis() -> None:
    y = leaning_votes(40, 6, mean=0.05)
    result = compare(full_table(y))
    [pair] = result.pairs
    n, r = y.shape
    by_item, by_rater, mean = y.mean(1), y.mean(0), y.mean()
    rest = y - by_item[:, None] - by_rater + mean
    ms_item, ms_rater = r * ((by_item - mean) ** 2).sum() / (n - 1), n * ((by_rater - mean) ** 2).sum() / (r - 1)
    ms_rest = (rest**2).sum() / ((n - 1) * (r - 1))
    assert pair.difference == pytest.approx(mean)
    assert pair.se**2 == pytest.approx((ms_item + ms_rater - ms_rest) / (n * r))
    parts = (
        Part(np.asarray(ms_item / (n * r)), n - 1.0),
        Part(np.asarray(ms_rater / (n * r)), r - 1.0, ms_rest / (n * r)),
    )
    student = float(UncertainVariance(parts[0], (parts[1],)).tail(np.asarray(mean)))
    assert pair.p_value == pytest.approx(student, rel=0.05)  # what items would show at 0 makes it a little larger
    assert pair.p_value >= student
    assert (pair.win, pair.tie, pair.loss) == pytest.approx(((y == 1).mean(), (y == 0).mean(), (y == -1).mean()))
    assert pair.difference == pytest.approx(pair.win - pair.loss if pair.win and pair.loss else np.nan)
    assert result.kind == "preferences"
    assert [s.win_rate for s in result.ranking] == pytest.approx([s.score for s in result.ranking])
    # Counting votes alone is far too sure.
    assert y.std() / np.sqrt(y.size) < 0.6 * pair.se


def test_the_order_of_columns_and_of_systems_only_turns_the_sign() -> None:
    table = full_table(leaning_votes(20, 5))
    turned = {**table, "system_a": table["system_b"], "system_b": table["system_a"]}
    [pair], [same] = compare(table).pairs, compare(turned).pairs
    [other] = compare(table, systems=["birch", "atlas"]).pairs
    assert pair.difference == same.difference == -other.difference
    assert pair.win == other.loss
    assert pair.p_value == other.p_value
    assert pair.low == pytest.approx(-other.high)


def test_margins_groups_clusters_and_gates_work_as_elsewhere() -> None:
    y = leaning_votes(40, 6, mean=0.0, seed=3)
    table = full_table(y, topic=np.arange(40) % 2, doc=np.arange(40) // 2)
    result = compare(table, by="topic", margin=0.6, unit="cluster:doc")
    assert result.pairs[0].verdict in ("equivalent", "not_worse", "a_better")
    assert [group.n_items for group in result.groups] == [20, 20]
    assert result.groups[0].pairs[0].win == pytest.approx((y[::2] == 1).mean())
    assert result.pairs[0].unit == "cluster:doc"


def test_unbalanced_sides_are_taken_out_and_said_so() -> None:
    rng = np.random.default_rng(0)
    first = rng.random((200, 5)) < 0.8
    y = np.sign(0.5 * np.where(first, 1, -1) + rng.logistic(size=first.shape)).astype(int)
    table = full_table(y)
    sides = np.where(first.ravel(), "atlas", "birch")
    sided = compare({**table, "shown_first": sides})
    [plain], [pair] = compare(table).pairs, sided.pairs
    assert plain.difference == pytest.approx(y.mean())
    assert pair.first_shown_effect is not None
    assert pair.first_shown_low is not None
    assert pair.first_shown_low > 0
    lean = (2 * first.astype(int) - 1).mean()
    assert pair.difference == pytest.approx(y.mean() - pair.first_shown_effect * lean)
    assert plain.first_shown_effect is None
    assert "taken out" in sided.sides
    assert "so birch is better once being shown first is taken out" in str(pair.sentence)  # with 47 % of votes
    assert "taken out" not in str(plain.sentence)
    always = compare({**table, "shown_first": ["atlas"] * y.size})
    assert any("always shown first" in warning for warning in always.warnings)


def several(n_votes: int = 900, n_systems: int = 5, seed: int = 1, lost: tuple[int, ...] = ()) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    pair = np.array([rng.choice(n_systems, 2, replace=False) for _ in range(n_votes)])
    item, rater = rng.integers(30, size=n_votes), rng.integers(12, size=n_votes)
    strength = np.linspace(1, -1, n_systems)
    noisy = strength[pair[:, 0]] - strength[pair[:, 1]] + rng.logistic(size=n_votes)
    return {
        "item": item,
        "rater": rater,
        "left": [f"s{k}" for k in pair[:, 0]],
        "right": [f"s{k}" for k in pair[:, 1]],
        "winner": np.where(noisy > 0.4, "left", np.where(noisy < -0.4, "right", "tie")),
        "topic": item % 2,
    }


def test_several_systems_have_ranks_that_agree_with_their_pairs() -> None:
    result = compare(several(), by="topic")
    assert [standing.system for standing in result.ranking] == ["s0", "s1", "s2", "s3", "s4"]
    first = result.ranking[0]
    assert first.win_rate is not None
    assert first.win_rate > 0.6
    beaten = {pair.b for pair in result.pairs if pair.a == "s0" and pair.verdict == "a_better"}
    assert first.rank_high == 5 - len(beaten)
    pair = result.pairs[0]
    # Differences are margins to expect of strengths, and so are the ends.
    assert pair.difference == pytest.approx(np.tanh((pair.score_a - pair.score_b) / 2))
    assert -1 <= pair.low < pair.difference < pair.high <= 1
    assert len(result.groups) == 2
    assert "Being shown first" in result.sides
    win, tie, loss = compare_votes(result).data
    assert np.add(np.add(win.x, tie.x), loss.x) == pytest.approx(1.0)
    with pytest.raises(InputError, match="take the default test"):
        compare(several(), test="permutation")
    with pytest.raises(InputError, match="leave --metric out"):
        compare(several(), metric="agreement")


def test_votes_that_fall_apart_are_not_ranked_across() -> None:
    table = several(300, 4)
    kept = [{a[1], b[1]} in ({"0", "1"}, {"2", "3"}) for a, b in zip(table["left"], table["right"], strict=True)]
    result = compare({name: np.asarray(column)[kept] for name, column in table.items()})
    assert any("The votes fall apart: 2 groups" in warning for warning in result.warnings)
    across = next(pair for pair in result.pairs if (pair.a, pair.b) == ("s0", "s2"))
    assert across.verdict == "inconclusive"
    assert np.isnan(across.difference)
    assert "no votes link them" in str(across.sentence)
    assert not any("single items" in warning for warning in result.warnings)


def test_votes_of_one_rater_say_that_only_items_vary() -> None:
    result = compare(full_table(leaning_votes(40, 1)))
    assert result.unit_reason.startswith("One rater cast every vote, so only items vary")
    assert not result.warnings


def test_many_votes_on_few_items_ask_for_items() -> None:
    table = full_table(leaning_votes(13, 40))
    [warning] = [each for each in compare(table).warnings if "13 items" in each]
    assert "about 40 responses each" in warning
    assert warning.endswith("Ask more items, not more responses.")


def test_thirteen_prompts_leave_strengths_far_less_known_than_votes_alone_would(shared: Path) -> None:
    votes = read_evaluation(shared / "llmfao" / "votes.csv").votes
    assert votes is not None
    strengths = strengths_of(votes)
    pairs = [(a, a + 1) for a in range(0, 58, 2)]
    contrasts = strengths.contrasts(pairs)
    alone = np.sqrt([contrast @ strengths.fit.inverse @ contrast for contrast in contrasts])
    halves = [float(p.outcome(0.95).high - p.estimate) for p in strengths.pair_pivots(pairs)]
    # By information alone, which ties make too large already, half an interval is 1.96 standard errors.
    assert np.median(halves / (1.96 * alone)) > 1.2
    assert votes.ratings.n_items == 13
