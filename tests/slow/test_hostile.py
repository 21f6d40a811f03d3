"""The long campaigns: 5 000 hostile cases of a fresh seed, and 100 kills at random moments."""

import secrets
from pathlib import Path

from tests.hostile import kills
from tests.hostile.test_campaign import run_campaign


def test_five_thousand_fresh_hostile_cases() -> None:
    seed = secrets.randbelow(10**9)
    done = run_campaign(seed=seed, cases=5000, seconds=7200)
    assert done.returncode == 0, f"seed {seed}\n{done.stdout}{done.stderr}"


def test_a_hundred_kills_lose_nothing(tmp_path: Path) -> None:
    seed = secrets.randbelow(10**9)
    assert kills.campaign(seed, 100, tmp_path) == [], f"seed {seed}"
