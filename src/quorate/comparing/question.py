"""What `compare` is asked."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from math import isfinite, nan
from typing import Any, ClassVar, Literal, get_args

from quorate._errors import InputError
from quorate._question import MOST_MARGIN, check_share, check_size, option, source, sources, words
from quorate.data.reading import LogReading

Better = Literal["high", "low"]
Variant = Literal["default", "paper"]
RATERS = "raters"
"""The baseline that is no system: the raters themselves."""
EPSILONS = {"experts": 0.2, "skilled": 0.15, "crowd": 0.1}
"""What a judge may lose for being cheaper than such raters [calderon2025]."""


@dataclass(frozen=True)
class CompareQuestion(LogReading):
    """Which systems to compare, by what, and how.

    Parameters
    ----------
    ratings
        File of ratings; or a log of another tool, or a folder of them, that holds scores of the systems' outputs. In
        Python also a mapping of columns, a data frame, or ratings already read; or a list of logs.
    answers
        File of the systems' answers: item, system, response (and run), or a probability column per category; or a
        second log.
    more
        More files: answers of one system each, or further logs of other tools; name=FILE names the system of a file.
    rated_system
        Instead of answers: the column of the ratings that says which system's output was rated.
    metric
        One or more of agreement, brier, crps, accuracy, total_variation, kl, jensen_shannon, mae, mse, rmse, emd,
        cross_entropy, wins, wins:METRIC, precision, recall, f1, auc, spearman, cosine, emd_of_means; by default the one
        that fits the scale.
    systems
        The systems to compare, a before b; all by default.
    baseline
        Compare every other system with this one; raters asks whether a system, a judge say, may stand in for a rater:
        each rater is left out in turn and scored like a system.
    epsilon
        With --baseline raters, for the alternative annotator test: what a judge may lose for being cheaper than experts
        (0.2), skilled raters (0.15) or a crowd (0.1), or a number.
    baseline_file
        A baseline stored in this .csv file: written once, with the answers of --baseline or of the only system, and
        compared with ever after.
    target_score
        Test every system's score against this bar instead of against each other.
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

    first: ClassVar[str] = "ratings answers more systems metric margin by rated_system baseline target_score confidence"

    ratings: Any = source()
    answers: Any = source(None)
    more: Any = sources()
    _: KW_ONLY
    rated_system: str | None = None
    metric: str | Sequence[str] | None = option(None, parse=words, cli=list[str])
    systems: Sequence[str] | None = option(None, parse=words, cli=list[str])
    baseline: str | None = None
    epsilon: str | float = option("experts", cli=str)
    baseline_file: Any = source(None)
    target_score: float | None = None
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
        if self.margin is not None and not 0 < self.margin <= MOST_MARGIN:
            raise InputError(
                f"--margin {self.margin:g} must be above 0, at most {MOST_MARGIN:g}; leave it out to ask only who is "
                "better."
            )
        check_size("--resamples", self.resamples, 1_000_000)
        if self.better not in get_args(Better) or self.variant not in get_args(Variant):
            raise InputError("--better is high or low, and --variant is default or paper.")
        if self.systems is not None and len(set(self.systems)) < len(self.systems):
            raise InputError("--systems names a system twice; name each once.")
        if self.rated_system is not None and self.system_column is not None:
            raise InputError("--rated-system names the column of the systems: leave --system-column out.")
        if not 0 <= self.allowance < 1:
            raise InputError(f"--epsilon {self.epsilon} must be experts, skilled, crowd or a number from 0 to 1.")
        self._check_target()

    def _check_target(self) -> None:
        if self.target_score is None:
            return
        if not isfinite(self.target_score):
            raise InputError(f"--target-score {self.target_score:g} is not a score; give a number.")
        for flag, given in (("--margin", self.margin), ("--baseline", self.baseline), ("--by", self.by)):
            if given is not None:
                raise InputError(f"--target-score tests each system against a bar: leave {flag} out, or move the bar.")

    @property
    def metrics(self) -> tuple[str | None, ...]:
        """The metrics asked for, each once; None for the default."""
        return tuple(dict.fromkeys(self.metric)) if self.metric else (None,)

    @property
    def wanted(self) -> list[str] | None:
        """The systems that are needed; None for all."""
        other = [] if self.baseline is None or self.against_raters else [self.baseline]
        return None if self.systems is None else [*self.systems, *other]

    @property
    def against_raters(self) -> bool:
        """Whether systems are compared with the raters, not with each other."""
        return self.baseline == RATERS

    @property
    def allowance(self) -> float:
        """ε of the alternative annotator test; nan for what is no number."""
        try:
            return EPSILONS.get(str(self.epsilon)) or float(self.epsilon)
        except ValueError:
            return nan
