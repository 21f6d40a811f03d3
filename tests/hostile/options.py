"""Every option of every verb, read from the questions themselves, with values it takes and values nobody means."""

from dataclasses import dataclass, fields
from functools import cache
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from quorate._question import flag_of
from quorate.auditing.question import AuditQuestion
from quorate.cli.verbs.planning import PlanOrSweep
from quorate.comparing.question import CompareQuestion
from quorate.converting.question import ConvertQuestion
from quorate.describing.question import DescribeQuestion
from quorate.estimating.question import EstimateQuestion
from quorate.fitting.question import FitQuestion
from quorate.simulating.question import SimulateQuestion
from tests.hostile.tables import Random

ODD_WORDS = (
    "nan", "inf", "-inf", "-1", "0", "1", "2", "3", "0.5", "1e400", "1e308", "-1e308", "1e-320", "1" * 30, "9" * 5000, "", " ", "abc", "1-10",
    "1-1000000000", "5-2", "1-", "-", "--", ",", ",,", "a,a", "a,b", "0,0", "3,3", "200,3", "100000000000000000000,3", "\u202e", "é", "\x1b[31m",
    "1e3", "0x10", "１", "None", "true", "*", "^.*$", "item", "rater", "response", "system", "domain", "x" * 300, "\udcff", "1,2,3", "2147483648",
    "1000000", "1e9", "=1", "../..", "/", ".", "/dev/null", "power=.8", "power=nan", "width=0", "p=2", "equivalence=.8", "probabilities", "raters",
    "NaN", "+1", "1_000", "0.95", "0.999999999999", "1.0000001", "1/3", "50%", "1e-9", "'", "a=b", "a:b", ":", "recall:", "auc:x", "\u0000x"[1:],
    "1,1e9", "0-0", "٣", "1,nan", "assurance=.8", "p=.05", "width=inf", "power=1", "10,10,10", "q0", "r0", "a", "yes", "0.1,0.2,0.7",
)  # fmt: skip
CHOICES = {
    "--metric": (
        *("agreement", "brier", "crps", "accuracy", "kl", "mae", "emd", "wins", "f1", "auc", "spearman", "mean_rating", "recall", "tpr"),
        *("precision", "cosine", "jensen_shannon", "total_variation", "rmse", "wins:mae", "cross_entropy", "emd_of_means", "delta_auc"),
        *("macro_f1", "confusion", "within_one", "mean_error", "mean_truth", "human_accuracy", "recall:1", "auc:0", "delta_tpr", "human_tpr"),
    ),
    "--test": ("permutation", "bootstrap", "wilcoxon", "welch", "mcnemar", "published:all:all", "published:bootstrap:one"),
    "--unit": ("items", "items+answers", "items+raters", "S2", "batches", "cluster:domain", "cluster:*", "cluster:"),
    "--method": ("map", "ml", "maven", "gt", "mv", "gt+mv", "ds", "ds+s", "h-ai", "ppi", "oracle", "ds-raters", "assisted", "assisted,maven"),
    "--preset": ("dices", "toxicity", "uniform-normal", "shared-raters", "maven", "multidomain", "preference", "irt", "copula-flat", "copula-x"),
    "--resample-unit": ("items", "items+raters", "S2", "S3", "auto"),
    "--encoding": ("cp1252", "utf-16", "latin-1", "utf-8", "utf-8-sig", "utf-7", "idna", "punycode", "rot13", "base64", "zlib", "hex", "undefined", "mbcs", "cp037", "unicode_escape", "raw_unicode_escape", "utf_32", "ascii"),
    "--missing-values": ("k.A.", "n/a,NA", "yes", "0", "1,2", "", ",", "q0", "a,b"),
    "--skip-rows": ("0", "1", "2", "1000", "-1"),
    "--decimal": (",", "."),
    "--score": ("match", "n", "quality", "acc", "includes", "x"),
    "--filter": ("none", "strict-match", "x"),
    "--epsilon": ("experts", "crowd", "0.1", "0", "1", "-0.1", "nan"),
    "--target-score": ("0.5", "0", "-1", "1e300", "2"),
    "--margin": ("0.05", "1e-300", "1e300", "5"),
    "--variance": ("item=0.04,rater=0.01,rest=0.2", "item=0,rater=0,rest=0", "item=-1", "item=nan,rest=1", "x=1", "item=1e308,rest=1e308", "item=1,item=2", "rest=0.2"),
    "--win-rate": ("0.55", "0.5", "1", "0", "0.500001"),
    "--tie-share": ("0.2", "0", "1", "0.999999"),
    "--shard": ("1/2", "3/2", "0/1", "1/0", "-1/3", "1/1", "2/2", "1/1000000000", "1/3/4"),
    "--cluster": ("domain", "item", "*", "tcp://127.0.0.1:1", "tcp://", "x"),
    "--currency": ("€", "$", "=cmd", "\x1b[31m", "<b>"),
    "--precision": ("0.02", "0", "1"),
    "--pool": ("6", "1", "1000000"),
    "--max-per-rater": ("10", "1", "0"),
    "--rater-share": ("0.1", "0", "1"),
    "--have": ("200,3", "0,0", "1,1"),
    "--goal": ("power=.8", "width=.1", "p=.05", "assurance=.8", "equivalence=.8"),
    "--at-raters": ("3", "1-5"),
    "--system-column": ("system", "a,b", "left,right", "system_a,system_b", "system_a,system_a"),
    "--item-column": ("item", "item,system", "item,item", "rater", "nothing"),
    "--rater-column": ("rater", "item", "nothing"),
    "--response-column": ("response", "item", "winner", "nothing"),
    "--columns": ("rater_0,rater_1", "yes,no", "rater_0,rater_0", "nothing"),
    "--order": ("no,unsure,yes", "1,2,3,4,5", "5,4,3,2,1", "a", "a,a", "0,1"),
    "--top": ("0", "1", "100000", "-1"),
    "--rater-groups": ("domain", "rater", "item"),
    "--rated-system": ("system", "domain", "item", "rater", "response"),
    "--selection": ("random",),
    "--choose-by": ("domain", "x"),
    "--expert-share": ("0.05", "0", "1", "1.1"),
    "--by": ("domain", "rater", "*", "item"),
    "--systems": ("a,b", "b,a", "a"),
    "--baseline": ("a", "b", "raters", "x", "raters"),
    "--choose": ("1", "3", "1000"),
    "--target-width": ("0.1", "0.001", "2"),
    "--expert-price": ("5", "1e-300", "1e300"),
    "--rating-price": ("1", "0.01"),
    "--replicates": ("20", "1"),
    "--resamples": ("19", "99"),
    "--draws": ("60",),
    "--workers": ("1",),
}  # fmt: skip
NEVER = {"--grid", "--engine"}
"""Whole sweeps, and what another package answers."""


