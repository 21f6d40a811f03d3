"""The commands, one for each verb: ask, print, and say by the exit code how it went.

What a verb needs is imported when its command runs, so that help answers at once.
"""

import os
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from quorate._errors import InputError
from quorate._question import Question, flag_of
from quorate._tasks import Execution
from quorate._text import count
from quorate.auditing.question import AuditQuestion
from quorate.cli.command import command
from quorate.cli.gate import GateOptions, check_gate, open_gate
from quorate.cli.output import FILE, OUTPUT, DirectoryOptions, OutputOptions, say, show, working, write_page
from quorate.comparing.question import CompareQuestion
from quorate.converting.question import ConvertQuestion
from quorate.describing.question import DescribeQuestion
from quorate.estimating.question import EstimateQuestion
from quorate.fitting.question import FitQuestion
from quorate.planning.question import PlanQuestion
from quorate.reproducing.question import ReproduceQuestion
from quorate.results.files import check_output, write_csv, written_whole
from quorate.simulating.question import SimulateQuestion


@command
def describe(question: DescribeQuestion, output: OutputOptions) -> int:
    """Say what is in a file of ratings: how many, who rated what, how much raters disagree, and who leans where.

    Examples:
      quorate describe ratings.csv
      quorate describe ratings.csv --scale ordinal --order low,mid,high
      quorate describe votes.jsonl --item-column doc_id,question --json
      quorate describe rated.csv --rated-system model
      cat ratings.csv | quorate describe - -o items.csv
    """
    with working(f"describing {question.ratings}", output):
        from quorate.describing.verb import answer

        description = answer(question)
    return show(description, output)


@dataclass(frozen=True, kw_only=True)
class PlanOrSweep(PlanQuestion, Execution):
    """What to plan for, or a whole grid of studies.

    Parameters
    ----------
    grid
        Sweep a whole grid instead: forest, or a TOML file.
    workers
        With --grid: local processes; as many as there are cores by default.
    cluster
        With --grid: work on the workers of a Dask scheduler instead: tcp://HOST:PORT.
    shard
        With --grid: do one share of the work only, 3/8 for the third of eight; when all are done, --resume puts them
        together.
    resume
        With --grid: go on where the last sweep stopped.
    """

    grid: str | None = None

    def check(self) -> None:
        """Refuse what cannot be asked; a grid names its own populations."""
        if self.grid is not None:
            Execution.check(self)
            for each in fields(PlanQuestion):
                flag, parse = flag_of(each.name, each.metadata.get("flag")), each.metadata.get("parse")
                default = each.default if parse is None or each.default is None else parse(flag, each.default)
                if each.name not in self.execution() and getattr(self, each.name) != default:
                    raise InputError(
                        f"{flag} is for one plan, and --grid says all that is asked; leave one of them out."
                    )
            return
        super().check()
        long_work = {
            "--cluster": self.cluster,
            "--shard": self.shard,
            "--workers": self.workers,
            "--resume": self.resume,
        }
        for flag, value in long_work.items():
            if value:
                raise InputError(f"{flag} is for the long work of --grid; one plan is made here.")

    def plan(self) -> PlanQuestion:
        """Return the question without a grid."""
        return PlanQuestion(**{each.name: getattr(self, each.name) for each in fields(PlanQuestion)})

    def execution(self) -> dict[str, Any]:
        """Return how the work of a grid is done."""
        return {each.name: getattr(self, each.name) for each in fields(Execution)}


@command
def plan(question: PlanOrSweep, output: OutputOptions) -> int:
    """Say how many items and raters to buy to see a difference, and what the cheapest mix is.

    Examples:
      quorate plan pilot.csv answers.csv --difference 0.02 --item-price 2 --rating-price 0.2
      quorate plan pilot.csv --difference 0.03 --budget 2000
      quorate plan --preset dices --difference 0.03
      quorate plan --preset dices --difference 0.03 --items 200,400 --raters 1-5
      quorate plan --preset dices --difference 0.03 --have 200,3
      quorate plan pilot.csv answers.csv --difference 0.02 --pool 6 --max-per-rater 300
      quorate plan --preset dices --difference 0.03 --pool 12 --rater-share 0.1
      quorate plan rated.csv --rated-system model --difference 0.2
      quorate plan --variance item=0.04,rater=0.01,rest=0.2 --difference 0.1 --pool 12
      quorate plan --resample ratings.csv --resample-unit items+raters --effect 0.3 --pool 20
      quorate plan votes.csv --systems new,old --win-rate 0.55
      quorate plan --preset preference --tie-share 0.2 --win-rate 0.55
      quorate plan --grid forest -o sweep.parquet
      quorate plan --grid forest --shard 3/8
    """
    if question.grid is not None:
        return _sweep(question.grid, question, output)
    with working("planning", output):
        from quorate.planning.verb import answer

        planned = answer(question.plan())
    return show(planned, output)


