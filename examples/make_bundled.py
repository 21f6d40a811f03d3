"""Make the small data sets that come with quorate: `python examples/make_bundled.py [FOLDER]`.

Everything is drawn from uniform numbers of one seeded generator per file, so that the same bytes come out with any
version of NumPy. The people, replies, summaries and posts are made up; how they are drawn is said at each function.
Their settings were adjusted until the examples told a plain story: they illustrate, and are evidence of nothing.
"""

import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

BUNDLED = Path(__file__).parents[1] / "src" / "quorate" / "data" / "bundled"
Floats = NDArray[np.float64]


def normal(rng: np.random.Generator, *shape: int) -> Floats:
    """Draw standard normal numbers by Box and Muller's method."""
    u, v = rng.random(shape), rng.random(shape)
    return np.asarray(np.sqrt(-2 * np.log1p(-u)) * np.cos(2 * np.pi * v))


def choose(rng: np.random.Generator, chances: Floats) -> NDArray[np.intp]:
    """Draw one category per row of chances, ``(..., category)``."""
    steps = np.cumsum(chances, axis=-1) / chances.sum(-1, keepdims=True)
    return np.asarray((rng.random(chances.shape[:-1])[..., None] > steps).sum(-1))


def some_of(rng: np.random.Generator, eagerness: Floats, n: int) -> NDArray[np.intp]:
    """Choose n raters; eager ones turn up more often."""
    return np.argsort(rng.random(len(eagerness)) ** (1 / eagerness))[-n:]


def centred(x: Floats) -> Floats:
    """Shift numbers to mean zero: no crowd as a whole is lenient."""
    return np.asarray(x - x.mean())


def logistic(x: Floats) -> Floats:
    """Return 1 / (1 + exp(-x))."""
    return np.asarray(1 / (1 + np.exp(-x)))


def opinions(solved: Floats) -> Floats:
    """Return the chances of no, unsure and yes for a reply that seems to solve the problem this well."""
    unsure = 0.2 * np.exp(-(solved**2)) + 0.03
    yes = (1 - unsure) * logistic(2 * solved)
    return np.stack([1 - unsure - yes, unsure, yes], axis=-1)


ANSWERS = ("no", "unsure", "yes")


def support() -> dict[str, list[str]]:
    """Replies of a support bot: did the reply solve the problem? 120 replies, 5 of 14 raters each, two judges.

    A reply has a quality, a rater is more or less lenient, and the closer a reply seems to the border the likelier is
    "unsure". Both judges see the quality through noise; atlas through less of it, so atlas is truly better. They
    also give the chances behind their answer.
    """
    rng = np.random.default_rng(1)
    quality, lenience, eagerness = 0.3 + 1.4 * normal(rng, 120), centred(0.7 * normal(rng, 14)), 0.2 + rng.random(14)
    channel = ["web", "app", "phone"]
    rows, answers, chances = ["item,rater,response,channel"], ["item,system,response"], ["item,system,no,unsure,yes"]
    for item, how in enumerate(quality):
        where = channel[int(3 * rng.random() ** 1.5)]
        raters = some_of(rng, eagerness, 5)
        said = choose(rng, opinions(how + lenience[raters]))
        rows += [f"s{item + 1:03},r{r + 1:02},{ANSWERS[code]},{where}" for r, code in zip(raters, said, strict=True)]
    for system, noise in (("atlas", 0.3), ("birch", 1.8)):
        belief = opinions(quality + noise * normal(rng, 120))
        answers += [f"s{i + 1:03},{system},{ANSWERS[int(p.argmax())]}" for i, p in enumerate(belief)]
        for i, p in enumerate(belief):
            no, unsure = round(float(p[0]), 3), round(float(p[1]), 3)
            chances.append(f"s{i + 1:03},{system},{no:.3f},{unsure:.3f},{1 - no - unsure:.3f}")
    return {"support": rows, "support-answers": answers, "support-probabilities": chances}


