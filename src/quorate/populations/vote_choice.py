"""Which votes side by side to draw: the options audit and simulate share; and the margin a win rate stands for."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from quorate._errors import InputError
from quorate._question import check_share, flag_of
from quorate.populations.choice import PopulationChoice

if TYPE_CHECKING:
    from quorate.populations.population import Population
    from quorate.populations.side_by_side import SideBySide

ONLY_VOTES = ("win_rate", "tie_share", "item_share", "rater_share", "first_shown")


def margin_of_win_rate(win_rate: float) -> float:
    """Return the margin, wins less losses, of the better of two systems: ``2 w − 1``."""
    check_share("--win-rate", win_rate, "0.55")
    if win_rate < 0.5:
        raise InputError(f"--win-rate {win_rate:g} is below a half: name the better system first.")
    return round(2 * win_rate - 1, 12)


@dataclass(frozen=True, kw_only=True)
class VoteChoice(PopulationChoice):
    """Which votes to draw, and of whom.

    Parameters
    ----------
    win_rate
        With --preset preference: how often the better of two systems, or of two neighbours, is preferred, ties half;
        0.5, equal systems, if not given.
    tie_share
        With --preset preference: the share of votes that are ties, between neighbours; 0.2 if not given.
    item_share
        With --preset preference: what items hold of the variance of a vote; 0.1 if not given.
    rater_share
        With --preset preference: what share of the variance among the raters of an item is the raters' own; 0.056 if
        not given, which is 0.05 of the variance of a vote.
    first_shown
        With --preset preference: what being shown first adds to the margin; nothing if not given.
    pool
        People who rate or vote, of whom --raters answer each item; for --preset shared-raters and preference.
    load
        even, or unequal: the second of them answers half as often as the first, the third a third; for --preset
        shared-raters and preference.
    """

    win_rate: float | None = None
    tie_share: float | None = None
    item_share: float | None = None
    rater_share: float | None = None
    first_shown: float | None = None
    pool: int | None = None
    load: Literal["even", "unequal"] | None = None

    def margin(self, effect: float) -> float:
        """Return the margin of the votes: what the win rate says, or the effect."""
        if self.win_rate is None:
            return effect
        if effect:
            raise InputError("--win-rate says how far apart the systems are: leave --effect out.")
        return margin_of_win_rate(self.win_rate)

    def peopled(self, population: "Population") -> "Population":
        """Return the population with the people, and the votes, that were asked for."""
        asked = [name for name in ONLY_VOTES if getattr(self, name) is not None]
        if population.votes is None and asked:
            raise InputError(f"{flag_of(asked[0])} belongs to --preset preference: votes side by side.")
        world = population.votes or population.leanings
        if world is None:
            if self.pool is None and self.load is None:
                return population
            raise InputError(
                "--pool and --load are for --preset shared-raters and preference; resampled ratings have "
                "--resample-pool."
            )
        pool, load = self.pool or world.pool, self.load or world.load
        if population.votes is not None:
            return replace(self._voting(population.votes), pool=pool, load=load)
        return replace(world, pool=pool, load=load)

    def _voting(self, world: "SideBySide") -> "SideBySide":
        """Return the world with the shares that were asked for."""
        item = world.item_share if self.item_share is None else self.item_share
        return replace(
            world,
            ties=world.ties if self.tie_share is None else self.tie_share,
            item_share=item,
            rater_share=world.rater_share if self.rater_share is None else self.rater_share * (1 - item),
            first_shown=world.first_shown if self.first_shown is None else self.first_shown,
        )
