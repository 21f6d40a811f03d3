"""How many files a reader passes through who follows the plainest plan from the question to the answer."""

import re
import sys
from pathlib import Path
from types import FrameType

import pytest

from quorate.planning.verb import plan

DESIGN = Path(__file__).parents[3] / "docs" / "design.md"
MOST = 18
"""Files of rooms; those below all rooms, such as random numbers and text, are not counted."""


def files_passed() -> set[str]:
    """The files of rooms in which a function is called, without the suffix."""
    plan("dices", difference=0.03)  # whatever is imported or built on first use is there now
    root = Path(sys.modules["quorate"].__file__ or "").parent
    passed: set[str] = set()

    def note(frame: FrameType, event: str, argument: object) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(root):
            passed.add(path.relative_to(root).with_suffix("").as_posix())

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        plan("dices", difference=0.03)
    finally:
        sys.setprofile(before)
    return {path for path in passed if not path.startswith("_")}


@pytest.mark.skipif(not DESIGN.exists(), reason="the list is read from the repository")
def test_the_plainest_plan_passes_through_the_few_files_that_are_listed() -> None:
    section = DESIGN.read_text().partition("## What `quorate plan")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+/)` \| (.*) \|$", section, flags=re.MULTILINE)
    listed = {room + file for room, files in rows for file in re.findall("`(.*?)`", files)}
    assert files_passed() == listed
    assert len(listed) <= MOST
