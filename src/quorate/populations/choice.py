"""Which population to draw from: the options of plan, simulate and audit, and what they name.

Nothing heavy is imported at start: the command line reads the options of every verb from here.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from quorate._errors import InputError
from quorate._question import MOST_RATERS, File, flag_of, option, source
from quorate.data.reading import Reading

if TYPE_CHECKING:
    from quorate.data.evaluation import Evaluation
    from quorate.data.ratings import Ratings
    from quorate.populations.population import Answers, Population

NamedPopulation: TypeAlias = "Population | str | Path | Mapping[str, Any] | Sequence[float]"
"""A population, the name of a preset, a population file, its content, or a Dirichlet's alpha."""


def parse_alpha(flag: str, value: str | Sequence[str | float]) -> tuple[float, ...]:
    """Return the concentrations a text such as ``5.22,0.86,2.75``, or a sequence, names."""
    parts = [value] if isinstance(value, str) else list(value)
    try:
        return tuple(float(word) for part in parts for word in str(part).split(","))
    except ValueError:
        given = ",".join(map(str, parts))
        raise InputError(f"{flag} must be numbers with commas, such as 5.22,0.86,2.75, not '{given}'") from None


def parse_answers(flag: str, value: str | int) -> "Answers":
    """Return how often a system answers each item: a number, ``"raters"`` or ``"probabilities"``."""
    match str(value).strip().lower():
        case "raters":
            return "raters"
        case "probabilities":
            return "probabilities"
        case word if word.isdecimal() and len(word) <= len(str(MOST_RATERS)) and 1 <= int(word) <= MOST_RATERS:
            return int(word)
    raise InputError(f"{flag} must be a number of at least 1, raters or probabilities, not '{value}'")


@dataclass(frozen=True, kw_only=True)
class PopulationChoice(Reading):
    """Which population to draw from; exactly one is named.

    Parameters
    ----------
    population
        File of RATINGS to start from, the name of a preset, or a population file that `quorate fit -o FILE.json`
        wrote; in Python also a data frame, columns, a population or its content.
    preset
        Name of a preset; `quorate presets` lists them.
    alpha
        Concentrations of a Dirichlet, with commas: 5.22,0.86,2.75.
    from_ratings
        Ratings to fit a population to; the same as a file that stands first.
    with_answers
        The two systems' ANSWERS to the ratings, to plan from the differences seen.
    resample
        Ratings to draw from again, in place of a fitted population.
    resample_unit
        What to resample: items, items+answers, raters-within-items (S2), items+raters (S1), batches
        (S3), or auto.
    resample_pool
        Limit the resampled raters to this many, drawn at random.
    """

    heading: ClassVar[str] = "Population (name exactly one)"

    population: Any = field(default=None, kw_only=False, metadata={"cli": File})
    preset: str | None = None
    alpha: str | Sequence[float] | None = option(None, parse=parse_alpha, cli=list[str])
    from_ratings: Any = source(None, flag="--from")
    with_answers: Any = field(default=None, kw_only=False, metadata={"cli": File, "flag": "--with", "source": True})
    resample: Any = source(None)
    resample_unit: str = "auto"
    resample_pool: int | None = None

    def __post_init__(self) -> None:
        """Take data that are named first for ratings, whatever verb is asked."""
        if self.from_ratings is None and _holds_ratings(self.population):
            object.__setattr__(self, "from_ratings", self.population)
            object.__setattr__(self, "population", None)
        super().__post_init__()

    def check(self) -> None:
        """Refuse none, two, or what goes with another one."""
        super().check()
        named = {
            "--preset": self.preset,
            "--population": self.population,
            "--alpha": self.alpha,
            "--from": self.from_ratings,
            "--resample": self.resample,
        }
        given = [flag for flag, value in named.items() if value is not None]
        if self.with_answers is not None and self.from_ratings is None:
            raise InputError("--with names answers to the ratings of --from: give both, or neither")
        if len(given) != 1:
            if not given:
                raise InputError(f"name a file of ratings, or one population with one of {', '.join(named)}")
            raise InputError(f"name one population, not {len(given)} ({' and '.join(given)})")
        if self.resample_pool is not None and self.resample is None:
            raise InputError("a pool of raters can be limited only with --resample")
        if self.resample_unit != "auto" and self.resample is None:
            raise InputError("--resample-unit goes with --resample RATINGS: leave it out, or resample")
        if self.from_ratings is None and self.resample is None:
            self.refuse_reading()

    def refuse_reading(self) -> None:
        """Refuse to be told how to read a file where none is read."""
        given = self.given(Reading)
        if given:
            raise InputError(
                f"{flag_of(next(iter(given)))} says how a file of ratings is read, and none is named here: leave it out"
            )

    def inputs(self) -> tuple[str, ...]:
        """Return the files that are read; a population may be one."""
        return (*super().inputs(), *population_files(self.population))


