"""`quorate presets` as a process."""

import json

from quorate.populations.choice import all_presets
from quorate.populations.crowds import CROWDS
from tests.run import Run


def test_every_preset_has_its_line(quorate: Run) -> None:
    done = quorate("presets")
    assert done.returncode == 0
    names = [line.split()[0] for line in done.stdout.splitlines()[4:]]
    assert names == [*all_presets(), *CROWDS]


def test_json_holds_the_populations(quorate: Run) -> None:
    done = quorate("presets", "--json")
    content = json.loads(done.stdout)
    assert content["schema"] == "quorate.presets/1"
    by_name = {preset["name"]: preset for preset in content["presets"]}
    assert by_name["dices"]["population"]["alpha"] == [5.22, 0.86, 2.75]
    assert by_name["dices"]["citation"].startswith("forest")
    assert by_name["copula-flat"]["population"] == {"kind": "crowd"}
