"""Frozen answers of about eighty commands: text to the letter, numbers to nine digits.

They are what moving code about must not change. `commands.toml` names them and says how to bring them up to date.
"""

import json
import math
import os
import re
import shlex
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quorate.cli import main
from tests.studies import large

HERE = Path(__file__).parent
ANSWERS = HERE / "answers"
LOGS = HERE.parent / "formats" / "data"
COMMANDS = {
    name: [verb, *shlex.split(line)]
    for verb, lines in tomllib.loads((HERE / "commands.toml").read_text()).items()
    for name, line in lines.items()
}
LONG = {
    "estimate-paper",
    "estimate-rivals",
    "plan-grid-numbers",
    "plan-resample",
    "plan-resample-crossed",
    "plan-toxicity-f1",
}
"""Commands that take seconds: with `make studies`, or where answers are brought up to date."""
FITTED = {"fit-summaries-normal": 1e-3}
"""How far the numbers of a command may move where a search ends a little elsewhere on another processor."""
GRID = """
metrics = ["accuracy", "kl", "wins:total_variation", "f1"]
effects = [0.1, 0.3]
responses = [60, 600]
raters = [1, 3]
populations = ["dices", "unbalanced-2"]
"""


NUMBERS = """
metrics = ["mae"]
effects = [0.2]
items = [20]
raters = [2]
populations = ["toxicity-likert"]
"""


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables the bundled examples do not cover: a leaderboard, gaps, rated outputs, counts, batches of raters."""
    folder = tmp_path_factory.mktemp("golden")
    rng = np.random.default_rng(2)
    yes = rng.beta(2, 2, 60)
    words = np.array(["no", "yes"])
    board = [
        f"i{i},r{r},{words[int(rng.random() < yes[i])]},{'day' if r < 5 else 'night'},{'north' if i % 3 else 'south'}"
        for i in range(60)
        for r in sorted(rng.choice(9, 4, replace=False))
    ]
    (folder / "board.csv").write_text("\n".join(["item,rater,response,team,place", *board]) + "\n")
    noise = {"fox": 0.05, "owl": 0.2, "hen": 0.35, "base": 0.5}
    answers = [
        f"i{i},{name},{words[int((yes[i] > 0.5) ^ (rng.random() < wrong))]}"
        for name, wrong in noise.items()
        for i in range(60)
    ]
    (folder / "board-answers.csv").write_text("\n".join(["item,system,response", *answers]) + "\n")
    (folder / "gaps.csv").write_text("\n".join(["item,system,response", *answers[:50], *answers[60:120]]) + "\n")
    rated = [
        f"i{i},p{p},{model},{int(np.clip(round(3 + lean + up + rng.normal()), 1, 5))}"
        for i in range(40)
        for p, lean in enumerate((-0.4, 0.0, 0.5, 0.2))
        for model, up in (("new", 0.5), ("old", 0.0), ("mid", 0.2))
        if (i + p) % 4
    ]
    (folder / "rated.csv").write_text("\n".join(["item,rater,model,response", *rated]) + "\n")
    stars = [f"i{i},r{r},{round(float(rng.normal(i % 7, 1)), 2)}" for i in range(30) for r in range(3)]
    (folder / "stars.csv").write_text("\n".join(["item,rater,response", *stars]) + "\n")
    counts = [f"i{i},{k},{5 - k}" for i, k in enumerate(rng.integers(0, 6, 40))]
    (folder / "counts.csv").write_text("\n".join(["item,no,yes", *counts]) + "\n")
    given = [f"i{i},{s},{words[int(rng.random() < 0.5)]}" for s in "ab" for i in range(40)]
    (folder / "counts-answers.csv").write_text("\n".join(["item,system,response", *given]) + "\n")
    groups = [f"i{i},b{i // 5}r{r},{words[int(rng.random() < yes[i])]}" for i in range(60) for r in range(3)]
    (folder / "batches.csv").write_text("\n".join(["item,rater,response", *groups]) + "\n")
    (folder / "batches-answers.csv").write_text("\n".join(["item,system,response", *answers[:120]]) + "\n")
    for log in ("new.eval", "old.eval", "promptfoo.json"):
        shutil.copy(LOGS / log, folder / log)
    (folder / "small.toml").write_text(GRID)
    (folder / "numbers.toml").write_text(NUMBERS)
    return folder


@pytest.fixture
def here(inputs: Path) -> Iterator[Path]:
    """Run where the inputs are, so that no answer names a folder of this machine."""
    before = Path.cwd()
    os.chdir(inputs)
    yield inputs
    os.chdir(before)


@pytest.mark.parametrize("name", [pytest.param(name, marks=large) if name in LONG else name for name in COMMANDS])
def test_the_answer_is_the_frozen_one(name: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """So is the JSON, and what a terminal shows begins with a headline of at most 25 words that says a number."""
    verb, *words = COMMANDS[name]
    written = verb != "simulate"  # which writes tables
    with pytest.raises(SystemExit) as done:
        main([verb, *words, "--quiet", *(("-o", "answer.json") if written else ("--json",))])
    said = capsys.readouterr()
    assert done.value.code == 0, said.err
    answer = json.loads((here / "answer.json").read_text() if written else said.out)
    if written:
        headline = said.out.splitlines()[0]
        assert len(headline.split()) <= 25
        assert re.search(r"\d", headline)
    if "drawn" in COMMANDS[name]:
        answer["files"] = {path.name: path.read_text().splitlines() for path in sorted((here / "drawn").glob("*.csv"))}
        shutil.rmtree(here / "drawn")
    frozen = ANSWERS / f"{name}.json"
    if "QUORATE_UPDATE" in os.environ:
        frozen.parent.mkdir(exist_ok=True)
        frozen.write_text(json.dumps(answer, indent=1, ensure_ascii=False) + "\n")
    wrong = list(differences(json.loads(frozen.read_text()), answer, "$", FITTED.get(name, 1e-9)))
    assert not wrong, "\n".join(wrong[:20])


def test_a_number_a_word_and_a_field_that_moved_are_seen() -> None:
    before = {"a": [1.0, 2.0], "b": "x", "c": None}
    assert not list(differences(before, {"a": [1.0, 2.0 + 1e-12], "b": "x", "c": None}, "$"))
    assert list(differences(before, {"a": [1.0, 2.0001], "b": "y", "d": 1}, "$")) == [
        "$.a[1]: 2.0 became 2.0001",
        "$.b: 'x' became 'y'",
        "$.c: gone",
        "$.d: new",
    ]


def test_every_frozen_answer_has_its_command() -> None:
    assert {path.stem for path in ANSWERS.glob("*.json")} == set(COMMANDS)


def differences(before: Any, after: Any, where: str, near: float = 1e-9) -> Iterator[str]:
    """Name the places where two objects of JSON are not the same, numbers to a relative error."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in [*before, *(key for key in after if key not in before)]:
            if key not in after or key not in before:
                yield f"{where}.{key}: {'gone' if key not in after else 'new'}"
            else:
                yield from differences(before[key], after[key], f"{where}.{key}", near)
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for place, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from differences(old, new, f"{where}[{place}]", near)
    elif isinstance(before, float) and isinstance(after, float):
        if not math.isclose(before, after, rel_tol=near, abs_tol=1e-3 * near):
            yield f"{where}: {before!r} became {after!r}"
    elif before != after:
        yield f"{where}: {before!r} became {after!r}"
