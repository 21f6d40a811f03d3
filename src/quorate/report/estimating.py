"""An estimate's page and plots: how good the systems are, and what the votes were worth."""

import re
from collections.abc import Sequence
from typing import TypeAlias

from quorate._text import count, number, percent, printable
from quorate.estimating.curves import CurveKind
from quorate.estimating.label_metrics import known_metrics
from quorate.estimating.methods.method import Estimate
from quorate.estimating.result import Estimation
from quorate.estimating.words import curve_table
from quorate.report.page import Page, Plot, Section, assemble, draw
from quorate.report.style import GREY, PALETTE, SYMBOLS, Chart, PlotPanel, band, dots, figure, label, stack, trace
from quorate.results.table import integer, interval

METHOD = (
    "assisted guesses every label from votes, scores and who voted, by a regression learnt where experts spoke, and "
    "corrects the guess by the experts' labels [sarndal1992], [angelopoulos2024]. Its intervals, like those of gt "
    "(expert labels alone), come from the random choice of the experts' items, not from a model of the crowd, so they "
    "hold even where the guess is poor; a good guess makes them narrow. “Rests on” says how many items carry an "
    "interval.",
    "The experts' items must be a random sample, or carry weights. Votes and scores are “worth” as many more expert "
    "labels as would narrow the experts-only interval to the same width. maven models how voters err and imputes the "
    "labels no expert gave [maven]; its intervals hold if that model describes the crowd.",
)
MEANINGS = {
    "auc": "the chance that a positive item scores above a negative one",
    "accuracy": "the share of items called what they are",
    "precision": "the share of those called positive that are",
    "recall": "the share of the positive found",
    "tpr": "the share of the positive found",
    "f1": "the harmonic mean of precision and recall",
    "tnr": "the share of the negative left alone",
    "delta_tpr": "how many more of the positive the system finds than the voters, at the voters' false alarms",
    "delta_auc": "how much larger the first system's auc is",
    "human_tpr": "the share of the positive the voters find",
    "human_tnr": "the share of the negative the voters leave alone",
    "prevalence": "the share of positive items",
    "macro_recall": "the mean of recall over the classes",
    "macro_precision": "the mean of precision over the classes",
    "macro_f1": "the mean of f1 over the classes",
    "human_accuracy": "the share of votes that name the class",
    "delta_accuracy": "how much larger the first system's accuracy is",
    "mean_error": "how far off the system's classes are, in the mean",
    "within_one": "the share of items at most one class off",
    "mean_truth": "the mean of the classes as they are",
    "recall:": "of the items of a class, the share called so",
    "precision:": "of the items called a class, the share that is of it",
    "f1:": "their harmonic mean",
    "auc:": "the chance that an item of a class scores above another for it",
    "prevalence:": "the share of a class",
    "human_recall:": "of the items of a class, the share of votes that name it",
    "confusion:": "the share of items of the class named first that are called the second",
    "assisted": "experts, votes and scores together",
    "gt": "the expert labels alone",
    "maven": "expert labels, and where there are none a model of how voters err",
    "mv": "what most voters chose",
    "gt+mv": "expert labels, and where there are none what most voters chose",
    "ds": "a model of voters who err alike (Dawid and Skene)",
    "ds-raters": "a model of voters who err each in their own way (Dawid and Skene)",
    "ds+s": "such a model of voters who err alike, with scores",
    "h-ai": "votes and scores put together by how often each is right",
    "ppi": "expert labels, corrected by scores",
    "ppi+maven": "expert labels, corrected by maven",
    "oracle": "the true labels",
}
"""What short names of metrics and methods mean."""
DIFFERENCES = "Differences"
Named: TypeAlias = tuple[str, Estimate]
"""An estimate and what its row is called."""
MOST = 30
"""Rows of estimates that are drawn."""
AXES = {
    "roc": ("false positive rate (%)", "true positive rate (%)", "ROC"),
    "precision-recall": ("recall (%)", "precision (%)", "Precision and recall"),
}