def summaries() -> dict[str, list[str]]:
    """Summaries rated from 1 to 5 by all of 4 raters; two systems guess the rating, three times each.

    Rating = quality of the summary + habit of the rater + noise, rounded. The systems see the quality through noise of
    their own, part of it the same in every run, and birch is too kind by 0.7: atlas is truly better.
    """
    rng = np.random.default_rng(2)
    sources = ("news", "forum", "mail")
    source = choose(rng, np.tile([0.5, 0.3, 0.2], (80, 1)))
    quality = 3.4 - 0.4 * source + 1.1 * normal(rng, 80)
    habit = centred(0.4 * normal(rng, 4))
    rating = stars(quality[:, None] + habit + 0.7 * normal(rng, 80, 4))
    rows = ["item,rater,response,source"]
    rows += [f"d{i + 1:02},r{r + 1},{rating[i, r]},{sources[source[i]]}" for i in range(80) for r in range(4)]
    answers = ["item,system,response,run"]
    for system, kindness, noise in (("atlas", 0.0, 0.4), ("birch", 0.7, 1.0)):
        guess = stars((quality + kindness + noise * normal(rng, 80))[:, None] + 0.3 * normal(rng, 80, 3))
        answers += [f"d{i + 1:02},{system},{guess[i, k]},{k + 1}" for i in range(80) for k in range(3)]
    return {"summaries": rows, "summaries-answers": answers}


def stars(x: Floats) -> NDArray[np.int64]:
    """Round to whole stars from 1 to 5."""
    return np.clip(np.rint(x), 1, 5).astype(np.int64)


def moderation() -> dict[str, list[str]]:
    """Posts that may break the rules: 600 posts, 3 to 5 votes each by 40 voters, 60 expert labels, a classifier.

    A quarter of the posts break the rules, some plainly, some not. Voters are lenient or strict, the classifier's score
    follows how plain the post is; experts saw a random tenth and are right.
    """
    rng = np.random.default_rng(3)
    breaks = rng.random(600) < 0.25
    plainness = np.where(breaks, 1.1, -1.4) + 0.9 * normal(rng, 600)
    strictness, eagerness = 0.5 * normal(rng, 40), 0.1 + rng.random(40)
    votes = ["item,rater,response"]
    for post in range(600):
        voters = some_of(rng, eagerness, 3 + int(3 * rng.random()))
        yes = rng.random(len(voters)) < logistic(1.6 * (plainness[post] + strictness[voters]))
        votes += [f"p{post + 1:03},v{v + 1:02},{int(y)}" for v, y in zip(voters, yes, strict=True)]
    score = logistic(0.7 * plainness + 1.3 * normal(rng, 600) - 0.3)
    expert = np.sort(np.argsort(rng.random(600))[:60])
    return {
        "moderation": votes,
        "moderation-experts": ["item,label", *(f"p{post + 1:03},{int(breaks[post])}" for post in expert)],
        "moderation-scores": ["item,score", *(f"p{post + 1:03},{x:.3f}" for post, x in enumerate(score))],
    }


def preferences() -> dict[str, list[str]]:
    """Chat replies of three systems side by side: 60 prompts, two of the three pairs each, 4 of 12 raters a pair.

    A vote follows the systems' strengths, what the prompt and the rater like in each system, a little for the reply on
    the left, and noise; when that is near 0 it is a tie. atlas is truly better than birch, and birch than cedar.
    """
    rng = np.random.default_rng(4)
    systems, strength = ("atlas", "birch", "cedar"), np.array([0.45, 0.0, -0.35])
    of_prompt, of_rater = 0.5 * normal(rng, 60, 3), 0.35 * normal(rng, 12, 3)
    topics, pairs = ("travel", "code", "health"), ((0, 1), (1, 2), (0, 2))
    rows = ["prompt,rater,left,right,winner,topic"]
    for prompt in range(60):
        liking = strength + of_prompt[prompt]
        for turn in (0, 1):
            a, b = pairs[(prompt + turn) % 3]
            for rater in some_of(rng, np.ones(12), 4):
                swap = rng.random() < 0.5
                left, right = (b, a) if swap else (a, b)
                seen = liking + of_rater[rater]
                noise = np.log(1 / rng.random() - 1)
                lead = seen[left] - seen[right] + 0.15 + noise
                winner = "left" if lead > 0.4 else "right" if lead < -0.4 else "tie"
                who = f"{systems[left]},{systems[right]},{winner}"
                rows.append(f"p{prompt + 1:02d},r{rater + 1:02d},{who},{topics[prompt % 3]}")
    return {"preferences": rows}


