"""Alpha on the public data sets, beside evalica."""

from pathlib import Path
from typing import Any, cast

import evalica
import numpy as np
import pandas as pd
import pytest

from quorate.agreement.disagreement import krippendorff_alpha
from quorate.data.summaries import Counts


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize("name", ["cebab_stars", "paraphrase", "armis"])
def test_alpha_equals_evalica(name: str, scale: str, shared: Path) -> None:
    (path,) = (shared / name).glob("annotations.csv*")
    table = pd.read_csv(path)
    table.columns = ["item", "rater", "response", *table.columns[3:]]
    levels, codes = np.unique(table["response"], return_inverse=True)
    counts = np.zeros((table["item"].nunique(), len(levels)), dtype=int)
    np.add.at(counts, (pd.factorize(table["item"])[0], codes), 1)
    got = krippendorff_alpha(Counts(counts, levels.astype(float)), scale, rng=np.random.default_rng(0))
    wide = table.drop_duplicates(["item", "rater"]).pivot_table(index="rater", columns="item", values="response")
    assert int(wide.notna().to_numpy().sum()) == len(table)
    assert got.value == pytest.approx(evalica.alpha(wide, distance=cast(Any, scale)).alpha, abs=1e-9)
