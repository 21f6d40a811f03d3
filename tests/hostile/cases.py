"""Hostile runs: a verb, its options, and files of every kind, all from one seed and a number."""

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.hostile import tables
from tests.hostile.options import ODD_WORDS, RECORDS, options_of
from tests.hostile.tables import ODD_VALUES, Random, Rows

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
ESTIMATES = (
    ["--choose", "3", "-o", "to-label.csv"],
    ["--curves", "curves.csv"],
    ["--by", "domain"],
    ["--cluster", "domain"],
    ["--target", "population"],
    ["--target-width", "0.1", "--expert-price", "5"],
    ["--several-experts", "correct"],
    ["--positive", "1"],
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


ODD_LINES = (
    "items = [20]", "[items]", "[[populations]]", "[a.b.c]", "items = 1979-05-27T07:32:00Z", "raters = [07:32:00]", "x = inf", "effects = [nan]",
    "populations = [[1.0, 2.0]]", "populations = [{kind = 'dirichlet', alpha = [1, 2]}]", "'' = 1", "items = 0x14", "items = 1_0", "# \x07", "a = ",
    "effects = [1e-320, 1e308]", 'metrics = """\naccuracy"""', "answers = 'raters'", "answers = [1, 'probabilities']", "items = [[20], [30]]",
    "items.x = 1", "confidence = true", "metrics = ['accuracy', 'accuracy']", "effects = [0.3, 0.3]", "raters = [1, 1]", "null = 'tail'",
)  # fmt: skip


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
    for _ in range(rng.choice([0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 4])):
        option = rng.choice(options_of(verb))
        if option.flag not in case.words or rng.random() < 0.1:
            case.words += option.words(rng)
    if rng.random() < 0.3:
        case.words.append("--json")
    if rng.random() < 0.25 and verb != "simulate":
        case.words += ["-o", _target(case, rng)]
    if rng.random() < 0.02:
        rng.shuffle(case.words)
    if rng.random() < 0.02:
        case.words = case.words[: rng.randrange(len(case.words) + 1)]
    return case


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
    rows = tables.mutated(rows, rng) if rng.random() < 0.4 else rows  # the verbs are to be reached too
    suffix, data = tables.as_file(rows, rng)
    if rng.random() < 0.04 and not case.stdin:
        case.stdin = data
        return "-"
    name = rng.choice([name] * 60 + ["é", "\udcff", "a b", "\x1b[1m", "-x", "example:x"])
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
        if flag == "--votes" or rng.random() < 0.85:
            case.words += [flag, _file(case, flag[2:], rows, rng)]
    method = rng.choice(["", "", "", "assisted", "gt", "mv", "gt,mv", "ds", "ppi", "assisted,maven", "ds-raters,h-ai"])
    case.words += ["--draws", "60", *(["--method", method] if method else [])]
    if rng.random() < 0.3:
        case.words += rng.choice(ESTIMATES)
    return case


def _plan_pilot(rng: Random) -> Case:
    case, said = Case(["plan", "--difference", "0.1", *_size(rng)]), _ratings(rng)
    case.words += [rng.choice(["--from"] * 7 + ["--resample"]), _file(case, "ratings", said, rng)]
    if case.words[-2] == "--from" and rng.random() < 0.6:
        case.words += ["--with", _file(case, "answers", tables.answers(rng, said), rng)]
    return case


def _size(rng: Random) -> list[str]:
    """Sizes of a study: mostly one whose power has a closed form, for small ones take seconds."""
    return ["--items", "400" if rng.random() < 0.9 else "50", "--raters", "3"]


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
        mutate_at(content, rng)
    if rng.random() < 0.2:
        content = {"population": content}
    data = json.dumps(content).encode()
    case.files["population.json"] = tables.mangled(data, rng) if rng.random() < 0.3 else data
    return ["--population", "population.json"]


def mutate_at(content: Any, rng: Random) -> None:
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
    case = Case(["plan", *rng.choice([["--difference", "0.05"], ["--effect", "0.3"]]), *_size(rng)])
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
        mutate_at(content, rng)
    lines = [f"{key} = {_toml(value)}" for key, value in content.items()]
    if rng.random() < 0.3:
        lines.insert(rng.randrange(len(lines) + 1), rng.choice(ODD_LINES))
    data = "\n".join(lines).encode(errors="surrogatepass")
    return Case(["plan", "--grid", "g.toml"], {"g.toml": tables.mangled(data, rng) if rng.random() < 0.3 else data})


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {_toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value).replace("NaN", "nan").replace("Infinity", "inf").replace("null", '"null"')


def _usage(rng: Random) -> Case:
    verb = rng.choice([*RECORDS, "reproduce", "presets", "frobnicate", "--version", "--help", "-h"])
    flags = [option.flag for option in options_of(verb)]
    words = [verb, *(rng.choice([*ODD_WORDS, *flags]) for _ in range(rng.randint(0, 4)))]
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
