"""What `compare` is asked."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from math import inf
from typing import Any, Literal, get_args

from quorate._errors import InputError
from quorate._question import check_share, check_size, option, source, words
from quorate.data.reading import Reading

Better = Literal["high", "low"]
Variant = Literal["default", "paper"]


@dataclass(frozen=True)
class CompareQuestion(Reading):
    """Which systems to compare, by what, and how.

    Parameters
    ----------
    ratings
        File of ratings; in Python also a mapping of columns, a data frame, or ratings already read.
    answers
        File of the systems' answers: item, system, response (and run), or a probability column per category.
    rated_system
        Instead of answers: the column of the ratings that says which system's output was rated.
    metric
        One or more of agreement, brier, crps, accuracy, total_variation, kl, jensen_shannon, mae, mse, rmse, emd,
        cross_entropy, wins, wins:METRIC, precision, recall, f1, auc, spearman, cosine, emd_of_means; by default the one
        that fits the scale.
    systems
        The systems to compare, a before b; all by default.
    baseline
        Compare every other system with this one.
    margin
        The difference that matters, in the metric's units; allows the verdicts not worse and equivalent.
    by
        Compare within the groups of this column too.
    test
        default, permutation, bootstrap, wilcoxon, welch, mcnemar, or published:ITEMS:ANSWERS.
    unit
        What was drawn at random: items, items+raters (S1), raters-within-items (S2), batches (S3), cluster:COLUMN for
        groups of items, cluster:COLUMN+raters; by default as who rated what suggests.
    raters_are
        fixed if only these raters matter; random if others might have been asked.
    items_are
        fixed to ask whether other raters of these very items would agree.
    confidence
        Level of the intervals.
    positive
        The positive category, for precision, recall, f1 and auc.
    better
        Whether high or low ratings are good, for --rated-system.
    variant
        paper for the papers' habits: first-category ties, TV / M, KL with 1e-12, plurality of runs.
    missing
        Items a system did not answer: an error, or left out for every system.
    system_column
        Column of the answers that names the system.
    run_column
        Column of the answers that names the run.
    resamples
        Draws of the resampling tests.
    """

    ratings: Any = source()
    answers: Any = source(None)
    _: KW_ONLY
    rated_system: str | None = None
    metric: str | Sequence[str] | None = option(None, parse=words, cli=list[str])
    systems: Sequence[str] | None = option(None, parse=words, cli=list[str])
    baseline: str | None = None
    margin: float | None = None
    by: str | None = None
    test: str = "default"
    unit: str = "auto"
    raters_are: Literal["random", "fixed"] = "random"
    items_are: Literal["random", "fixed"] = "random"
    confidence: float = 0.95
    positive: str | None = None
    better: Better = "high"
    variant: Variant = "default"
    missing: Literal["error", "drop"] = "error"
    system_column: str | None = None
    run_column: str | None = None
    resamples: int = 9999

    def check(self) -> None:
        """Refuse what cannot be asked."""
        super().check()
        check_share("--confidence", self.confidence)
        if self.margin is not None and not 0 < self.margin < inf:
            raise InputError(f"--margin {self.margin:g} must be above 0; leave it out to ask only who is better.")
        check_size("--resamples", self.resamples, 1_000_000)
        if self.better not in get_args(Better) or self.variant not in get_args(Variant):
            raise InputError("--better is high or low, and --variant is default or paper.")
        if self.systems is not None and len(set(self.systems)) < len(self.systems):
            raise InputError("--systems names a system twice; name each once.")

    @property
    def metrics(self) -> tuple[str | None, ...]:
        """The metrics asked for, each once; None for the default."""
        return tuple(dict.fromkeys(self.metric)) if self.metric else (None,)

    @property
    def wanted(self) -> list[str] | None:
        """The systems that are needed; None for all."""
        return None if self.systems is None else [*self.systems, *([self.baseline] if self.baseline else [])]
