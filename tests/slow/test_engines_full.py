"""Every engine × every world beside four times as many whole studies as in the default tests."""

import pytest

from quorate.planning.sources.population import Engine
from tests.statistical.engines.test_engines import CELLS, LARGE, SMALL, check_cell

STUDIES = {SMALL: 4000, LARGE: 400}


@pytest.mark.parametrize(("world", "engine", "n"), CELLS)
def test_power_and_p_are_those_of_many_whole_studies(world: str, engine: Engine, n: int) -> None:
    check_cell(world, engine, n, STUDIES[n])