def _holds_ratings(named: object) -> bool:
    """Tell whether data were named where a population might be: a table, or a file that is no population."""
    match named:
        case None | bytes():
            return False
        case str() if named.startswith("example:") or named in ("-", "/dev/stdin"):
            return True
        case str() | Path():
            return bool(Path(named).suffix) and not _is_numbers(str(named)) and not _is_population_file(Path(named))
        case Mapping():
            return "kind" not in named and "population" not in named
        case Sequence():
            return False
    from quorate.populations.population import Population

    return not isinstance(named, Population)


def _is_numbers(named: str) -> bool:
    """Tell whether a text is the alpha of a Dirichlet."""
    return all(part.strip().replace(".", "", 1).isdecimal() for part in named.split(","))


def _is_population_file(path: Path) -> bool:
    """Tell whether a file is called .json and does not hold rows: what `fit -o` writes, or nothing that can be read."""
    if path.suffix.lower() != ".json":
        return False
    try:
        if path.is_fifo():  # it would lose its beginning
            return True
        with path.open("rb") as file:
            start = file.read(4096).lstrip(b"\xef\xbb\xbf \t\r\n")
    except (OSError, ValueError):
        return True
    return start[:1] == b"{" and (b'"kind"' in start or b'"population"' in start)


@dataclass(frozen=True)
class ChosenPopulation:
    """The population a choice names, with the preset or file it was named by, if it was.

    The load report says what was read, and fitted; warnings, where a fitted population does not
    describe its ratings. Ratings are those it was fitted to, which show whether their raters come back.
    """

    population: "Population"
    name: str | None = None
    load_report: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    ratings: "Ratings | None" = None

    @property
    def settings(self) -> dict[str, Any]:
        """The population as settings say it: its name, if it has one, kind and parameters."""
        return ({} if self.name is None else {"name": self.name}) | self.population.parameters()


def choose(choice: PopulationChoice, evaluation: "Evaluation | None" = None) -> ChosenPopulation:
    """Return the population a choice names, reading, fitting or resampling ratings if it must.

    `evaluation` is what was read of the ratings already.
    """
    if choice.preset is not None:
        return ChosenPopulation(find_preset(choice.preset).population, choice.preset)
    named = choice.alpha if choice.population is None else choice.population
    return _of_ratings(choice, evaluation) if named is None else name_population(named)


def name_population(named: NamedPopulation) -> ChosenPopulation:
    """Return the population that is named: by itself, a preset, a file, its content, or an alpha.

    The name of its preset or file goes with it, and what its fit warned of.
    """
    from quorate.populations.dirichlet import DirichletPopulation
    from quorate.populations.files import population_from_dict, read_population, warned
    from quorate.populations.population import Population

    name = str(named) if isinstance(named, str | Path) else None
    warnings: tuple[str, ...] = ()
    match named:
        case Population():
            population = named
        case Mapping():
            population, warnings = population_from_dict(named.get("population", named)), warned(named)
        case Path():
            population, warnings = read_population(named)
        case str() if named.endswith(".json") or _is_file(named):
            population, warnings = read_population(named)
        case str() if "," not in named:
            population = find_preset(named).population
        case _:
            population = DirichletPopulation(parse_alpha("--population", named))
    return ChosenPopulation(population, name, warnings=warnings)


def population_files(named: object) -> tuple[str, ...]:
    """Return the file that names a population, if a file does."""
    return (str(named),) if isinstance(named, str | Path) and _is_file(named) else ()