def replies() -> dict[str, list[str]]:
    """Replies of two chat systems, marked 1 to 5: 40 prompts, 3 of 10 people mark both replies, and so does a judge.

    Mark = how well the prompt can be answered + the system + what the prompt and the person make of that system + the
    person's habit + noise, rounded; the judge has no habits of people but a noise of its own. atlas is truly better.
    """
    rng = np.random.default_rng(5)
    systems, worth, topics = ("atlas", "birch"), (0.25, -0.25), ("travel", "code", "health")
    ease, of_prompt = 3.2 + 0.7 * normal(rng, 40), 0.4 * normal(rng, 40, 2)
    habit, of_person = centred(0.5 * normal(rng, 10)), 0.15 * normal(rng, 10, 2)
    rows, judged = ["prompt,system,rater,rating,topic"], ["prompt,system,rating"]
    for prompt in range(40):
        people = np.sort(some_of(rng, np.ones(10), 3))
        for k, system in enumerate(systems):
            liked = ease[prompt] + worth[k] + of_prompt[prompt, k]
            marks = stars(liked + habit[people] + of_person[people, k] + 0.6 * normal(rng, 3))
            where = f"q{prompt + 1:02},{system}"
            rows += [f"{where},r{r + 1:02},{m},{topics[prompt % 3]}" for r, m in zip(people, marks, strict=True)]
            judged.append(f"{where},{stars(liked + 0.5 * normal(rng, 1))[0]}")
    return {"replies": rows, "replies-judge": judged}


FINDINGS = ("no", "partly", "yes")


def claims() -> dict[str, list[str]]:
    """Claims in generated text: does the source support them? 80 claims, 4 of 9 people each, and two LLM judges.

    A claim is more or less supported, people are more or less strict and see it through noise. larch sees it as well
    as a person who is neither strict nor kind; maple says yes too easily: larch may stand in for a person, maple not.
    """
    rng = np.random.default_rng(6)
    support, strictness = 0.2 + 1.5 * normal(rng, 80), centred(0.25 * normal(rng, 9))

    def found(seen: Floats) -> list[str]:
        return [FINDINGS[int(x > -0.4) + int(x > 0.5)] for x in seen]

    rows, judged = ["item,rater,label"], ["item,system,label"]
    for claim in range(80):
        people = np.sort(some_of(rng, np.ones(9), 4))
        said = found(support[claim] - strictness[people] + 0.65 * normal(rng, 4))
        rows += [f"c{claim + 1:02},r{r + 1},{word}" for r, word in zip(people, said, strict=True)]
    for system, kindness, noise in (("larch", 0.0, 0.25), ("maple", 1.8, 2.6)):
        said = found(support + kindness + noise * normal(rng, 80))
        judged += [f"c{claim + 1:02},{system},{word}" for claim, word in enumerate(said)]
    return {"claims": rows, "claims-judges": judged}


def write(folder: Path) -> None:
    """Write all examples into a folder."""
    for files in (support(), summaries(), moderation(), preferences(), replies(), claims()):
        for name, lines in files.items():
            (folder / f"{name}.csv").write_text(_text(lines), encoding="utf-8", newline="\n")


def _text(lines: Iterable[str]) -> str:
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else BUNDLED)