@dataclass(frozen=True)
class Option:
    """A flag, the values that it is known to take, and whether it takes none."""

    flag: str
    known: tuple[str, ...]
    bare: bool = False

    def words(self, rng: Random) -> list[str]:
        """Use the option: mostly as it is meant, in either spelling."""
        if self.bare:
            return [self.flag]
        value = rng.choice(self.known) if self.known and rng.random() < 0.85 else rng.choice(ODD_WORDS)
        return [f"{self.flag}={value}"] if rng.random() < 0.1 else [self.flag, value]


@cache
def options_of(verb: str) -> tuple[Option, ...]:
    """All options of a verb but those that name files, in the order of its record."""
    record = RECORDS.get(verb)
    if record is None:
        return (Option("--seed", ()),)
    hints = get_type_hints(record)
    made = [
        _option(flag_of(each.name, each.metadata.get("flag")), hints[each.name])
        for each in fields(record)
        if each.metadata.get("cli") is not False and not each.metadata.get("source")
    ]
    return tuple(option for option in made if option.flag not in NEVER)


def _option(flag: str, hint: Any) -> Option:
    parts = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    literal = [str(word) for part in parts if get_origin(part) is Literal for word in get_args(part)]
    return Option(flag, (*literal, *CHOICES.get(flag, ())), bare=bool in parts)


RECORDS: dict[str, Any] = {
    "describe": DescribeQuestion,
    "fit": FitQuestion,
    "compare": CompareQuestion,
    "plan": PlanOrSweep,
    "simulate": SimulateQuestion,
    "audit": AuditQuestion,
    "estimate": EstimateQuestion,
    "convert": ConvertQuestion,
}