def estimate_page(result: Estimation) -> Page:
    """Return the page of an estimate."""
    tables = result.tables()
    kinds: tuple[CurveKind, ...] = ("roc", "precision-recall") if result.curve_keys else ()
    return assemble(
        result,
        facts=_facts(result),
        sections=[
            Section("Estimates", plots=[_dots(result)], text=[_meanings(result)]),
            Section("Confusion", tables=[tables["confusion"]] if "confusion" in tables else []),
            Section("What to buy next", tables=[tables["next"]] if "next" in tables else []),
            Section("What each voter adds", tables=[tables["voters"]] if "voters" in tables else []),
            Section("By group", plots=[_groups(result)] if tables["groups"].rows else []),
            Section("Curves", plots=[_curve(result, kind) for kind in kinds]),
            Section("All estimates", tables=[tables["estimates"]], text=result.notes()),
        ],
        method=METHOD,
    )


def _meanings(result: Estimation) -> str:
    """Explain the names in the plot, each once."""
    pairs = [(re.sub("(?<=:).*", "", row.metric), row.method) for row in result.estimates]
    names = dict.fromkeys(name for pair in pairs for name in pair)
    told = [f"{name.removesuffix(':')}: {MEANINGS[name]}" for name in names if name in MEANINGS]
    return f"{'; '.join(told)}." if told else ""


def _facts(result: Estimation) -> list[tuple[str, str]]:
    first, more = result.estimates[0], result.worth
    facts = [
        ("items", integer(result.n_items)),
        ("expert labels", integer(sum(result.n_experts))),
        (first.metric, number(first.value)),
        ("interval", interval(first.low, first.high)),
    ]
    return facts if more is None or more <= 0 else [*facts, ("votes and scores worth", f"{more:,} expert labels")]


def _dots(result: Estimation) -> Plot:
    first = "; ".join(f"{row.metric} by {row.method} {number(row.value)}" for row in result.estimates[:6])
    alt = f"Dots with intervals of {count(len(result.estimates), 'estimate')}: {first}."
    return draw(estimate(result), alt, result.tables()["overall"])


def _groups(result: Estimation) -> Plot:
    there = [part.group for part in result.groups if part.estimates]
    alt = f"Dots with intervals of the estimates within {count(len(there), 'group')}: {', '.join(there[:8])}."
    return draw(estimate_groups(result), alt, result.tables()["groups"])


