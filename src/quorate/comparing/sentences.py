"""What a comparison says first: the number, then what follows from it, then where it comes from."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isclose, isinf, isnan
from typing import TYPE_CHECKING

from quorate._text import Sentence, count, joined, number, p_words, percent
from quorate.comparing.assessment import scores_sentence
from quorate.comparing.judge_words import VERDICTS, read_verdict, verdict_words
from quorate.comparing.words import decimals, drawn_word, unit_words

if TYPE_CHECKING:
    from quorate.comparing.leaderboard import Standing
    from quorate.comparing.result import Comparison, Pair
    from quorate.metrics.metric import Metric

BESIDE = {
    "a_better": "better than",
    "b_better": "worse than",
    "equivalent": "equivalent to",
    "not_worse": "not worse than",
    "identical": "identical to",
    "inconclusive": "not told apart from",
}
"""What a system is beside another, in the order in which it is said."""


def comparison_sentence(result: "Comparison") -> Sentence:
    """Say the number and the verdict: of judges, of the pair, against the baseline, by metric, or who could be best."""
    if result.scores:
        return scores_sentence(result.scores, result.target_score)
    if result.judges:
        return _judges(result)
    if len(result.pairs) == 1:
        return result.pairs[0].sentence
    if result.baseline:
        return _against_baseline(result)
    return _by_metric(result.pairs) if len(result.ranking) == 2 else _best(result)


def _best(result: "Comparison") -> Sentence:
    """Say how many of several systems may be the best, and which; of one alone, its score."""
    best = [standing for standing in result.ranking if standing.could_be_best]
    n, size, by = f"{result.pairs[0].n_items:,} items", len(result.ranking), f"by {_spoken(result.ranking[0].metric)}"
    if not best:
        why = f"on {n} every system is beaten by another, all comparisons counted."
        return Sentence(f"0 of {size} systems are best {by}", why)
    if len(best) > 1:
        why = f"on {n} the data do not tell them apart, counting all comparisons."
        names = joined([standing.system for standing in best], "or", 4)
        return Sentence(f"{len(best)} of {size} systems may be best {by}: {names}", why, " –")
    [first], second = best, next(standing for standing in result.ranking if not standing.could_be_best)
    digits = decimals([pair for pair in result.pairs if pair.metric == first.metric])
    head = f"{first.system} {_reached(first, digits)} and is best of {size} systems {by}"
    return Sentence(head, f"{second.system} {_reached(second, digits)} – {n}, all comparisons counted.")


def _reached(standing: "Standing", digits: int) -> str:
    """Say a system's score; of votes, how often it is preferred to another."""
    if standing.win_rate is None:
        return f"scores {number(standing.score, digits)}"
    return f"is preferred in {percent(standing.win_rate)} of votes"


@dataclass(frozen=True)
class Settling:
    """How many items would settle a margin: at the fewest, and as things stand.

    `items` is None where no number would; `as_seen` says it is for the difference seen, not for equal systems.
    """

    fewest: int
    items: int | None
    as_seen: bool = False


def pair_sentence(
    pair: "Pair", metric: "Metric", margin: float | None, settle: Settling | None, counted: int
) -> Sentence:
    """Say by how much, who is better, of what, over which units – and what would settle it.

    `counted` are the items that count in the score: of recall, the positives.
    """
    n = count(pair.n_items, "item")
    if pair.verdict == "identical":
        share = percent(1 - ((1 - pair.confidence) / 2) ** (1 / counted))
        few = "" if counted == pair.n_items else f"only {counted} of them count in it, and "
        unseen = f"{few}a difference on fewer than {share} of {'these' if few else 'them'}"
        same = f"the same {metric.title} on every one; {unseen} might not have shown"
        ends = f"{interval_words(pair, decimals([pair]))}, {_chance(pair)}"
        return Sentence(f"{pair.a} and {pair.b} are identical on {n}", f"{same} ({ends}).")
    meaning = "" if pair.estimand == metric.title else f"{pair.estimand}; "
    what = f"{meaning}{n}{_raters(pair)}, {unit_words(pair)}"
    if isnan(pair.difference):
        why = f"{metric.title} is not defined for both" if metric.shown is None else "no votes link them"
        return Sentence(difference_headline(pair, margin), f"{why} – {what}.")
    digits, tail = decimals([pair]), _tail(pair, margin, settle, counted)
    if pair.win is not None and pair.tie is not None and pair.loss is not None and metric.reads_votes:
        return _votes(pair, pair.win, pair.tie, pair.loss, margin, f"{what}.{tail}")
    both = (pair.score_a, pair.score_b) if pair.difference >= 0 else (pair.score_b, pair.score_a)
    scores = f"{metric.title} {' against '.join(number(score, digits) for score in both)}"
    head = difference_headline(pair, margin, votes=metric.shown is not None)
    return Sentence(head, f"{scores}, {_chance(pair)} – {what}.{tail}")


