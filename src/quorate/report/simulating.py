"""The pages of what was simulated, and of the populations that have a name."""

from quorate.report.page import Page, Section, assemble, parameters
from quorate.results.table import integer
from quorate.simulating.result import CrowdSimulation, PresetList, SimulatedTables, Simulation, VoteSimulation

STUDY = (
    "Items, responses and answers are drawn from the population; system A answers like a random "
    "rater unless it is perturbed, B is perturbed by the effect [forest]. The same seed draws the "
    "same study.",
)
CROWD = (
    "Items, votes and scores are drawn from the crowd [maven]; experts label items chosen at "
    "random, and always say the truth. The same seed draws the same crowd.",
)
VOTES = (
    "A vote goes to the system with the higher strength, the tastes of the item and of the rater for each system, what "
    "being shown first adds and the noise of a single vote counted [bradley1952]; close calls are ties. The same seed "
    "draws the same votes.",
)
PRESETS = (
    "Parameters are those printed by [forest], [leaderboard], [ratings] and [maven], or fitted to public data; raters "
    "who lean are those of [multilevel], votes side by side those of [bradley1952].",
)
METHODS = {Simulation: STUDY, CrowdSimulation: CROWD, VoteSimulation: VOTES}


def simulate_page(result: SimulatedTables) -> Page:
    """Return the page of a simulated study or crowd."""
    return assemble(
        result,
        facts=[(name.removesuffix(".csv"), f"{integer(table.height)} rows") for name, table in result.files.items()],
        sections=[
            Section("What was drawn", tables=list(result.tables().values())),
            Section("The population", text=parameters(result.content()["population"])),
        ],
        method=METHODS[type(result)],
    )


def presets_page(result: PresetList) -> Page:
    """Return the page of the presets."""
    section = Section("All presets", tables=list(result.tables().values()))
    return assemble(result, facts=[], sections=[section], method=PRESETS)
