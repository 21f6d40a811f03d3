"""How a plan is said: what to buy, what it promises, why so many raters, how far people reach."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from quorate._text import Sentence, count, joined, number, percent
from quorate.planning.boards import PlannedBoard
from quorate.planning.people import PeopleReport
from quorate.planning.question import PlanQuestion
from quorate.planning.recommend import PurchaseOption
from quorate.planning.search import Search, StudySize

WORTH_IT = 0.8
"""More people are worth a word if they bring the items down to this part."""
NEGLIGIBLE = 0.2
"""A smallest difference ever seen below this part of the one asked for, or of the margin, is not worth a word."""


@dataclass(frozen=True)
class DesignCost:
    """A design of rated outputs and its cheapest study: paired if the same people rate both outputs of an item."""

    paired: bool
    n_items: int
    n_raters: int
    responses: int
    cost: float

    @classmethod
    def of(cls, size: StudySize, *, paired: bool) -> "DesignCost":
        """Return the design with the size it takes."""
        return cls(paired, size.n_items, size.n_raters, size.responses, size.cost)


def say_designs(designs: Sequence[DesignCost]) -> str:
    """Say which design is cheaper: the same people for both outputs of an item, or others for each."""
    own, other = designs
    words = {True: "the same people rate both outputs of an item", False: "other people rate each output of an item"}
    paired = "As in the pilot, " + words[own.paired]
    there = f"{count(other.n_items, 'item')} with {raters_each(other.n_raters)} for each output"
    ratio = other.cost / own.cost
    if 0.98 < ratio < 1.02:
        return f"{paired}; it costs about as much if {words[other.paired]}."
    share = percent(abs(ratio - 1))
    if ratio > 1:
        return f"{paired}: cheaper than if {words[other.paired]}, which takes {there}, {share} more."
    return f"{paired}; it is {share} cheaper if {words[other.paired]}: {there}."


def say_plan(
    search: Search,
    best: StudySize,
    purchase: PurchaseOption,
    people: PeopleReport | None,
    by_metric: Mapping[str, StudySize] | None,
    board: PlannedBoard | None = None,
) -> Sentence:
    """Say what to buy, what it shows on which assumption, and why so many raters."""
    source, question = search.source, search.question
    crew = "" if people is None else _crew(people, best)
    bought = f"{_bought(question, best, purchase)}{crew}"
    promise = f"{_promise(question, source.metric.title, best, board)}, {source.assumption}."
    if board is not None:  # how votes are spread is what to buy; who casts them can wait for the reasons
        bought = f"{_bought(question, best, purchase)}{board.words()}"
        promise = f"{crew.removeprefix(', ')}, {promise}" if crew else promise
    if by_metric:
        rest = joined([name for name in by_metric if name != source.metric.name], "and", 4)
        alike = max(size.cost for size in by_metric.values()) <= 1.01 * best.cost
        promise += f" By {rest} it takes {'as much' if alike else 'more'}."
    reach = [] if people is None else [_reach(people, best, question.margin or 0.0)]
    return Sentence(bought, " ".join([promise, _why(search, best) or source.why_raters, *reach]))


def say_pilot(pilot: Mapping[str, Any]) -> list[str]:
    """Say where a pilot's differences vary, and how many items would be right given the pilot."""
    lines = []
    if pilot["between"] is not None:
        item, rest = (number(pilot[part], 4) for part in ("between", "within"))
        raters = f" and between raters of an item ({rest})"
        if "between_raters" in pilot:
            raters = f", between raters ({number(pilot['between_raters'], 4)}) and from answer to answer ({rest})"
        lines.append(f"Pilot: the difference varies between items (variance {item}){raters}.")
    lines.append(
        f"The pilot leaves the spread open: {right_items(pilot)} (5 to 95 %); counting that, power is "
        f"{percent(pilot['assurance'])}."
    )
    if pilot["replay"] is not None:
        lines.append(
            f"Of studies of this size drawn from the pilot itself, {percent(pilot['replay'])} favour the first system."
        )
    return lines


def right_items(pilot: Mapping[str, Any]) -> str:
    """Say how many items may be right given the pilot; None means that no number would be enough."""
    low, high = pilot["items_low"], pilot["items_high"]
    if low is None:
        return "no number of items may be enough"
    if high is None:
        return f"{low:,} items or more may be right, or no number enough"
    return f"between {low:,} and {high:,} items may be right"


def raters_each(n: int) -> str:
    """Say so many raters, one in a word."""
    return "one rater" if n == 1 else count(n, "rater")


def money(cost: float, currency: str = "") -> str:
    """Write a price, cents only where they matter, with what it is in."""
    amount = f"{cost:,.0f}" if cost >= 100 or cost == int(cost) else f"{cost:,.2f}"
    return f"{amount}\xa0{currency}" if currency else amount


