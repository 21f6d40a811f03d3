"""Hostile runs: a verb, its options, and files of every kind, all from one seed and a number."""

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.hostile import tables
from tests.hostile.tables import ODD_VALUES, Random, Rows

ODD_WORDS = (
    "nan", "inf", "-inf", "-1", "0", "1", "2", "3", "0.5", "1e400", "1e308", "-1e308", "1e-320", "1" * 30, "9" * 5000, "", " ", "abc", "1-10",
    "1-1000000000", "5-2", "1-", "-", "--", ",", ",,", "a,a", "a,b", "0,0", "3,3", "200,3", "100000000000000000000,3", "\u202e", "é", "\x1b[31m",
    "1e3", "0x10", "１", "None", "true", "*", "^.*$", "item", "rater", "response", "system", "domain", "x" * 300, "\udcff", "1,2,3", "2147483648",
    "1000000", "1e9", "=1", "../..", "/", ".", "/dev/null", "power=.8", "power=nan", "width=0", "p=2", "equivalence=.8", "probabilities", "raters",
)  # fmt: skip
READING = (
    "--item-column",
    "--rater-column",
    "--response-column",
    "--scale",
    "--order",
    "--duplicates",
    "--layout",
    "--columns",
)
OPTIONS = {
    "describe": (*READING, "--top", "--rater-groups", "--confidence", "--seed"),
    "fit": (*READING, "--method", "--family", "--evaluate", "--seed"),
    "compare": (
        *READING, "--rated-system", "--metric", "--systems", "--baseline", "--margin", "--by", "--test", "--unit", "--raters-are",
        "--items-are", "--confidence", "--positive", "--better", "--variant", "--missing", "--system-column", "--run-column", "--resamples",
    ),
    "plan": (
        *READING, "--metric", "--difference", "--effect", "--goal", "--budget", "--items", "--raters", "--have", "--min-items", "--margin",
        "--score", "--systems-agree", "--at-raters", "--answers", "--unit", "--pool", "--max-per-rater", "--rater-share", "--item-price",
        "--rating-price", "--expert-price", "--precision", "--confidence", "--positive", "--variant", "--alpha", "--preset", "--resample-unit",
        "--resample-pool", "--systems", "--missing", "--seed", "--workers", "--grid",
    ),
    "simulate": ("--items", "--raters", "--answers", "--answers-a", "--answers-b", "--effect", "--effect-a", "--expert-share", "--alpha", "--seed"),
    "audit": (
        "--items", "--raters", "--metric", "--effect", "--null", "--answers", "--test", "--unit", "--pool", "--load", "--replicates",
        "--confidence", "--mc-confidence", "--resamples", "--variant", "--seed", "--alpha", "--resample-pool", "--workers",
    ),
    "estimate": (
        "--positive", "--several-experts", "--missing", "--duplicates", "--expert-column", "--item-column", "--rater-column",
        "--response-column", "--system-column", "--score-column", "--metric", "--threshold", "--method", "--mode", "--by", "--target",
        "--confidence", "--draws", "--selection", "--variant", "--target-width", "--expert-price", "--rating-price", "--seed",
    ),
}  # fmt: skip
CHOICES = {
    "--scale": ("nominal", "ordinal", "interval"),
    "--duplicates": ("keep", "first", "last", "error"),
    "--layout": ("long", "wide", "counts"),
    "--metric": (
        *("agreement", "brier", "crps", "accuracy", "kl", "mae", "emd", "wins", "f1", "auc", "spearman", "mean_rating"),
        *(
            "precision",
            "cosine",
            "jensen_shannon",
            "total_variation",
            "rmse",
            "wins:mae",
            "cross_entropy",
            "emd_of_means",
        ),
    ),
    "--test": (
        "permutation",
        "bootstrap",
        "wilcoxon",
        "welch",
        "mcnemar",
        "published:all:all",
        "published:bootstrap:one",
    ),
    "--unit": ("items", "items+answers", "items+raters", "S2", "batches", "cluster:domain", "cluster:*", "cluster:"),
    "--method": ("map", "ml", "maven", "gt", "mv", "gt+mv", "ds", "ds+s", "h-ai", "ppi", "oracle", "ds-raters"),
    "--family": ("dirichlet", "normal", "auto"),
    "--null": ("sharp", "rescaled", "variance", "tail", "threshold"),
    "--variant": ("paper", "default"),
    "--preset": ("dices", "toxicity", "uniform-normal", "shared-raters", "maven", "multidomain"),
    "--missing": ("drop", "error"),
    "--raters-are": ("fixed", "random"),
    "--items-are": ("fixed", "random"),
    "--resample-unit": ("items", "items+raters", "S2", "S3", "auto"),
    "--by": ("domain", "rater", "*"),
    "--systems": ("a,b", "b,a", "a"),
    "--baseline": ("a", "b"),
}
POPULATIONS: tuple[dict[str, Any], ...] = (
    {"kind": "dirichlet", "alpha": [5.22, 0.86, 2.75], "categories": ["No", "Unsure", "Yes"]},
    {"kind": "dirichlet", "alpha": [1.3, 1.4], "levels": [0, 1]},
    {
        "kind": "normal",
        "means": {"family": "uniform", "low": 0.0, "high": 1.0},
        "sds": {"family": "uniform", "low": 0.0, "high": 0.3},
        "mean_bounds": [0.0, 1.0],
    },
    {
        "kind": "normal",
        "means": {"family": "folded-normal", "mean": 0.0, "sd": 0.28, "clip_low": 0.0, "clip_high": 0.8},
        "sds": {"family": "triangular", "low": -0.05, "mode": 0.21, "high": 0.45, "clip_low": 0.0},
        "levels": [0.0, 0.2, 0.4, 0.6, 0.8],
        "cut": "down",
    },
    {
        "kind": "empirical",
        "unit": "items",
        "item": [0, 0, 1, 1, 2, 2],
        "response": [0, 1, 1, 1, 0, 0],
        "rater": [0, 1, 0, 1, 0, 1],
        "categories": ["a", "b"],
    },
    {"kind": "shared-raters", "lean": 0.1, "item": 0.2, "pool": 6, "load": "even"},
)
GRID: dict[str, Any] = {
    "populations": ["dices"],
    "metrics": ["accuracy"],
    "effects": [0.3],
    "items": [20],
    "raters": [2],
    "answers": 1,
    "confidence": 0.9,
}


