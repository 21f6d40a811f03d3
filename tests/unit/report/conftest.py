"""Results whose names try to break out of a page, and honest ones."""

import pytest

import quorate
from quorate.comparing.result import Comparison
from quorate.planning.result import Planned
from tests.page import EVIL


@pytest.fixture(scope="session")
def evil_data() -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Ratings and answers of 40 items whose every name holds HTML."""
    items = [f"{EVIL['item']}{i}" for i in range(40)]
    yes, no = EVIL["category"], "no"
    ratings = {
        "item": [item for item in items for _ in range(3)],
        "rater": [f"{EVIL['rater']}{j}" for _ in items for j in range(3)],
        "response": [yes if (i * 7 + j * 3) % 5 < 2 + j else no for i in range(40) for j in range(3)],
        "topic": [f"{EVIL['group']}{i % 2}" for i in range(40) for _ in range(3)],
    }
    systems = [f"{EVIL['system']}{s}" for s in range(3)]
    answers = {
        "item": items * 3,
        "system": [system for system in systems for _ in items],
        "response": [yes if (i * 7) % 5 < 2 + s else no for s in range(3) for i in range(40)],
    }
    return ratings, answers


@pytest.fixture(scope="session")
def support() -> Comparison:
    """The comparison of the bundled example."""
    return quorate.compare("example:support", "example:support-answers", by="channel", margin=0.05)


@pytest.fixture(scope="session")
def planned() -> Planned:
    """A plan from a preset."""
    return quorate.plan("dices", difference=0.05)
