"""The long campaign: 5 000 hostile cases of a seed that no other run has, named so that it can be run again."""

import secrets

from tests.hostile.test_campaign import run_campaign


def test_five_thousand_fresh_hostile_cases() -> None:
    seed = secrets.randbelow(10**9)
    done = run_campaign(seed=seed, cases=5000, seconds=7200)
    assert done.returncode == 0, f"seed {seed}\n{done.stdout}{done.stderr}"
