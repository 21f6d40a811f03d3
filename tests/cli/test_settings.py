"""Settings name the data, the population and every option that was given, on the command line as in Python."""

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import quorate
from quorate.cli import main

STUDY: dict[str, Any] = {"items": 20, "raters": 2, "seed": 3}
SUPPORT = ("example:support", "example:support-answers")
CROWD = ("example:moderation", "example:moderation-experts", "example:moderation-scores")
GRID = 'populations = ["dices"]\nmetrics = ["agreement"]\neffects = [0.2]\nitems = [20]\nraters = [2]\n'
ASKED: list[tuple[str, Callable[[], Any], dict[str, Any]]] = [
    (
        "describe example:support --top 2 --confidence 0.9 --order no,unsure,yes --duplicates first",
        lambda: quorate.describe(
            "example:support", top=2, confidence=0.9, order=["no", "unsure", "yes"], duplicates="first"
        ),
        {"ratings": "example:support", "top": 2, "confidence": 0.9, "order": ["no", "unsure", "yes"]},
    ),
    (
        "fit example:support --evaluate 3,1,2",
        lambda: quorate.fit("example:support", evaluate="3,1,2"),
        {"ratings": "example:support"},
    ),
    (
        "simulate --resample example:summaries --resample-unit items+raters --resample-pool 3 --items 20 --raters 2 "
        "--seed 3 -o drawn",
        lambda: quorate.simulate(resample="example:summaries", resample_unit="items+raters", resample_pool=3, **STUDY),
        {"resample": "example:summaries", "resample_unit": "items+raters", "resample_pool": 3, "items": 20},
    ),
    (
        f"compare {' '.join(SUPPORT)} --systems birch,atlas --margin 0.1 --unit items --raters-are fixed",
        lambda: quorate.compare(*SUPPORT, systems=["birch", "atlas"], margin=0.1, unit="items", raters_are="fixed"),
        {"answers": SUPPORT[1], "systems": ["birch", "atlas"], "margin": 0.1, "raters_are": "fixed"},
    ),
    (
        f"plan {' '.join(SUPPORT)} --difference 0.2 --items 50 --raters 2,3 --item-price 2 --currency €",
        lambda: quorate.plan(*SUPPORT, difference=0.2, items=50, raters=(2, 3), item_price=2, currency="€"),
        {"from_ratings": SUPPORT[0], "with_answers": SUPPORT[1], "items": [50], "raters": [2, 3], "currency": "€"},
    ),
    (
        "plan --grid grid.toml --seed 2",
        lambda: quorate.sweep("grid.toml", seed=2),
        {"grid": "grid.toml", "metrics": ["agreement"], "effects": [0.2]},
    ),
    (
        "audit --preset dices --items 20 --raters 2 --replicates 20 --test default,welch --workers 1 --seed 3",
        lambda: quorate.audit("dices", replicates=20, test="default,welch", workers=1, **STUDY),
        {"replicates": 20, "test": ["default", "welch"], "items": 20},
    ),
    (
        f"estimate {' '.join(CROWD)} --metric auc,f1 --threshold 0.6 --method gt,mv --confidence 0.9",
        lambda: quorate.estimate(*CROWD, metric="auc,f1", threshold=0.6, method="gt,mv", confidence=0.9),
        {"votes": CROWD[0], "metric": ["auc", "f1"], "threshold": 0.6, "method": ["gt", "mv"]},
    ),
    (
        "convert one=a.csv two=b.csv --missing-values n/a",
        lambda: quorate.convert(["one=a.csv", "two=b.csv"], missing_values=["n/a"]),
        {"files": ["one=a.csv", "two=b.csv"], "missing_values": ["n/a"]},
    ),
]


@pytest.mark.parametrize(("line", "in_python", "given"), ASKED, ids=[line.split(" -")[0] for line, *_ in ASKED])
def test_settings_name_what_was_given_here_as_there(
    line: str,
    in_python: Callable[[], Any],
    given: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("QUORATE_CACHE", str(tmp_path / "cache"))
    Path("grid.toml").write_text(GRID)
    for name in ("a.csv", "b.csv"):
        Path(name).write_text("item,response\n1,yes\n2,no\n")
    with pytest.raises(SystemExit) as end:
        main([*shlex.split(line), "--json", "--quiet"])
    said = capsys.readouterr()
    assert end.value.code in (0, 1), said.err
    typed = json.loads(said.out)
    settings = typed["settings"]
    assert {name: settings.get(name) for name in given} == given
    if "--preset" in line or "--evaluate" in line or "--resample" in line:
        named = settings["evaluate"] if "--evaluate" in line else settings["population"]
        assert named["kind"] in ("dirichlet", "empirical")
    assert json.loads(json.dumps(in_python().to_dict())) == (
        typed if "--preset" not in line else typed | {"settings": settings | {"preset": None}}
    )
