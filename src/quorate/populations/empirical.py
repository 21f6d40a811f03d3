"""Empirical populations: a real ratings table, resampled by unit and perturbed by replacing answers.

items                 items with replacement, each with answers it has; the raters are taken as they are
items+answers         items, then answers of the item, with replacement
raters-within-items   items, then raters of the item, with replacement (S2): rater effects average out
items+raters          items and raters, crossed (S1): one rater's habits hit all items
batches               whole batches, then raters of the batch, crossed within it (S3)          [multilevel]

A and B answer like raters of the same scheme, each on a draw of raters of its own.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, TypeAlias, cast, get_args

import numpy as np

from quorate._errors import InputError
from quorate._typing import Array
from quorate.data.summaries import Counts, Probabilities
from quorate.populations.blocks import Blocks, batches, block_table, fill
from quorate.populations.draw import Draw, Panel, Population, Request
from quorate.populations.laws import ItemLaws, draw_from_laws
from quorate.populations.perturb import Replacement, draw_replacements
from quorate.populations.table import RatedTable

__all__ = ["EmpiricalPopulation", "ResampleUnit", "resample_unit"]

ResampleUnit: TypeAlias = Literal["items", "items+answers", "raters-within-items", "items+raters", "batches"]
"""What is drawn anew in every replicate."""

_ALIASES = {"s1": "items+raters", "s2": "raters-within-items", "s3": "batches"}
_CROSSED = 0.5  # S1 needs at least this share of item-rater cells; below it most answers would be stand-ins