def _sweep(grid: str, question: PlanOrSweep, output: OutputOptions) -> int:
    """Sweep a grid and show it; a file that could not be written is refused before the work."""
    path = output.output
    if path is not None and not os.access(path.parent, os.W_OK):
        raise InputError(f"Cannot write {path}: its folder is not there or not writable; choose another place with -o.")
    from quorate.planning.grids import find_grid
    from quorate.planning.sweep import sweep

    return show(sweep(find_grid(grid), **question.execution() | {"progress": not output.quiet}), output)


@command
def compare(question: CompareQuestion, output: GateOptions) -> int:
    """Say whether one system is really better than another, counting the spread over items, answers and raters.

    Examples:
      quorate compare ratings.csv answers.csv
      quorate compare ratings.csv answers.csv --systems new,old --margin 0.02 --gate
      quorate compare ratings.csv answers.csv --margin 0.02 --baseline-file baseline.csv --gate -o gate.md
      quorate compare ratings.csv answers.csv --metric agreement,accuracy --by domain
      quorate compare ratings.csv answers.csv --items-are fixed
      quorate compare votes.csv
      quorate compare mqm.csv --rated-system system --better low --unit cluster:doc
      quorate compare new.eval old.eval --score match
      quorate compare ratings.csv new=answers_a.csv old=answers_b.csv
      quorate compare ratings.csv judges.csv --baseline raters --margin 0.05
      quorate compare ratings.csv answers.csv --systems new --target-score 0.9 --gate
    """
    check_gate(output, question.inputs())
    with working(f"comparing systems on {question.ratings}", output):
        from quorate.comparing.baseline import store_baseline
        from quorate.comparing.verb import answer

        stored = store_baseline(question)
        if stored is not None:
            say(f"baseline '{stored.system}' stored in {stored.path}, {count(stored.n_rows, 'row')}", output)
            if stored.alone:
                return 0
        result = answer(question)
    code = open_gate(result, output) if output.gate else 0
    shown = show(result, replace(output, output=None) if output.page else output)
    if output.page is not None:
        say(f"written: {output.page}", output)
    return code if output.gate else shown


@command
def estimate(
    question: EstimateQuestion,
    output: OutputOptions,
    *,
    curves: Annotated[Path | None, Parameter(group=OUTPUT, **FILE)] = None,
) -> int:
    """Say how good a classifier is, from many cheap votes and a few expert labels.

    Examples:
      quorate estimate votes.csv experts.csv scores.csv
      quorate estimate votes.csv experts.csv scores.csv --metric auc,f1 --threshold 0.7
      quorate estimate votes.csv experts.csv scores.csv --method assisted,gt,mv,ds
      quorate estimate labels.csv experts.csv answers.csv --metric accuracy,recall,confusion
      quorate estimate votes.csv experts.csv scores.csv --choose 100 -o to-label.csv
      quorate estimate votes.csv --expert-column gold --positive spam
      quorate estimate votes.csv experts.csv scores.csv --target-width 0.03 --expert-price 5

    Parameters
    ----------
    curves
        Write ROC, precision-recall and calibration curves with bands to this .csv file.
    """
    _check_curves(curves, output, question.inputs())
    # Many small products: threads of linear algebra would only wait for each other.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with working(f"estimating from {question.votes}", output):
        from quorate.estimating.verb import answer

        result = answer(question)
    shown = show(result, output)
    if curves is not None:
        with written_whole(curves, "--curves") as file:
            write_csv(result.curves(), file, keep_formulas=output.keep_formulas)
        say(f"written: {curves}", output)
    return shown


def _check_curves(curves: Path | None, output: OutputOptions, inputs: tuple[str, ...]) -> None:
    """Refuse a file that cannot be written, or would replace an input or the other output."""
    if curves is None:
        return
    try:
        good = not curves.is_dir() and curves.parent.is_dir()
    except OSError:  # a name no file can have
        good = False
    if not good:
        raise InputError(f"Cannot write {curves}: it is a directory, or cannot be; name another with --curves.")
    if output.output is not None and os.path.realpath(curves) == os.path.realpath(output.output):
        raise InputError(f"--curves and -o both name {curves}; choose another name for one of them.")
    check_output(curves, inputs, "--curves")