def _votes(pair: "Pair", win: float, tie: float, loss: float, margin: float | None, what: str) -> Sentence:
    """Say the shares of votes, those of the system with the win margin first, and whether places moved it."""
    digits, ahead = decimals([pair]), pair.difference >= 0
    sides = [(pair.a, win), (pair.b, loss)]
    (first, most), (second, least) = sides if ahead else sides[::-1]
    size = number(abs(pair.difference), digits)
    moved = "" if isclose(win - loss, pair.difference, abs_tol=1e-9) else " once being shown first is taken out"
    ends = f"win margin {size} ({interval_words(pair, digits, mirrored=not ahead)}, {_chance(pair)})"
    head = f"{first} gets {percent(most)} of votes and {second} {percent(least)}, {pair_claim(pair, margin)}{moved}"
    return Sentence(head, f"{percent(tie)} ties, {ends} – {what}")


def difference_headline(pair: "Pair", margin: float | None, *, votes: bool = False, other: str = "") -> str:
    """Say the difference with its interval, seen from the system that scores better, and what follows from it.

    Of votes the difference is a win margin; `other` stands for the second system. A test by ranks has a typical
    difference, which is not that of the scores.
    """
    digits, b = decimals([pair]), other or pair.b
    size = number(abs(pair.difference), digits)
    if isnan(pair.difference):
        return f"The data do not tell {pair.a} and {b} apart"
    if float(size.replace(",", "")) == 0:
        claim = pair_claim(pair, margin, b).replace("but the data", "and the data")
        return f"{pair.a} and {b} score alike ({interval_words(pair, digits)}), {claim}"
    ahead = pair.difference > 0
    usual = "" if isclose(abs(pair.score_a - pair.score_b), abs(pair.difference), rel_tol=1e-6) else "typically "
    verb = f"{usual}scores {size} {'higher' if pair.better == 'high' else 'lower'} than"
    verb = f"has a win margin of {size} over" if votes else verb
    first, second = (pair.a, b) if ahead else (b, pair.a)
    ends = interval_words(pair, digits, mirrored=not ahead) + ("" if pair.better == "high" else "; low is good")
    return f"{first} {verb} {second} ({ends}), {pair_claim(pair, margin, b)}"


def pair_claim(pair: "Pair", margin: float | None, other: str = "") -> str:
    """Say what follows in a few words: who is better, or that the data do not tell."""
    b = other or pair.b
    if pair.verdict == "inconclusive" and margin is not None and pair.deciding[1] < 0:
        return f"but perhaps by less than {margin:g}"
    return {
        "a_better": f"so {pair.a} is better",
        "b_better": f"so {b} is better" + ("" if margin is None else f" by more than {margin:g}"),
        "equivalent": f"so they are equivalent within {margin or 0:g}",
        "not_worse": f"so {pair.a} is not worse by {margin or 0:g} or more",
        "inconclusive": "but the data do not tell them apart",
        "identical": "so they are identical",
    }[pair.verdict]


def interval_words(pair: "Pair", digits: int, *, mirrored: bool = False) -> str:
    """Say the interval that decides, or why there is none; mirrored, as seen from b."""
    low, high, _ = pair.deciding
    if isinf(low):
        return "too few items for an interval"
    if isnan(low):
        return f"no interval, every {drawn_word(pair)} differs alike" if pair.se == 0 else "no interval"
    low, high = (-high, -low) if mirrored else (low, high)
    return f"{percent(pair.confidence)} interval {number(low, digits)} to {number(high, digits)}"


def _chance(pair: "Pair") -> str:
    """Say how surprising the difference is; a test by ranks may be sure of it where its interval reaches 0."""
    low, high, p = pair.deciding
    reaches = p < 1 - pair.confidence and low <= 0 <= high
    counted = "" if pair.p_adjusted is None else ", all comparisons counted"
    return f"{p_words(p)}{counted}{', though the interval reaches 0' if reaches else ''}"


def _raters(pair: "Pair") -> str:
    """Say how many raters there are, and what they amount to if some answered far more often."""
    if pair.n_raters is None or pair.effective_raters is None:
        return ""
    like = f" (some far busier than others, so they count like {pair.effective_raters:.1f})"
    fewer = "" if pair.effective_raters > 0.9 * pair.n_raters else like
    return f" × {count(pair.n_raters, 'rater')}{fewer}"


