"""What `compare` found: pairs, a ranking, groups."""

from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any, ClassVar

import polars as pl

from quorate.comparing.leaderboard import Standing
from quorate.comparing.parts import Compared, Group, Pair
from quorate.comparing.words import full_text, sentence

__all__ = ["Comparison", "Group", "Pair", "Standing"]


@dataclass(frozen=True)
class Comparison(Compared):
    """The answer of `compare`: print it, `to_dict` it, or take `to_frame` with one row per pair (and group).

    Parameters
    ----------
    pairs
        Every comparison asked for.
    ranking
        The systems from best to worst, by the first metric.
    tied
        The largest sets of systems of which none is told apart from another, by the first metric.
    groups
        With ``by``: the pairs within each group of items.
    heterogeneity
        With ``by``: p-value of the test that a pair's difference is the same in every group, by metric and pair.
    design_effects
        For each column that groups the items: how many groups, and how much larger the variance is if groups are
        drawn, not items, for the median pair and the worst one.
    family
        Which comparisons were judged together, in words.
    unit_reason
        Why items, raters or groups count as drawn at random; empty if the unit was asked for.
    loading
        The load report of the answers.
    differences
        Of every pair, the difference on each item, positive where a is better, ``(item,)``; for scores of the whole set
        what each item adds to the difference.
    """

    verb: ClassVar[str] = "compare"

    def sentence(self) -> str:
        """Say the verdict: of the pair, of every system against the baseline, or who could be best."""
        return sentence(self)

    def content(self) -> dict[str, Any]:
        """Return the fields of the JSON object."""
        return {
            "pairs": [_plain(asdict(pair)) for pair in self.pairs],
            "ranking": [_plain(asdict(standing)) for standing in self.ranking],
            "tied": [list(group) for group in self.tied],
            "groups": [
                {"group": g.group, "n_items": g.n_items, "pairs": [_plain(asdict(pair)) for pair in g.pairs]}
                for g in self.groups
            ],
            "heterogeneity": [_plain(asdict(row)) for row in self.heterogeneity],
            "design_effects": {column: _plain(dict(effect)) for column, effect in self.design_effects.items()},
            "family": self.family,
            "unit_reason": self.unit_reason,
        }

    def to_frame(self) -> pl.DataFrame:
        """Return one row per pair, with a column ``group`` if groups were asked for; what is not known is null."""
        rows = [{"group": None, **_plain(asdict(pair))} for pair in self.pairs]
        rows += [{"group": group.group, **_plain(asdict(pair))} for group in self.groups for pair in group.pairs]
        names = ("p_adjusted", "low_adjusted", "high_adjusted", "low", "high", "se", "df")
        numbers = dict.fromkeys((*names, "effective_raters", "rater_effect", "excess_a", "excess_b"), pl.Float64)
        frame = pl.DataFrame(rows, infer_schema_length=None, schema_overrides=numbers).drop("sentence")
        return frame if self.groups else frame.drop("group")

    def __str__(self) -> str:
        return full_text(self)


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """Replace numbers JSON does not know by null."""
    return {key: None if isinstance(value, float) and not isfinite(value) else value for key, value in row.items()}
