"""Hostile runs: a verb, its options, and files of every kind, all from one seed and a number."""

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.hostile import places, tables
from tests.hostile.logs import as_log, mutate_at
from tests.hostile.options import ODD_WORDS, RECORDS, options_of
from tests.hostile.tables import Random, Rows

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
        "sds": {"family": "triangular", "low": -0.05, "peak": 0.21, "high": 0.45, "clip_low": 0.0},
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
    {"kind": "dirichlet", "alpha": [1.0] * 400},
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
    """The words after `quorate`, the files beside it, standard input, what there is that is no file, and variables."""

    words: list[str]
    files: dict[str, bytes] = field(default_factory=dict)
    stdin: bytes = b""
    place: str = ""
    env: dict[str, str] = field(default_factory=dict)

    @property
    def gated(self) -> bool:
        return "--gate" in self.words or self.words[:1] == ["reproduce"]


def make_case(seed: int, number: int) -> Case:
    """Return the same case for the same seed and number, anywhere."""
    rng = random.Random(f"{seed}/{number}")
    case = rng.choice(KINDS)(rng)
    verb = case.words[0] if case.words else ""
    for _ in range(rng.choice([0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 4])):
        option = rng.choice(options_of(verb if rng.random() < 0.97 else rng.choice(list(RECORDS))))
        if option.flag not in case.words or rng.random() < 0.1:
            case.words += option.words(rng)
    if {"log.eval", "other.eval", "third.eval", "logs"} & set(case.words) and rng.random() < 0.7:
        case.words += ["--score", rng.choice(["match", "match", "judge.grade"])]
    if rng.random() < 0.3:
        case.words.append("--json")
    if rng.random() < 0.25 and verb != "simulate" and "-o" not in case.words:
        case.words += ["-o", _target(case, rng)]
    if rng.random() < 0.05:
        case.env = dict([rng.choice(ODD_VARIABLES)])
    if rng.random() < 0.02:
        rng.shuffle(case.words)
    if rng.random() < 0.02:
        case.words = case.words[: rng.randrange(len(case.words) + 1)]
    if case.words[:1] == ["reproduce"] and "--data" not in case.words:  # it would take its minutes
        case.words += ["--data", "/nowhere"]
    return case


ODD_VARIABLES = (
    ("COLUMNS", "0"), ("COLUMNS", "-5"), ("COLUMNS", "9" * 20), ("LINES", "x"), ("TERM", "dumb"), ("NO_COLOR", "1"), ("FORCE_COLOR", "1"), ("HOME", "/dev/null"),
    ("HOME", ""), ("QUORATE_CACHE", ""), ("QUORATE_CACHE", "/dev/null"), ("QUORATE_CACHE", "/proc"), ("QUORATE_CACHE", "x" * 5000), ("QUORATE_CACHE", "\udcff\x1b"),
    ("TMPDIR", "/nowhere"), ("TZ", "x/../y"), ("LC_ALL", "tr_TR.ISO-8859-9"), ("SOURCE_DATE_EPOCH", "x"), ("GITHUB_ACTIONS", "true"), ("BROWSER", "/nowhere"),
    ("POLARS_MAX_THREADS", "0"), ("HOME", "/proc"), ("GITHUB_OUTPUT", "/dev/full"), ("PYTHONIOENCODING", "ascii:strict"), ("TMPDIR", "/proc"),
)  # fmt: skip
OUTPUTS = ("out.html", "out.csv", "out.json", "out.parquet", "out.md", "out.tex")
ODD_OUTPUTS = (
    "nowhere/x.csv", ".", "x", "y" * 300 + ".csv", "é.csv", "\udcff.csv", "/dev/full", "-", "x.csv/y.csv", "\x1b.json", "a\nb.csv", "out.CSV", "out.csv.gz",
    "/proc/x.csv", "/sys/x.json", "/dev/fd/9/x.csv", "out.xlsx", ".csv", "..", "out.", "~/x.csv", " .csv", "*.csv", "name=out.csv", "example:support.csv",
)  # fmt: skip


def _target(case: Case, rng: Random) -> str:
    if rng.random() < 0.8:
        return rng.choice(OUTPUTS)
    return rng.choice([*case.files, *(["odd.csv"] if case.place else []), *ODD_OUTPUTS])


def _file(case: Case, name: str, rows: Rows, rng: Random) -> str:
    """Put a table into the case and return the word that names it."""
    rows = tables.mutated(rows, rng) if rng.random() < 0.3 else rows  # the verbs are to be reached too
    suffix, data = tables.as_file(rows, rng)
    if rng.random() < 0.04 and not case.stdin:
        case.stdin = data
        return "-"
    name = rng.choice(
        [name] * 60
        + [
            "é",
            "\udcff",
            "a b",
            "\x1b[1m",
            "-x",
            "example:x",
            "a\nb",
            "a=b",
            "x*y",
            "[x]",
            "duckdb:x",
            "~",
            "C:\\x",
            " ",
            "n" * 240,
        ]
    )
    case.files[name + suffix] = data
    return name + suffix


