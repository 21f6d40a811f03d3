"""The planning page of the docs says what `quorate plan` says, to the last digit; node runs its script."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

import quorate
from quorate._text import percent

ROOT = Path(__file__).parents[1]
NODE = shutil.which("node")
CASES = [
    ("dices", "0.05", "0.8", 2, 1),
    ("dices", "0.05", "0.8", 0, 1),
    ("dices", "0.03", "0.9", 2.5, 0.3),
    ("toxicity", "0.04", "0.8", 0.37, 0.11),
    ("toxicity", "0.1", "0.9", 1, 0.5),
    ("d3code", "0.06", "0.8", 12, 0.75),
    ("d3code", "0.02", "0.9", 0.5, 0.25),
]
SAY = """
const say = ([preset, difference, goal, item, rating]) => {
  const { best, atTheEnd } = choose(SIZES[preset][difference][goal], item, rating);
  return { headline: headline(best, item, rating), power: `${Math.round(100 * best.power)} %`, atTheEnd };
};
console.log(JSON.stringify(JSON.parse(process.argv[1]).map(say)));
"""

pytestmark = pytest.mark.skipif(not (ROOT / "docs").exists(), reason="the pages are in the repository")


@pytest.mark.skipif(NODE is None, reason="the script of the page is run by node")
def test_the_page_says_what_the_command_says() -> None:
    script = "".join((ROOT / "docs" / name).read_text() for name in ("planner-data.js", "planner.js")) + SAY
    done = subprocess.run(
        [str(NODE), "-e", script, json.dumps(CASES)], capture_output=True, text=True, check=True, timeout=600
    )
    for (preset, difference, goal, item, rating), said in zip(CASES, json.loads(done.stdout), strict=True):
        planned = quorate.plan(
            preset=preset, difference=float(difference), goal=f"power={goal}", item_price=item, rating_price=rating
        )
        assert said["headline"] == planned.sentence().head
        assert said["power"] == percent(planned.best.power)
        assert not said["atTheEnd"]


def test_the_sizes_are_those_of_today() -> None:
    import planner

    text = planner.DATA.read_text().removeprefix("const SIZES = ").removesuffix(";\n")
    kept = json.loads(text)
    assert kept["dices"]["0.05"]["0.8"] == planner.sizes("dices", 0.05, 0.8)
    assert set(kept) == set(planner.PRESETS)