def _is_file(named: str | Path) -> bool:
    try:
        return Path(named).is_file()
    except OSError:  # a name no file can have
        return False


def _of_ratings(choice: PopulationChoice, evaluation: "Evaluation | None") -> ChosenPopulation:
    from quorate.data.evaluation import read_evaluation
    from quorate.populations.resampled import averaged_raters, resampled

    named = choice.resample if choice.from_ratings is None else choice.from_ratings
    evaluation = read_evaluation(named, reading=choice) if evaluation is None else evaluation
    if evaluation.votes is not None:
        raise InputError(f"{evaluation.name} holds votes between systems, which no population of ratings fits.")
    ratings, report = evaluation.ratings, evaluation.load_report
    refuse_other_questions(ratings, choice)
    if choice.from_ratings is not None:
        return _fitted(ratings, report, choice.seed)
    population = resampled(ratings, choice.resample_unit, pool=choice.resample_pool, seed=choice.seed)
    warnings = averaged_raters(population) if choice.resample_unit == "auto" else ()
    return ChosenPopulation(population, load_report=report, warnings=warnings)


def refuse_other_questions(ratings: "Ratings", reading: Reading) -> None:
    """Refuse ratings of several systems' outputs, and winners of pairs: either would be taken for ratings of items."""
    from quorate.data.preferences import is_winner
    from quorate.data.rated_outputs import system_column

    response = ratings.columns.get("response", "")
    if reading.response_column is None and is_winner(response):
        raise InputError(
            f"{ratings.name} has a column '{response}' and none that says which two systems were shown: add system_a "
            f"and system_b for votes between them, or say --response-column {response} to take it for plain answers."
        )
    column = system_column(ratings)
    if column is not None:
        item = ratings.columns["item"]
        raise InputError(
            f"{ratings.name} has a column '{column}': its items were rated for several systems, which is another "
            f"question: quorate plan takes --rated-system {column} to compare them. Keep the rows of one, or say "
            f"--item-column {item},{column} to take each output for an item."
        )


def _fitted(ratings: "Ratings", report: tuple[str, ...], seed: int) -> ChosenPopulation:
    """Fit a population, and check whether a plan from it can be trusted."""
    from quorate._random import generator
    from quorate.populations.fit_population import fit_population
    from quorate.populations.goodness import check_spread, fit_warnings, spread_words

    fitted = fit_population(ratings, seed=seed)
    spread = check_spread(fitted.population, ratings.summary, rng=generator(seed, "fit", "check"))
    words = f"{fitted.population.words()}, which {spread_words(spread)}"
    warnings = fit_warnings(spread, ratings, fitted.n_items_used)
    return ChosenPopulation(
        fitted.population,
        load_report=(*report, f"{ratings.name} looks most like {words}."),
        warnings=warnings,
        ratings=ratings,
    )


@dataclass(frozen=True)
class Preset:
    """A named population, one line about it, and its source."""

    name: str
    population: "Population"
    description: str
    citation: str


def find_preset(name: str) -> Preset:
    """Return the preset of that name; names ignore case."""
    preset = all_presets().get(name.strip().lower())
    if preset is None:
        _refuse_crowd(name)
        close = get_close_matches(name.strip().lower(), all_presets(), n=1)
        hint = f"; did you mean {close[0]}?" if close else ";"
        raise InputError(f"no preset is called '{name}'{hint} `quorate presets` lists them all")
    return preset


def _refuse_crowd(name: str) -> None:
    from quorate.populations.crowds import CROWDS

    families = tuple({crowd.partition("-")[0] for crowd in CROWDS})
    if name.strip().lower().startswith(families):
        raise InputError(f"'{name}' would be a crowd: {', '.join(CROWDS)} are for simulate alone")


@cache
def all_presets() -> dict[str, Preset]:
    """Return all populations with a name, in the order `quorate presets` lists them."""
    from quorate.populations.files import population_from_dict

    listed = tomllib.loads((files("quorate.populations") / "presets.toml").read_text(encoding="utf-8"))
    return {
        name: Preset(name, population_from_dict(preset["population"]), preset["description"], preset["citation"])
        for name, preset in listed.items()
    }