def _odd_place(case: Case, rng: Random) -> None:
    """Let one of the files be something that is no file, or read a file by another name."""
    case.place = rng.choice(places.PLACES)
    files = [place for place, word in enumerate(case.words) if word in case.files]
    if files:
        case.words[rng.choice(files)] = places.word_of(case.place)


def _elsewhere(case: Case, rows: Rows, rng: Random) -> str:
    """Put a table into a workbook, a database or a folder, and return the word that names it."""
    rows = tables.mutated(rows, rng) if rng.random() < 0.4 else rows
    kind = rng.choice(["workbook", "sqlite", "sqlite", "duckdb", "folder", "folder"])
    if kind == "workbook":
        case.files["book.xlsx"] = places.as_workbook(rows, rng)
        return "book.xlsx"
    if kind == "folder":
        case.files |= places.as_folder(rows, rng)
        return rng.choice(places.FOLDERS)
    case.files["base.db"] = (places.as_sqlite if kind == "sqlite" else places.as_duckdb)(rows, rng)
    return f"{kind if rng.random() < 0.95 else rng.choice(['duckdb', 'sqlite'])}:base.db?{rng.choice(places.QUERIES)}"


def _ratings(rng: Random) -> Rows:
    return rng.choice([tables.ratings] * 5 + [tables.wide, tables.counts])(rng)


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


def _steady(rng: Random) -> Case:
    """Systems or raters of whom some always say the same, by metrics that are then not defined, in any form."""
    case, said = Case(["compare"]), tables.ratings(rng)
    answers = tables.answers(rng, said)
    for rows in (said, answers):
        column = rows[0].index("response") if "response" in rows[0] and rng.random() < 0.7 else 0
        for row in rows[1:] if column else ():
            row[column] = rows[1][column] if row[1] != "b" or rng.random() < 0.5 else row[column]
    case.files = {"ratings.csv": tables.as_delimited(said, rng), "answers.csv": tables.as_delimited(answers, rng)}
    metric = rng.choice(["spearman", "cosine", "emd_of_means", "auc", "f1", "recall", "kl", "wins", "accuracy"])
    case.words += ["ratings.csv", "answers.csv", "--metric", metric, "--resamples", "99", "-o", rng.choice(OUTPUTS)]
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


def _scanned(rng: Random) -> Case:
    """Tables that are no plain file: a workbook, a database, a folder or a pattern."""
    said = _ratings(rng)
    case = Case([rng.choice(["describe", "describe", "convert", "fit", "compare"])])
    case.words.append(_elsewhere(case, said, rng))
    if case.words[0] == "compare":
        answers = tables.answers(rng, said)
        case.words.append(_file(case, "answers", answers, rng))
    return case


def _placed(rng: Random) -> Case:
    """A case in which a file is a link, a folder, a socket or a device."""
    case = rng.choice([_describe, _compare, _converted, _estimate])(rng)
    _odd_place(case, rng)
    if rng.random() < 0.4:
        case.words += ["-o", "odd.csv"]
    return case


def _log_file(case: Case, name: str, rng: Random) -> str:
    suffix, data = as_log(rng)
    case.files[name + suffix] = data
    system = rng.choice(["new", "old", "", "é", "=", "\x1b[1m"])
    return rng.choice([name + suffix] * 4 + [f"{system}={name}{suffix}"])


def _logs(rng: Random) -> Case:
    """Logs of other tools: one, two or a folder of them."""
    case = Case([rng.choice(["compare", "compare", "describe", "convert", "plan"])])
    if rng.random() < 0.15:
        for name in ("a", "b", "sub/samples_c", "results"):
            suffix, data = as_log(rng)
            case.files[f"logs/{name}{suffix if name != 'results' else '.json'}"] = data
        case.words.append("logs")
    else:
        several = case.words[0] in ("compare", "convert")
        case.words += [
            _log_file(case, name, rng)
            for name in ("log", "other", "third")[: rng.choice([1, 2, 2, 3]) if several else 1]
        ]
    if case.words[0] == "plan":
        case.words += ["--difference", "0.1", "--items", "400", "--raters", "3"]
    return case


def _converted(rng: Random) -> Case:
    case = Case(["convert"])
    made = [_ratings, tables.outputs, tables.votes, tables.answers]
    for number in range(rng.choice([1, 1, 2, 3])):
        word = _file(case, f"table{number}", rng.choice(made)(rng), rng)
        case.words.append(word if rng.random() < 0.6 else f"s{number}={word}")
    return case


def _several(rng: Random) -> Case:
    """Ratings and a file of answers for each system."""
    case, said = Case(["compare"]), _ratings(rng)
    case.words += [_file(case, "ratings", said, rng), "--resamples", "99"]
    for name in ("a", "b", "c")[: rng.choice([1, 2, 2, 3])]:
        rows = [[*row[:1], *row[2:]] for row in tables.answers(rng, said) if row[1] in ("system", "a")]
        word = _file(case, f"answers_{name}", rows, rng)
        case.words.insert(-2, rng.choice([f"{name}={word}"] * 6 + [word, f"a={word}", f"={word}", "a=" + "x" * 5000]))
    return case