def _tail(pair: "Pair", margin: float | None, settle: Settling | None, counted: int) -> str:
    if pair.verdict != "inconclusive":
        return ""
    if margin is None:
        return " Say which difference matters with --margin to learn how many items would settle it."
    if settle is None:
        return ""
    if pair.n_items < settle.fewest:
        like = " like these" if counted < pair.n_items else ""
        return (
            f" With fewer than {settle.fewest:,} items{like} nothing can pass a margin of {margin:g}{_about(settle)}."
        )
    if settle.items is None and pair.n_raters is not None:
        raters = count(pair.n_raters, "rater")
        return f" No number of items would settle a margin of {margin:g} with {raters} like these; ask more people."
    if settle.items is None:
        return ""
    if settle.as_seen:
        return f" If the difference stays as seen, about {settle.items:,} items would settle a margin of {margin:g}."
    return (
        f" About {settle.items:,} items rated like these would settle a margin of {margin:g}; decide that number now."
    )


def _about(settle: Settling) -> str:
    return "" if settle.items is None else f"; about {settle.items:,} would settle it if the systems are equal"


def _by_verdict(pairs: Sequence["Pair"], named: "Callable[[Pair], str]") -> list[tuple[int, str, str]]:
    """Return how many pairs have each verdict there is, its words, and what these pairs are called by."""
    named_by = (
        (words, [named(pair) for pair in pairs if pair.verdict == verdict]) for verdict, words in BESIDE.items()
    )
    return [(len(names), words, joined(names, "and", 4)) for words, names in named_by if names]


def _against_baseline(result: "Comparison") -> Sentence:
    """Say how many systems are better than the baseline, and what the others are."""
    pairs = [pair for pair in result.pairs if pair.metric == result.ranking[0].metric]
    (size, words, names), *rest = _by_verdict(pairs, lambda pair: pair.a)
    head = f"{size} of {count(len(pairs), 'system')} {_are(size)} {words} {pairs[0].b}: {names}"
    others = [f"{size} {_are(size)} {words.rpartition(' ')[0]}: {names}" for size, words, names in rest]
    on = f"by {_spoken(pairs[0].metric)} on {pairs[0].n_items:,} items, all comparisons counted."
    return _with_others(head, others, on)


def _by_metric(pairs: Sequence["Pair"]) -> Sentence:
    """Say by how many metrics a system is better than another, and what it is by the others."""
    (size, words, names), *rest = _by_verdict(pairs, lambda pair: _spoken(pair.metric))
    head = f"By {size} of {len(pairs)} metrics {pairs[0].a} is {words} {pairs[0].b}: {names}"
    others = [f"by {names} {words.rpartition(' ')[0]}" for _, words, names in rest]
    on = f"{pairs[0].n_items:,} items, all comparisons counted."
    return _with_others(head, others, on)


def _judges(result: "Comparison") -> Sentence:
    """Say how far a judge is from a rater, or how many judges may stand in for one."""
    judges, first = result.judges, result.pairs[0]
    on = f"{count(first.n_items, 'item')} × {count(len(result.rater_scores), 'rater')}"
    if len(judges) == 1:
        [judge] = judges
        scores = f"{judge.metric} {number(judge.agreement)}, a rater's {number(judge.rater_agreement)}"
        head = difference_headline(first, result.margin, other="a rater")
        return Sentence(head, f"{scores} against the other raters – {on}.")
    said = []
    for verdict in VERDICTS:
        pairs = zip(judges, result.pairs, strict=False)
        names = [judge.system for judge, pair in pairs if read_verdict(pair) == verdict]
        if names:
            said.append((len(names), verdict_words(verdict, result.margin), joined(names, "and", 4)))
    size, words, who = said[0]
    head = f"{size} of {len(judges)} judges {_are(size)} {words}: {who}"
    others = [f"{size} {_are(size)} {words}: {who}" for size, words, who in said[1:]]
    return _with_others(head, others, f"by {_spoken(first.metric)} on {on}, all comparisons counted.")


def _with_others(head: str, others: Sequence[str], on: str) -> Sentence:
    """Say what the others are after the headline, and of what all is said."""
    return Sentence(head, f"{'; '.join(others)} – {on}", ";") if others else Sentence(head, on, " –")


def _are(size: int) -> str:
    return "is" if size == 1 else "are"


def _spoken(metric: str) -> str:
    return metric.replace("_", " ").replace("wins:", "wins by ")
