"""The screens: which question each asks, and which of its options people need first; the rest is folded away."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from types import MappingProxyType

from quorate._question import QUESTIONS, Question

HIDDEN = ("population", "pilot", "grid", "truth", "baseline_file")
"""Fields no screen shows: what only Python can give, what could name a file here, and what is written to."""


@dataclass(frozen=True)
class Slider:
    """The range of a slider beside a number; a logarithmic one moves by factors."""

    low: float
    high: float
    step: float


@dataclass(frozen=True)
class Screen:
    """A screen that asks a question.

    Parameters
    ----------
    verb
        What answers it.
    record
        Where the question's record is, ``room.module:class``.
    title, lead
        The heading and what stands below it, in people's words.
    first
        The options people need first, in their order.
    sliders
        Numbers that can be dragged.
    labels
        What a field is called where its own name says too little.
    live
        Whether the answer follows every change.
    examples
        Values by field that show what the screen does.
    """

    verb: str
    record: str
    title: str
    lead: str
    first: tuple[str, ...]
    sliders: Mapping[str, Slider] = field(default_factory=lambda: MappingProxyType({}))
    labels: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    live: bool = False
    examples: Mapping[str, Mapping[str, str]] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def question(self) -> type[Question]:
        """The record of everything that can be asked."""
        room, _, name = self.record.partition(":")
        record: type[Question] = getattr(import_module(f"quorate.{room}"), name)
        return record

    @property
    def asks(self) -> str:
        """The question as a person brings it."""
        return QUESTIONS[self.verb]


READING = MappingProxyType(
    {
        "encoding": "Encoding of the text",
        "missing_values": "Words for no answer",
        "skip_rows": "Lines above the header",
        "decimal": "Decimal mark",
        "duplicates": "If a rater answered twice",
        "layout": "What a row of the file is",
        "columns": "Columns of the raters",
    }
)
"""What the options of reading a file are called, on every screen."""
SCREENS = {
    screen.verb: screen
    for screen in (
        Screen(
            "describe",
            "describing.question:DescribeQuestion",
            "Describe ratings",
            "How many there are, who rated what, how much people disagree, and who leans where.",
            ("ratings", "scale", "order"),
            labels={"scale": "Kind of scale", "order": "Order of the answers", **READING},
            live=True,
            examples={"replies of a support bot": {"ratings": "example:support"}},
        ),
        Screen(
            "plan",
            "planning.question:PlanQuestion",
            "Plan a study",
            "Whose ratings the study will be like, what difference must be seen, and what things cost.",
            (
                "preset",
                "from_ratings",
                "with_answers",
                "difference",
                "goal",
                "item_price",
                "rating_price",
                "raters",
                "pool",
                "max_per_rater",
                "budget",
                "metric",
            ),
            sliders={
                "difference": Slider(0.01, 0.2, 0.005),
                "item_price": Slider(0, 20, 0.5),
                "rating_price": Slider(0, 5, 0.05),
                "pool": Slider(2, 200, 1),
                "max_per_rater": Slider(10, 2000, 10),
            },
            labels={
                "preset": "Ratings like those of",
                "from_ratings": "or like this pilot's ratings",
                "with_answers": "answers of two systems to the pilot",
                "difference": "Difference that must be seen",
                "item_price": "Price of an item",
                "rating_price": "Price of a rating",
                "raters": "Raters per item",
                "pool": "People who can be asked",
                "max_per_rater": "Items each can do",
                "goal": "What the study must reach",
                "budget": "Most it may cost",
                **READING,
            },
            live=True,
            examples={
                "a known population": {"preset": "dices", "difference": "0.05"},
                "a pilot": {
                    "from_ratings": "example:support",
                    "with_answers": "example:support-answers",
                    "difference": "0.05",
                },
            },
        ),
        Screen(
            "compare",
            "comparing.question:CompareQuestion",
            "Compare systems",
            "By how close their answers come to the raters, by the ratings their own outputs got, or side by side.",
            ("ratings", "answers", "rated_system", "metric", "systems", "baseline", "margin", "by"),
            labels={
                "ratings": "Ratings, votes or a log",
                "answers": "Answers of the systems, or a second log",
                "more": "More files of answers, or logs",
                "rated_system": "Column that names the system, if outputs were rated",
                "systems": "Which systems",
                "baseline": "Compare all with",
                "margin": "Difference that matters",
                "by": "Also by the groups of",
                **READING,
            },
            examples={
                "labels of two systems": {"ratings": "example:support", "answers": "example:support-answers"},
                "votes side by side": {"ratings": "example:preferences"},
                "marks for the systems' own replies": {"ratings": "example:replies", "rated_system": "system"},
                "a judge beside the raters": {
                    "ratings": "example:claims",
                    "answers": "example:claims-judges",
                    "baseline": "raters",
                    "margin": "0.05",
                },
                "scores with a margin": {
                    "ratings": "example:summaries",
                    "answers": "example:summaries-answers",
                    "margin": "0.1",
                },
            },
        ),
        Screen(
            "estimate",
            "estimating.question:EstimateQuestion",
            "Estimate quality",
            "From many cheap votes and the labels of a few experts.",
            ("votes", "experts", "scores", "metric", "threshold", "by", "target_width", "expert_price"),
            labels={
                "votes": "Votes",
                "experts": "Expert labels",
                "scores": "Scores of the classifier",
                "threshold": "Score from which it says yes",
                "by": "Also by the groups of",
                "target_width": "How narrow the interval must be",
                "expert_price": "Price of an expert label",
                **READING,
            },
            examples={
                "posts that may break the rules": {
                    "votes": "example:moderation",
                    "experts": "example:moderation-experts",
                    "scores": "example:moderation-scores",
                }
            },
        ),
        Screen(
            "audit",
            "auditing.question:AuditQuestion",
            "Audit a test",
            "Try a test on many simulated studies: how often it errs, and what it sees.",
            ("preset", "from_ratings", "items", "raters", "metric", "effect", "null", "test", "replicates"),
            labels={
                "preset": "Ratings like those of",
                "from_ratings": "or like this pilot's ratings",
                "raters": "Raters per item",
                "effect": "How far system B is perturbed",
                "null": "A world without a difference",
                "test": "Test to try",
                "replicates": "Studies to simulate",
                **READING,
            },
            examples={
                "no difference to see": {
                    "preset": "dices",
                    "items": "100",
                    "raters": "5",
                    "null": "sharp",
                    "replicates": "500",
                }
            },
        ),
    )
}
"""By the verb, in the order in which the pages list them."""
