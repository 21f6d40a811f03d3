"""The planning page of the docs says what `quorate plan` says, to the last digit; node runs its script."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import quorate
from quorate._text import percent
from quorate.planning.words import money

ROOT = Path(__file__).parents[2]
NODE = shutil.which("node")
CASES = [
    ("dices", "0.05", "0.8", 2, 1),
    ("dices", "0.05", "0.8", 0, 1),
    ("dices", "0.03", "0.9", 2.5, 0.3),
    ("toxicity", "0.04", "0.8", 0.37, 0.11),
    ("toxicity", "0.1", "0.9", 1, 0.5),
    ("d3code", "0.06", "0.8", 12, 0.75),
    ("d3code", "0.02", "0.9", 0.5, 0.25),
    ("d3code", "0.05", "0.8", 0, 0.001),  # 1.385 is above the half in binary
    ("dices", "0.1", "0.8", 2.96593, 0.005),  # many raters, not found by looking at the nearest
]
VARIANCES = [
    ({"item": 0.04, "rater": 0.01, "rest": 0.2}, 0.05, "0.8", 2, 1),
    ({"item": 0.04, "rater": 0.01, "rest": 0.2}, 0.05, "0.9", 0, 1),
    ({"item": 0.5, "rater": 0, "rest": 1.3}, 0.02, "0.9", 3.5, 0.25),
    ({"item": 0, "rater": 0.3, "rest": 0.7}, 0.1, "0.8", 1, 0.4),  # the more raters the better
    ({"item": 1, "rater": 0.2, "rest": 0}, 2.5, "0.8", 10, 1),  # so large that the fewest items do
    ({"item": 0.3, "rater": 0.2, "rest": 2}, 0.004, "0.8", 0.7, 0.03),  # so small that it takes tens of thousands
    ({"item": 0.541149, "rater": 0.866, "rest": 0.00257}, 0.039, "0.8", 0, 1e-3),  # half a cent
]
SAY = """
const say = ([preset, difference, goal, item, rating]) => {
  const given = { preset, difference, goal, "item-price": `${item}`, "rating-price": `${rating}` };
  if (typeof preset !== "string") {
    given.preset = TYPED;
    given["var-difference"] = `${difference}`;
    for (const [name, amount] of Object.entries(preset)) given[`var-${name}`] = `${amount}`;
  }
  const asked = readPlanner((name) => given[name]);
  if (typeof asked === "string" || !asked.rows.length) return { refused: asked };
  const { priced, best } = choose(asked.rows, item, rating);
  const shown = ({ k, n, cost, power }) => [k, n, money(cost), percent(power)];
  const known = best.k <= asked.most;
  return { headline: headline(best, item, rating), best: shown(best), rows: priced.map(shown), known };
};
console.log(JSON.stringify(JSON.parse(process.argv[1]).map(say)));
"""

pytestmark = pytest.mark.skipif(not (ROOT / "docs").exists(), reason="the pages are in the repository")


@pytest.mark.skipif(NODE is None, reason="the script of the page is run by node")
@pytest.mark.parametrize(("source", "cases"), [("preset", CASES), ("variance", VARIANCES)])
def test_the_page_says_what_the_command_says(source: str, cases: list[Any]) -> None:
    for (given, difference, goal, item, rating), said in zip(cases, by_node(SAY, cases), strict=True):
        asked: dict[str, Any] = {source: given, "difference": float(difference), "goal": f"power={goal}"}
        planned = quorate.plan(**asked, item_price=item, rating_price=rating)
        shown = [[row.n_raters, row.n_items, money(row.cost), percent(row.power)] for row in planned.by_raters]
        assert said["known"]
        assert said["headline"] == planned.sentence().head
        assert said["best"][3] == percent(planned.best.power)
        assert said["rows"] == shown


@pytest.mark.skipif(NODE is None, reason="the script of the page is run by node")
def test_the_page_says_where_it_knows_no_more() -> None:
    asked = [("dices", "0.05", "0.8", 1, 0), (VARIANCES[0][0], 0, "0.8", 1, 1), ("dices", "0.05", "0.8", 0, 0)]
    dear, none, free = by_node(SAY, asked)
    assert not dear["known"]
    assert none["refused"].startswith("The difference must be above 0")
    assert free["refused"].startswith("Prices must not be negative")


@pytest.mark.skipif(NODE is None, reason="the script of the page is run by node")
def test_the_power_of_the_page_is_that_of_the_engine() -> None:
    from quorate.agreement.variance_parts import VarianceParts
    from quorate.planning.laws.rater_law import CrossedLaw
    from quorate.planning.laws.study_law import passing

    none = VarianceParts(float("nan"), float("nan"), float("nan"))
    cases = [(effect, n) for n in (30, 31, 47, 200, 5000, 300_000) for effect in (0.5 / n**0.5, 3 / n**0.5)]
    powers = by_node("console.log(JSON.stringify(JSON.parse(process.argv[1]).map(([d, n]) => power(d, n))));", cases)
    for (effect, n), found in zip(cases, powers, strict=True):
        law = CrossedLaw(mean=effect, mean_error=0, spread=VarianceParts(1.0, 0, 0), null=none, block_items=1.0)
        assert found == pytest.approx(passing(law.pivot(n), 0.0, 0.95), abs=1e-9)


def by_node(say: str, cases: object) -> Any:
    """What the script of the page answers to these cases."""
    script = "".join((ROOT / "docs" / name).read_text() for name in ("planner-data.js", "planner.js")) + say
    done = subprocess.run(
        [str(NODE), "-e", script, json.dumps(cases)], capture_output=True, text=True, check=True, timeout=600
    )
    return json.loads(done.stdout)


def test_the_sizes_are_those_of_today() -> None:
    import planner

    text = planner.DATA.read_text().splitlines()[0].removeprefix("const SIZES = ").removesuffix(";")
    kept = json.loads(text)
    assert kept["dices"]["0.05"]["0.8"] == planner.sizes("dices", 0.05, 0.8)
    assert set(kept) == set(planner.PRESETS)