@dataclass
class Case:
    """The words after `quorate`, the files beside it, and what comes by standard input."""

    words: list[str]
    files: dict[str, bytes] = field(default_factory=dict)
    stdin: bytes = b""

    @property
    def gated(self) -> bool:
        return "--gate" in self.words or self.words[:1] == ["reproduce"]


def make_case(seed: int, number: int) -> Case:
    """Return the same case for the same seed and number, anywhere."""
    rng = random.Random(f"{seed}/{number}")
    case = rng.choice(KINDS)(rng)
    verb = case.words[0] if case.words else ""
    for _ in range(rng.choice([0, 0, 0, 1, 2])):
        case.words += _option(verb, rng)
    if rng.random() < 0.3:
        case.words.append("--json")
    if rng.random() < 0.3 and verb != "simulate":
        case.words += ["-o", _target(case, rng)]
    if rng.random() < 0.02:
        rng.shuffle(case.words)
    if rng.random() < 0.02:
        case.words = case.words[: rng.randrange(len(case.words) + 1)]
    return case


def _option(verb: str, rng: Random) -> list[str]:
    flag = rng.choice(OPTIONS.get(verb, ("--seed",)))
    known = CHOICES.get(flag, ())
    return [flag, rng.choice(known) if known and rng.random() < 0.75 else rng.choice(ODD_WORDS)]


def _target(case: Case, rng: Random) -> str:
    odd = [
        *case.files,
        "nowhere/x.csv",
        ".",
        "x",
        "y" * 300 + ".csv",
        "é.csv",
        "\udcff.csv",
        "/dev/full",
        "-",
        "x.csv/y.csv",
        "\x1b.json",
    ]
    return rng.choice(["out.html", "out.csv", "out.json", "out.parquet"]) if rng.random() < 0.8 else rng.choice(odd)


def _file(case: Case, name: str, rows: Rows, rng: Random) -> str:
    """Put a table into the case and return the word that names it."""
    rows = tables.mutated(rows, rng) if rng.random() < 0.5 else rows  # the verbs are to be reached too
    suffix, data = tables.as_file(rows, rng)
    if rng.random() < 0.04 and not case.stdin:
        case.stdin = data
        return "-"
    name = rng.choice([name] * 20 + ["é", "\udcff", "a b", "\x1b[1m", "-x", "example:x"])
    case.files[name + suffix] = data
    return name + suffix


def _ratings(rng: Random) -> Rows:
    return rng.choice([tables.ratings, tables.ratings, tables.ratings, tables.wide, tables.counts])(rng)


def _describe(rng: Random) -> Case:
    case = Case([rng.choice(["describe", "describe", "fit"])])
    case.words.append(_file(case, "ratings", _ratings(rng), rng))
    return case


def _compare(rng: Random) -> Case:
    case, said = Case(["compare"]), _ratings(rng)
    case.words += [_file(case, "ratings", said, rng), _file(case, "answers", tables.answers(rng, said), rng)]
    case.words += ["--resamples", "99"]
    if rng.random() < 0.3:
        case.words.append("--gate")
    return case


def _compare_rated(rng: Random) -> Case:
    case = Case(["compare"])
    case.words += [_file(case, "outputs", tables.outputs(rng), rng), "--rated-system", "system", "--resamples", "99"]
    return case


