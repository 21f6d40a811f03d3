"""Populations by name, with where their numbers come from."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from quorate._errors import InputError
from quorate.populations.dirichlet import DirichletPopulation
from quorate.populations.normal.families import FoldedNormal, Triangular, TruncatedNormal, Uniform
from quorate.populations.normal.population import NormalPopulation
from quorate.populations.population import Population
from quorate.populations.shared_raters import SharedRaters

__all__ = ["PRESETS", "Preset", "find_preset"]

_SIZES = (2, 3, 4, 5, 12)  # numbers of categories in [forest, experimental setup]


@dataclass(frozen=True)
class Preset:
    """A named population, one line about it, and its source."""

    name: str
    population: Population
    description: str
    citation: str


def find_preset(name: str) -> Preset:
    """Return the preset of that name; names ignore case."""
    preset = PRESETS.get(name.strip().lower())
    if preset is None and name.strip().lower().startswith(("maven", "irt", "copula-")):
        raise InputError(
            f"'{name}' would be a crowd: maven, irt and copula-bimodal, -extreme, -flat or -skewed are for "
            "simulate alone"
        )
    if preset is None:
        close = get_close_matches(name.strip().lower(), PRESETS, n=1)
        hint = f"; did you mean {close[0]}?" if close else ";"
        raise InputError(f"no preset is called '{name}'{hint} `quorate presets` lists them all")
    return preset


def _dirichlet(
    name: str, alpha: Sequence[float], description: str, source: str, categories: Sequence[str] = ()
) -> Preset:
    return Preset(name, DirichletPopulation(alpha, categories), description, source)


def _forest() -> list[Preset]:
    """The five data sets and the balanced and unbalanced worlds of [forest]."""
    source = "forest, Datasets"
    warning = "as printed; the public data do not support so large a sum"
    return [
        _dirichlet("toxicity", (1.37, 1.33), "toxic or not, 2 categories", source),
        _dirichlet("dices", (5.22, 0.86, 2.75), "unsafe chat reply: No, Unsure, Yes", source, ("No", "Unsure", "Yes")),
        _dirichlet("d3code", (6.08, 2.88), "offensive or not, 2 categories", source),
        _dirichlet("jobsq1", (1039.76, 38.24, 35.57, 310.29, 46.02), f"point of view, 5 categories; {warning}", source),
        _dirichlet(
            "jobsq3",
            (133.79, 834.51, 105.27, 3669.04, 206.80, 293.44, 585.58, 1278.56, 1874.82, 1838.49, 1576.10, 989.23),
            f"job transition, 12 categories; {warning}",
            source,
        ),
        *(_dirichlet(f"balanced-{m}", (3.0,) * m, f"{m} categories, alpha 3 each", "forest, Setup") for m in _SIZES),
        *(
            _dirichlet(f"unbalanced-{m}", (10.0, *(3.0,) * (m - 1)), f"{m} categories, alpha 10, 3, …", "forest, Setup")
            for m in _SIZES
        ),
    ]


def _normals() -> list[Preset]:
    """The continuous and Likert worlds of [leaderboard] and [ratings]."""
    return [
        Preset(
            "uniform-normal",
            # Deviates: the paper prints sds U(0, 2); its results need U(0, 0.3), and B's mean clamped to [0, 1].
            NormalPopulation(Uniform(0.0, 1.0), Uniform(0.0, 0.3), mean_bounds=(0.0, 1.0)),
            "continuous answers, means U(0, 1), sds U(0, 0.3)",
            "leaderboard, alg. 3",
        ),
        Preset(
            "toxicity-likert",
            _likert(FoldedNormal(0.0, 0.28, clip_low=0.0, clip_high=0.8)),
            "toxicity on five levels 0 … 0.8, means |N(0, 0.28)|",
            "leaderboard, app. B",
        ),
        Preset(
            "toxicity-likert-ratings",
            # ratings prints as parameters of the means what leaderboard gives as mean and sd of the sds.
            _likert(FoldedNormal(0.19, 0.11, clip_low=0.0, clip_high=0.8)),
            "the same with means |N(0.19, 0.11)|, as printed in a later paper; prefer toxicity-likert",
            "ratings, sec. 5",
        ),
        Preset(
            "multidomain",
            # The upper bounds are not printed; 0.82 and 0.68 maximise the likelihood of the test part of MD-Agreement.
            NormalPopulation(
                TruncatedNormal(-0.5, 1.0, 0.0, 0.82),
                TruncatedNormal(-0.3923, 0.8502, 0.0, 0.68),
                levels=(0.0, 1.0),
                mean_bounds=(0.0, 1.0),
            ),
            "offensive tweets, levels 0 and 1, truncated normal means and sds",
            "ratings, sec. 5",
        ),
    ]


def _likert(means: FoldedNormal) -> NormalPopulation:
    # "Cut down" is what reproduces the true p of Tables 10-14; the text's "converted to 0.2" is off by one level.
    sds = Triangular(-0.05, 0.21, 0.45, clip_low=0.0)
    return NormalPopulation(means, sds, levels=(0.0, 0.2, 0.4, 0.6, 0.8), cut="down", mean_bounds=(0.0, 1.0))


def _raters() -> Preset:
    description = "two fixed systems, raters who lean towards one of them, no difference; for audit"
    return Preset("shared-raters", SharedRaters(), description, "multilevel, sec. 2")


PRESETS: dict[str, Preset] = {preset.name: preset for preset in (*_forest(), *_normals(), _raters())}
"""All populations with a name, in the order `quorate presets` lists them."""
