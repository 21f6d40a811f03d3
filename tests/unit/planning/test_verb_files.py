"""How many files a reader passes through who follows the plainest plan from the question to the answer."""

import sys
from pathlib import Path
from types import FrameType

from quorate.planning.verb import plan

MOST = 20
"""Files of rooms; those below all rooms, such as random numbers and text, are not counted."""


def test_the_plainest_plan_passes_through_few_files() -> None:
    plan("dices", difference=0.03)  # whatever is imported or built on first use is there now
    root = Path(sys.modules["quorate"].__file__ or "").parent
    passed: set[str] = set()

    def note(frame: FrameType, event: str, argument: object) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(root):
            passed.add(path.relative_to(root).as_posix())

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        plan("dices", difference=0.03)
    finally:
        sys.setprofile(before)
    rooms = sorted(path for path in passed if not path.startswith("_"))
    assert "planning/verb.py" in rooms
    assert len(rooms) <= MOST, "\n".join(rooms)
