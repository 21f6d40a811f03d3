"""Find the columns people mean: guess from the names they use, show the guess, let a flag override it."""

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from quorate._errors import InputError

__all__ = [
    "ITEM",
    "RATER",
    "RESPONSE",
    "RUN",
    "SYSTEM",
    "Role",
    "find_column",
    "find_items",
    "guess_column",
    "listed",
    "named_columns",
    "plain",
]


@dataclass(frozen=True)
class Role:
    """What a column can be for: its name, the flag that sets it, and what people call it, likeliest first."""

    name: str
    flag: str
    words: str

    @property
    def aliases(self) -> list[str]:
        """The names people give such a column."""
        return self.words.split()


# Words from crowd-kit (task, worker, label), cleanlab, R's irr and psych (subject, rater), Label Studio (completed_by),
# Figure Eight (_unit_id, _worker_id), MTurk (HITId, WorkerId, Answer), Prolific and others.
ITEM = Role(
    "item",
    "--item-column",
    """item item_id itemid task task_id example example_id doc_id document_id unit unit_id instance instance_id
    sample sample_id subject subject_id question_id prompt_id tweet_id comment_id text_id sentence_id hit_id hitid
    image_id segment_id record_id case case_id rev_id doc document question prompt image id""",
)
RATER = Role(
    "rater",
    "--rater-column",
    """rater rater_id raterid worker worker_id workerid annotator annotator_id user user_id completed_by coder coder_id
    judge judge_id labeler labeler_id labeller labeller_id reviewer reviewer_id participant participant_id observer
    evaluator evaluator_id respondent performer""",
)
RESPONSE = Role(
    "response",
    "--response-column",
    "response label rating score vote answer annotation judgment judgement value choice class category grade stars",
)
SYSTEM = Role("system", "--system-column", "system system_id model model_id method method_id")
RUN = Role("run", "--run-column", "run run_id trial attempt replicate seed")


def plain(name: str) -> str:
    """Reduce a column name to lower-case words joined by underscores.

    Examples
    --------
    >>> plain("WorkerId"), plain("_unit_id"), plain("Doc ID")
    ('worker_id', 'unit_id', 'doc_id')
    """
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.strip())
    return re.sub(r"[^0-9a-z]+", "_", words.lower()).strip("_")


def guess_column(role: Role, columns: Sequence[str]) -> str | None:
    """Return the column that most likely plays a role, or None."""
    by_name = {plain(column): column for column in reversed(columns)}
    return next((by_name[alias] for alias in role.aliases if alias in by_name), None)


def find_column(
    role: Role, columns: Sequence[str], given: str | None, where: str, taken: Sequence[str | None] = ()
) -> str | None:
    """Return the column given by the user, or a guess among those not taken; an unknown name is refused."""
    if given is None:
        return guess_column(role, [column for column in columns if column not in taken])
    return named_columns([given], columns, role.flag, where)[0]


def find_items(columns: Sequence[str], given: str | None, where: str, taken: Sequence[str | None] = ()) -> list[str]:
    """Return the columns that together name an item: those the user gave, with commas, or a guess; [] if none fits."""
    if given is not None and given not in columns:
        return named_columns([part.strip() for part in given.split(",")], columns, ITEM.flag, where)
    found = find_column(ITEM, columns, given, where, taken)
    return [found] if found else []


def named_columns(given: Sequence[str], columns: Sequence[str], flag: str, where: str) -> list[str]:
    """Return the columns the user named, or refuse a name that is not there and suggest the nearest."""
    for name in given:
        if name not in columns:
            near = difflib.get_close_matches(name, columns, n=1)
            hint = f"did you mean {flag} {near[0]}?" if near else f"name one of them with {flag}."
            raise InputError(f"{where} has no column '{name}', only {listed(columns)}; {hint}")
    return list(given)


def listed(names: Sequence[str], most: int = 8) -> str:
    """Name the first few of many."""
    return ", ".join(names[:most]) + (" …" if len(names) > most else "")