def _curve(result: Estimation, kind: CurveKind) -> Plot:
    method, system = result.curve_keys[0]
    table = curve_table(result, kind)
    at, value = table.rows[len(table.rows) // 2][:2]
    alt = f"{kind} curve of {system} by {method} with its band; at {at} it is {value}."
    return draw(estimate_curve(result, kind), alt, table)


def estimate(result: Estimation) -> Chart:
    """Draw every estimate with its interval, methods side by side; unlike metrics have an axis each."""
    rows = [(_name(row, result), row) for row in result.estimates]
    size = f"{result.n_items:,} items, {sum(result.n_experts):,} expert labels"
    return _by_method(result, rows, f"Estimates by method, {_level(result)} intervals", f"value; {size}")


def estimate_groups(result: Estimation) -> Chart:
    """Draw the estimates within every group of items, methods side by side; unlike metrics have an axis each."""
    rows = [
        (f"{printable(part.group, 16)}: {_name(row, result)}", row)
        for part in result.groups
        for row in part.estimates
        if row.value is not None
    ]
    return _by_method(result, rows, f"Estimates by group, {_level(result)} intervals", "value")


def _by_method(result: Estimation, rows: Sequence[Named], title: str, below: str) -> Chart:
    """Draw named estimates, one row for each name, a colour for each method, a panel for each kind of metric."""
    every = list(dict.fromkeys(name for name, _ in rows))
    names, cut = every[:MOST], f"; the first {MOST} of {len(every):,}" if len(every) > MOST else ""
    methods = list(dict.fromkeys(row.method for _, row in rows))
    panels: dict[str, dict[tuple[str, str], Estimate]] = {}
    for name, row in rows:
        if name in names:
            panels.setdefault(_heading(row, result), {}).setdefault((name, row.method), row)
    told: set[str] = set()
    parts = {heading: [(name, row) for (name, _), row in part.items()] for heading, part in panels.items()}
    return stack([_panel(heading, part, methods, told) for heading, part in parts.items()], f"{title}{cut}", below)


def _heading(row: Estimate, result: Estimation) -> str:
    """Say what the panel of a metric is about; numbers without bounds have one each."""
    metric = known_metrics(result.classes, named=result.named).get(row.metric)
    if metric is None or metric.scale == "number":
        name = label(row.metric if metric is None or not metric.phrase else metric.phrase)
        return f"{name[0].upper()}{name[1:]}"
    if metric.scale == "difference":
        return DIFFERENCES
    shares = "Share of each class" if result.named else "Share of positives"
    return {"system": "The system", "confusion": "Confusion", "voters": "The voters", "labels": shares}[metric.about]


def _panel(heading: str, rows: Sequence[Named], methods: Sequence[str], told: set[str]) -> PlotPanel:
    """Return the dots of one kind of metric; a method is in the legend where it is first seen."""
    place = {name: i for i, name in enumerate(dict.fromkeys(name for name, _ in rows))}
    traces = []
    for m, method in enumerate(methods):
        part = [(name, row) for name, row in rows if row.method == method]
        shift = 0.56 * ((m + 0.5) / len(methods) - 0.5)
        words = [
            f"{label(name, 60)}, {method}: {number(row.value)} ({number(row.low)} to {number(row.high)})"
            for name, row in part
        ]
        spans = [(row.value, row.low, row.high) for _, row in part]
        look = m % len(PALETTE)
        drawn = dots(spans, [place[name] + shift for name, _ in part], words, method, PALETTE[look], SYMBOLS[look])
        traces += [drawn | {"legendgroup": method, "showlegend": method not in told}] if part else []
        told |= {method} if part else set()
    return PlotPanel(heading, traces, list(place), len(place) * (14 + 14 * len(methods)), zero=heading == DIFFERENCES)


def estimate_curve(result: Estimation, kind: CurveKind) -> Chart:
    """Draw ROC or precision–recall curves, the band of the first one shaded."""
    across, up, title = AXES[kind]
    traces = []
    for i, (method, system) in enumerate(result.curve_keys):
        curve = result.curve(kind, system=system, method=method).fill_nan(None).drop_nulls()
        x, value, low, high = ((100 * curve[name]).to_list() for name in ("x", "value", "low", "high"))
        colour, dash = PALETTE[i % len(PALETTE)], ("solid", "dash", "dot")[i]
        if i == 0:
            traces.append(band(x, low, high, colour))
        line = {"color": colour, "width": 2.5, "dash": dash}
        name = label(f"{method}, {system}" if len({s for _, s in result.curve_keys}) > 1 else method)
        traces.append(
            trace(
                "scatter",
                x=x,
                y=value,
                mode="lines",
                line=line,
                name=name,
                hovertemplate="%{x:.0f}: %{y:.0f} %",
            )
        )
    chance = {
        "type": "line",
        "x0": 0,
        "x1": 100,
        "y0": 0,
        "y1": 100,
        "line": {"color": GREY, "dash": "dash"},
    }
    return figure(
        traces,
        f"{title}, {_level(result)} band of {label(result.curve_keys[0][0])}",
        x={"title": across, "range": [0, 100], "constrain": "domain"},
        y={"title": up, "range": [0, 102]},
        height=360,
        shapes=[chance] if kind == "roc" else [],
        showlegend=True,
    )


def _name(row: Estimate, result: Estimation) -> str:
    """Name a row by its metric, and by its system where there are several and it is about one."""
    metric = known_metrics(result.classes, named=result.named).get(row.metric)
    several = len({each.system for each in result.estimates if each.system}) > 1
    about_one = several and row.system and (metric is None or metric.needs_scores)
    return f"{printable(row.system, 16)}: {row.metric}" if about_one and row.system else row.metric


def _level(result: Estimation) -> str:
    return percent(result.confidence)