def to_buy(purchase: PurchaseOption, have: tuple[int, int]) -> str:
    """Say what a purchase adds to what is there."""
    items, raters = purchase.size.n_items - have[0], purchase.size.n_raters - have[1]
    if items > 0:
        return f"{count(items, 'item')} × {purchase.size.n_raters}"
    return f"{have[0]:,} × {count(raters, 'rater')}" if raters > 0 else "nothing"


def _crew(people: PeopleReport, best: StudySize) -> str:
    used = count(people.used, "person", "people")
    if people.all_items:
        return f", {best.n_raters} of {used} rating all items"
    return f", from {used} with about {count(max(round(people.items_each), 1), 'item')} each"


def _reach(people: PeopleReport, best: StudySize, margin: float) -> str:
    """Say how far the people reach, and how many would be enough."""
    limit = people.max_per_rater
    most = "however many items you buy" if limit is None else f"with at most {count(limit, 'item')} each"
    ever = _number(people.smallest_ever)
    start = f"With {people.pool:,} people the smallest difference you can ever see is {ever}, {most}"
    if people.used > people.pool:
        return f"{start}: recruit {people.used:,}."
    if people.smallest_ever < NEGLIGIBLE * max(best.difference, margin):
        return "Raters differ little from each other here: more people mostly make the test surer of that."
    fewer = next((each.items_needed for each in people.by_pool if each.pool == people.recruit), None)
    if people.recruit > people.pool and fewer is not None and fewer <= WORTH_IT * best.n_items:
        return f"{start}; with {people.recruit:,} people {count(fewer, 'item')} would do."
    return f"{start}."


def _bought(question: PlanQuestion, best: StudySize, purchase: PurchaseOption) -> str:
    if question.there is not None:
        return _next_purchase(best, purchase, question.there, question.currency)
    fixed = _one(question.item_numbers) and _one(question.rater_numbers)
    size = f"{count(best.n_items, 'item')} with {raters_each(best.n_raters)} each"
    size += "" if best.n_raters == 1 else f", {best.responses:,} ratings in all"
    price = f", for {money(best.cost, question.currency)}" if question.priced else ""
    return f"{size}{price}" if fixed else f"Buy {size}{price}"


def _one(sizes: Sequence[int] | None) -> bool:
    return sizes is not None and len(sizes) == 1


def _next_purchase(best: StudySize, purchase: PurchaseOption, have: tuple[int, int], currency: str) -> str:
    there = f"{count(have[0], 'item')} with {raters_each(have[1])} each"
    if purchase.name == "buy nothing":
        return (
            f"Buy nothing, the {there} are enough" if best.power > 0.5 else f"Nothing is worth buying for the {there}"
        )
    if purchase.name == "more items":
        more = count(best.n_items - have[0], "more item")
        added = f"{more} with {raters_each(have[1])} each, beside the {have[0]:,} there are"
    else:
        more, items = count(best.n_raters - have[1], "more rater"), count(have[0], "item")
        added = f"{more} for each of the {items}, beside their {have[1]:,}"
    return f"Buy {added}, for {money(purchase.cost, currency)}"


def _promise(question: PlanQuestion, title: str, best: StudySize, board: PlannedBoard | None = None) -> str:
    chance, kind = f"with {percent(best.power)} chance", question.wanted.kind
    if kind == "equivalence":
        return f"this shows {chance} that the systems differ by less than {number(question.margin)} in {title}"
    if question.margin is not None:
        return f"this rules out {chance} that system A is worse by {number(question.margin)} or more in {title}"
    seen = f"a difference of {number(question.shown_difference(best.difference))} in {title}"
    if kind == "width":
        return f"the interval for {seen} is about {number(best.ci_width)} wide, and it is seen {chance}"
    if kind == "p":
        return f"{seen} has an expected p of {number(best.expected_p)}, and a test of one study sees it {chance}"
    if board is not None:
        return f"{seen} between neighbours is seen {chance}, all {board.pairs} pairs counted"
    return f"{seen} is seen {chance} (two-sided test, {percent(question.confidence)} confidence)"


def _why(search: Search, best: StudySize) -> str:
    """Say why this number of raters; nothing where that is for the source to say."""
    question = search.question
    if _one(question.rater_numbers):
        least = _number(best.detectable)
        return f"With {percent(question.wanted.power)} chance this size sees differences from {least} up."
    if question.there is not None and best.responses > question.there[0] * question.there[1]:
        return "Decide that number now: looking first and buying more afterwards would break the error rate."
    if best.n_raters == 1:
        return "One rater per item, because a new item tells more than a second opinion on an old one."
    if question.item_price > 0:
        return "More than one rater per item pays here, because items cost money too."
    if best.n_items <= search.floor:
        return f"More than one rater only because fewer than {count(search.floor, 'item')} are not trusted."
    return ""


def _number(value: float) -> str:
    return number(value if isfinite(value) else None)