def _votes(rng: Random) -> Case:
    """Votes side by side."""
    case = Case([rng.choice(["compare", "compare", "compare", "describe", "plan"])])
    case.words.append(_file(case, "votes", tables.votes(rng), rng))
    if case.words[0] == "plan":
        case.words += [
            *rng.choice([["--win-rate", "0.55"], ["--difference", "0.1"]]),
            "--items",
            "400",
            "--raters",
            "3",
        ]
    elif rng.random() < 0.2:
        case.words += rng.choice(
            [["--preferences"], ["--gate"], ["--systems", "x,y"], ["--by", "rater"], ["--margin", "0.1"]]
        )
    return case


def _judges(rng: Random) -> Case:
    """Systems that may stand in for raters."""
    case = _compare(rng)
    case.words += [
        "--baseline",
        "raters",
        *rng.choice([[], [], ["--margin", "0.05"], ["--epsilon", "crowd"], ["--by", "domain"]]),
    ]
    return case


def _gate(rng: Random) -> Case:
    """A gate with all that it writes: a page, JUnit, a baseline that is there or not."""
    case = _compare(rng)
    case.words += ["--gate"] if "--gate" not in case.words else []
    case.words += rng.choice([[], ["--margin", "0.1"], ["--strict"], ["--target-score", "0.5"]])
    if rng.random() < 0.5:
        case.words += ["--junit", rng.choice(["junit.xml", "junit.xml", "x", ".", "nowhere/x.xml", *case.files])]
    if rng.random() < 0.5:
        case.words += [
            "--baseline-file",
            rng.choice(["base.csv", "base.csv", "base.json", ".", "nowhere/x.csv", "/dev/null", "y" * 300 + ".csv"]),
        ]
        if rng.random() < 0.5:
            case.files["base.csv"] = tables.as_delimited(tables.mutated(tables.answers(rng), rng), rng)
    return case


def _typed_variance(rng: Random) -> Case:
    """A plan from numbers typed in, or from nothing but a preset of votes."""
    numbers = ["0", "-1", "nan", "inf", "1e308", "1e-320", "0.2", "0.04", "x", ""]
    parts = [
        f"{name}={rng.choice(numbers)}"
        for name in ("item", "rater", "rest", "item:rater", "x", "")
        if rng.random() < 0.6
    ]
    source = rng.choice(
        [["--variance", ",".join(parts)], ["--variance", "item=0.04,rater=0.01,rest=0.2"], ["--preset", "preference"]]
    )
    goal = rng.choice(
        [["--difference", "0.1"], ["--win-rate", "0.55"], ["--tie-share", "0.2", "--win-rate", "0.6"], []]
    )
    return Case(["plan", *source, *goal, "--items", "400", "--raters", "3"])


def _shard(rng: Random) -> Case:
    """A share of a small sweep or audit, or one of a cluster that is not there."""
    words = ["audit", "--preset", "dices", "--items", "8", "--raters", "2", "--replicates", "20", "--workers", "1"]
    share = rng.choice(["1/1", "1/2", "2/2", "3/2", "0/2", "1/0", "x", "1/2/3", "-1/2", "1/99999999999999999999", ""])
    return Case(
        [
            *words,
            *rng.choice(
                [
                    ["--shard", share],
                    ["--shard", share, "--resume"],
                    ["--cluster", rng.choice(["x", "tcp://", "", "http://[", "tcp://127.0.0.1:99999"])],
                ]
            ),
        ]
    )


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
    case = Case(["audit", "--preset", "dices", "--items", "8", "--raters", "2", "--replicates", "300", "--resume"])
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
    if rng.random() < 0.1:  # what would open the app does not end
        return Case(
            [
                "app",
                rng.choice(["--port", "--max-upload", "--workers"]),
                rng.choice(["-1", "x", "", "nan", "1e99", "\u202e"]),
            ]
        )
    verb = rng.choice([*RECORDS, "reproduce", "presets", "frobnicate", "--version", "--help", "-h"])
    flags = [option.flag for option in options_of(verb)]
    words = [verb, *(rng.choice([*ODD_WORDS, *flags]) for _ in range(rng.randint(0, 4)))]
    return Case(words if verb != "reproduce" else [*words, "--data", "/nowhere"])


KINDS: tuple[Callable[[Random], Case], ...] = (
    *(_describe,) * 7,
    *(_compare,) * 5,
    *(_compare_rated,) * 2,
    *(_steady,) * 2,
    *(_estimate,) * 3,
    *(_plan_pilot,) * 2,
    *(_plan,) * 3,
    *(_simulate,) * 2,
    *(_audit,) * 2,
    _journal,
    *(_grid,) * 2,
    *(_scanned,) * 3,
    *(_placed,) * 2,
    *(_logs,) * 5,
    *(_converted,) * 2,
    *(_several,) * 2,
    *(_votes,) * 4,
    *(_judges,) * 2,
    *(_gate,) * 2,
    _typed_variance,
    _shard,
    *(_usage,) * 2,
)