@command
def convert(question: ConvertQuestion, output: OutputOptions) -> int:
    """Turn logs and exports of other tools into one long table, and say which field became what.

    Inspect, lm-eval, promptfoo, Label Studio and others are recognised by what a file holds.

    Examples:
      quorate convert new.eval old.eval --score match -o long.csv
      quorate convert logs -o long.parquet
      quorate convert new=samples_a.jsonl old=samples_b.jsonl --filter strict-match -o long.csv
      quorate convert export.json --score quality
    """
    with working("reading", output):
        from quorate.converting.verb import answer

        result = answer(question)
    return show(result, output)


@command
def fit(question: FitQuestion, output: OutputOptions) -> int:
    """Find the population that ratings look like, and check how well it describes them.

    With -o FILE.json the result is a population file for plan, simulate and audit.

    Examples:
      quorate fit pilot.csv -o pilot.json
      quorate fit stars.csv --family normal
      quorate fit pilot.csv --evaluate dices
      quorate fit pilot.csv --evaluate 5.22,0.86,2.75
    """
    with working(f"fitting {question.ratings}", output):
        from quorate.fitting.verb import answer

        result = answer(question)
    return show(result, output)


@command
def simulate(question: SimulateQuestion, output: DirectoryOptions) -> int:
    """Draw ratings and two systems' answers from a population, and write them as ratings.csv and answers.csv.

    The crowds maven, irt and copula-SHAPE (bimodal, extreme, flat, skewed) give what estimate reads instead: votes.csv,
    experts.csv, scores.csv, and truth.csv with the label of every item. The preset preference gives votes side by side,
    votes.csv. A page, report.html, says what was drawn.

    Examples:
      quorate simulate --preset dices --items 200 --raters 5 --effect 0.3 -o study
      quorate simulate --alpha 5,1,3 --items 50 --raters 3 --answers probabilities -o study
      quorate simulate --resample pilot.csv --resample-unit items+raters --items 500 --raters 8 -o study
      quorate simulate --preset irt --items 10000 --raters 3 --expert-share 0.05 -o crowd
      quorate simulate --preset preference --items 100 --raters 8 --pool 30 --win-rate 0.6 -o votes
      quorate simulate --preset preference --items 60 --raters 20 --n-systems 6 --pair-share 0.6 --win-rate 0.6 -o board
    """
    folder = output.output
    if folder is None:
        raise InputError("name a directory for the files with -o DIR, or a page alone with -o report.html")
    alone = folder.suffix.lower() == ".html" and not os.path.isdir(folder)
    for name in () if alone else (*question.files, "report.html"):
        check_output(folder / name, question.inputs())
    with working("drawing", output):
        from quorate.simulating.verb import answer

        study = answer(question)
    if alone:
        return show(study, output)
    paths = study.write(folder, {"report.html": partial(write_page, study)})
    shown = show(study, replace(output, output=None))
    *tables, page = map(str, paths)
    say(f"written: {', '.join(tables)} and {page}", output)
    return shown


@command
def audit(question: AuditQuestion, output: OutputOptions) -> int:
    """Try tests on many simulated studies: error rate without a difference, power with one, coverage and width.

    Examples:
      quorate audit --preset dices --items 100 --raters 5 --metric agreement --null sharp
      quorate audit --preset dices --items 100 --raters 5 --metric agreement --effect 0.3
      quorate audit --preset uniform-normal --items 200 --raters 5 --answers raters --metric mae --null sharp
          --test default,permutation,published:bootstrap:all --replicates 4000
      quorate audit --preset dices --items 100 --raters 5 --replicates 1000000 --cluster tcp://10.0.0.1:8786
      quorate audit --preset shared-raters --items 300 --raters 6 --unit items,items+raters
      quorate audit --preset preference --items 13 --raters 40 --pool 124 --unit items+raters,votes
    """
    from quorate.auditing.verb import answer

    return show(answer(replace(question, progress=not output.quiet)), output)


@command
def reproduce(question: ReproduceQuestion, output: OutputOptions) -> int:
    """Compute the papers' published figures again; exit 1 when one that should match does not.

    Examples:
      quorate reproduce forest --quick
      quorate reproduce all --data DATASETS -o reproduction.html
    """
    from quorate.reproducing.verb import answer

    result = answer(replace(question, progress=not output.quiet))
    shown = show(result, output)
    return 1 if result.failed else shown


@command
def presets(question: Question, output: OutputOptions) -> int:
    """List the populations that have a name, with their source.

    For example:
      quorate presets
      quorate presets -o presets.csv
    """
    from quorate.simulating.verb import list_presets

    return show(list_presets(question), output)