def _estimate(rng: Random) -> Case:
    case = Case(["estimate"])
    for flag, rows in zip(("--votes", "--experts", "--scores"), tables.crowd(rng), strict=True):
        if flag == "--votes" or rng.random() < 0.8:
            case.words += [flag, _file(case, flag[2:], rows, rng)]
    case.words += ["--draws", "60", "--method", rng.choice(["gt", "mv", "gt,mv", "maven", "ds", "ppi"])]
    return case


def _plan_pilot(rng: Random) -> Case:
    case, said = Case(["plan", "--difference", "0.1", "--items", "50", "--raters", "3"]), _ratings(rng)
    case.words += [rng.choice(["--from", "--from", "--resample"]), _file(case, "ratings", said, rng)]
    if case.words[-2] == "--from" and rng.random() < 0.6:
        case.words += ["--with", _file(case, "answers", tables.answers(rng, said), rng)]
    return case


def _population(case: Case, rng: Random) -> list[str]:
    """Name a population: by a preset, an alpha, or a file in which something is odd."""
    if rng.random() < 0.25:
        return ["--preset", rng.choice(["dices", "toxicity", "uniform-normal", "shared-raters"])]
    if rng.random() < 0.15:
        return [
            "--alpha",
            rng.choice(
                ["1,2", "5.22,0.86,2.75", "0,1", "1e308,1", "nan,1", "1", "-1,2", "1e-300,1e-300", "1," * 50 + "1"]
            ),
        ]
    content = json.loads(json.dumps(rng.choice(POPULATIONS)))
    for _ in range(rng.choice([0, 0, 1, 2])):
        _mutate_at(content, rng)
    if rng.random() < 0.2:
        content = {"population": content}
    data = json.dumps(content).encode()
    case.files["population.json"] = tables.mangled(data, rng) if rng.random() < 0.3 else data
    return ["--population", "population.json"]


def _mutate_at(content: Any, rng: Random) -> None:
    """Replace, delete or add a value somewhere in nested data."""
    while True:
        keys = list(content) if isinstance(content, dict) else list(range(len(content)))
        if not keys:
            return
        key = rng.choice(keys)
        if isinstance(content[key], dict | list) and rng.random() < 0.6:
            content = content[key]
            continue
        action = rng.random()
        if action < 0.7:
            content[key] = rng.choice(ODD_VALUES)
        elif action < 0.85 or isinstance(content, list):
            del content[key]
        else:
            content[rng.choice(["x", "kind", "levels", "raters", "alpha"])] = rng.choice(ODD_VALUES)
        return


def _plan(rng: Random) -> Case:
    case = Case(
        ["plan", *rng.choice([["--difference", "0.05"], ["--effect", "0.3"]]), "--items", "50", "--raters", "3"]
    )
    case.words += _population(case, rng)
    return case


def _simulate(rng: Random) -> Case:
    case = Case(
        [
            "simulate",
            "--items",
            "5",
            "--raters",
            "2",
            "-o",
            rng.choice(["study", ".", "x.html", "a/b", "x.csv", "/dev/null"]),
        ]
    )
    case.words += _population(case, rng)
    return case


def _audit(rng: Random) -> Case:
    case = Case(["audit", "--items", "8", "--raters", "2", "--replicates", "20", "--resamples", "19"])
    case.words += _population(case, rng)
    return case


def _journal(rng: Random) -> Case:
    """An audit that goes on with a journal which something befell; `JOURNAL` stands for where it lies."""
    case = Case(["audit", "--preset", "dices", "--items", "8", "--raters", "2", "--replicates", "600", "--resume"])
    case.files["JOURNAL"] = str(rng.getrandbits(40)).encode()
    return case


def _grid(rng: Random) -> Case:
    content = json.loads(json.dumps(GRID))
    for _ in range(rng.choice([0, 1, 1, 2])):
        _mutate_at(content, rng)
    lines = [f"{key} = {_toml(value)}" for key, value in content.items()]
    data = "\n".join(lines).encode(errors="surrogatepass")
    return Case(["plan", "--grid", "g.toml"], {"g.toml": tables.mangled(data, rng) if rng.random() < 0.3 else data})


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {_toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value).replace("NaN", "nan").replace("Infinity", "inf").replace("null", '"null"')


def _usage(rng: Random) -> Case:
    verb = rng.choice([*OPTIONS, "reproduce", "presets", "frobnicate", "--version", "--help", "-h"])
    words = [verb, *(rng.choice([*ODD_WORDS, *OPTIONS.get(verb, ())]) for _ in range(rng.randint(0, 4)))]
    return Case(words if verb != "reproduce" else [*words, "--data", "/nowhere"])


KINDS: tuple[Callable[[Random], Case], ...] = (
    *(_describe,) * 7,
    *(_compare,) * 5,
    *(_compare_rated,) * 2,
    *(_estimate,) * 3,
    *(_plan_pilot,) * 2,
    *(_plan,) * 3,
    *(_simulate,) * 2,
    *(_audit,) * 2,
    _journal,
    *(_grid,) * 2,
    *(_usage,) * 2,
)
