"""Several files as one table: logs of other tools, a folder of them, or files of one system each.

``name=file`` names the system of a file. A log that does not say which system it is about is called by results.json
beside it (lm-eval), or by its own name.
"""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from quorate._errors import InputError
from quorate._paths import files_below
from quorate._question import split_name
from quorate._text import count, printable
from quorate.data.columns import REPEAT, RUN, SYSTEM, find_column, listed, to_long
from quorate.data.content import read_content
from quorate.data.formats.helm import model_of_run, task_of_run
from quorate.data.formats.lm_eval import is_lm_eval_results, is_low_good, model_of
from quorate.data.formats.log_table import (
    ROLES,
    AbsentError,
    AbsentFilterError,
    ChoiceError,
    DroppedRows,
    Kind,
    LogTable,
    stack,
)
from quorate.data.inputs import Source, engine_frame, open_input
from quorate.data.json_table import parse_json
from quorate.data.json_values import JsonError
from quorate.data.numerals import is_missing_word, read_numerals
from quorate.data.reading import FileReading, Reading
from quorate.data.scale import as_numbers
from quorate.data.tables import InputTable, as_text, of_log

TABLE = "a table"
"""What wrote rows that no tool of its own did."""
SUFFIXES = (".eval", ".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".parquet")
"""How the names of files end that are opened in a folder."""
FIRST, AGAIN = "per_instance_stats.json", "display_predictions.json"
"""Files of a HELM run that say the same."""
SAMPLES = re.compile(r"samples_(.+)_\d{4}-\d\d-\d\d")
"""How lm-eval calls its files: by the task, which does not stand in them, and the day."""
PLAIN_NAME = re.compile(r"[^:?*\[\]\0]{1,200}")
"""What can only be a path: no example, database or pattern."""
MOST_SAID = 3
"""Files of a folder that were left out, of which it is said why."""
MOST_FILES = 10_000
"""Files of a folder that are looked at."""
MOST_RESULTS = 1 << 24
"""Bytes of a results.json that is asked for the model."""


@dataclass(frozen=True)
class GatheredInputs:
    """What all the files of a call come to: ratings, answers, and the column of the systems if those were rated."""

    ratings: Source
    answers: Source | None
    rated_system: str | None


def gather(
    ratings: Source, answers: Source | None, more: Sequence[Source], rated_system: str | None, reading: Reading
) -> GatheredInputs:
    """Sort files into ratings and answers: logs of scores, or of rated outputs, are compared with each other."""
    given = [*_each(ratings), *([] if answers is None else _each(answers)), *more]
    first, others = given[0], given[1:]
    if not isinstance(first, str | Path) or rated_system is not None:
        if more:
            raise InputError("Give ratings and one file of answers, or logs of other tools; here are more files.")
        if _chooses(reading) and not any(isinstance(each, str | Path | InputTable) for each in given):
            raise InputError("The data are no log of another tool, so --score and --filter would do nothing.")
        return GatheredInputs(ratings, answers, rated_system)
    _refuse_absent(others)
    if engine_frame(first) is not None:  # left where it is
        return GatheredInputs(first, _open_answers(others, reading) if others else None, None)
    opened = open_input(first, reading=reading)
    if opened.log is not None and opened.log.kind != "ratings":
        return _of_logs(open_together([opened, *others], reading) if others else opened)
    if not others:
        refuse_idle_choice(opened, reading)
        return GatheredInputs(opened, None, None)
    return GatheredInputs(opened, _open_answers(others, reading, chosen=opened.log is not None), None)


def _refuse_absent(sources: Sequence[Source]) -> None:
    """Refuse a file that is not there before the first, which may be long, is read."""
    for source in sources:
        named = split_name(source)[1] if isinstance(source, str | Path) else "-"
        if named != "-" and PLAIN_NAME.fullmatch(named) and not os.path.lexists(named):
            raise InputError(f"There is no file {printable(named, 200)}; check the path.")


def refuse_idle_choice(table: InputTable, reading: FileReading) -> None:
    """Refuse to choose a score where nothing is chosen from."""
    if table.log is None and _chooses(reading):
        raise InputError(f"{table.name} is no log of another tool, so --score and --filter would do nothing.")


def _chooses(reading: FileReading) -> bool:
    return reading.choice.score is not None or reading.choice.filter is not None


def open_together(sources: Sequence[Source], reading: FileReading) -> InputTable:
    """Open logs, folders of logs and ``name=file`` as one table; those that are open pass."""
    tables = [_with_direction(each) for source in sources for each in _open_each(source, reading)]
    if len(tables) > 1:
        tables = _told_apart(_with_tasks([_with_system(table) for table in tables]))
    logs = [table.log for table in tables if table.log is not None]
    if _chooses(reading) and all(log.tool == TABLE for log in logs):
        raise InputError(f"{tables[0].name} is no log of another tool, so --score and --filter would do nothing.")
    name = tables[0].name if len(tables) == 1 else f"{len(tables)} files"
    whole = of_log(name, logs[0] if len(logs) == 1 else stack([table.name for table in tables], logs))
    paths = [path for table in tables for path in (*table.paths, *_read_beside(table))]
    return replace(whole, paths=tuple(dict.fromkeys(paths)))


def open_logs(sources: Sequence[Source], reading: Reading) -> InputTable:
    """Open logs, and tables too, as one long table that says where its columns are from."""
    if len(sources) > 1:
        return open_together(sources, reading)
    table = open_input(sources[0], reading=reading)
    if table.log is None:
        refuse_idle_choice(table, reading)
        return _plain_log(table, reading)
    return replace(table, paths=table.paths or _paths(sources[0]))


def _paths(source: Source) -> tuple[str, ...]:
    return (str(source),) if isinstance(source, str | Path) else ()


def _each(source: Source) -> list[Source]:
    return list(source) if isinstance(source, list | tuple) else [source]


def _of_logs(table: InputTable) -> GatheredInputs:
    """Return what logs of outputs come to."""
    log = table.log
    if log is None or log.kind == "preferences":
        return GatheredInputs(table, None, None)
    if "system" not in table.frame.columns:
        raise InputError(
            f"{table.name} does not say which system it is about; comparing takes two: name them, new=FILE old=FILE."
        )
    return GatheredInputs(table, None, "system")


def _open_each(source: Source, reading: FileReading) -> list[InputTable]:
    """Open a file, or all logs of a folder, under the name of its system if one is given."""
    if isinstance(source, InputTable):
        return [replace(source, paths=source.paths or (source.name,))]
    if not isinstance(source, str | Path):
        raise InputError("Several tables in one call are files; give one table with a column for the system.")
    system, named = split_name(source)
    path = Path(named)
    tables = _open_folder(path, reading) if os.path.isdir(path) else [_open_one(named, system, reading)]
    return tables if system is None else [_called(table, system) for table in tables]


def _open_one(named: str, system: str | None, reading: FileReading) -> InputTable:
    table = open_input(named, reading=reading)
    table = replace(table, paths=(named,))
    if table.log is not None:
        return table
    if system is None:
        raise InputError(f"{named} does not say which system it is about; write its name before it: NAME={named}.")
    return _plain_log(table, reading if isinstance(reading, Reading) else Reading(), one_system=True)


def _plain_log(table: InputTable, reading: Reading, one_system: bool = False) -> InputTable:
    """Return a plain table as if it were a log: of ratings, or of outputs if it names systems or is about one."""
    long = to_long(table, reading, aside=("system",) if one_system else ())
    frame, mapping = long.table.frame, dict(long.columns)
    for role in (SYSTEM, RUN, REPEAT):
        column = find_column(role, [name for name in frame.columns if name not in mapping], None, table.name)
        if column is not None:
            frame, mapping[role.name] = frame.rename({column: role.name}), column
    texts = [as_text(frame[role], table.name) for role in ROLES if role in frame.columns]
    frame = frame.with_columns(texts)
    responses, notes = _plain_numbers(frame["response"], reading, table.name)
    frame = frame.with_columns(responses)
    kept = frame.filter(pl.col("response").is_not_null())
    lost = (DroppedRows("no response", frame.height - kept.height),) if kept.height < frame.height else ()
    outputs = one_system or "system" in mapping
    kind: Kind = "ratings" if not outputs else "rated" if "rater" in mapping else "scores"
    log = LogTable(kept, TABLE, kind, mapping, lost, (*long.notes, *notes))
    return replace(of_log(table.name, log), paths=table.paths)


def _plain_numbers(cells: pl.Series, reading: Reading, name: str) -> tuple[pl.Series, tuple[str, ...]]:
    """Write numbers as they are read, with a point and no sign that all carry; words for a missing one are none."""
    labels = cells.drop_nulls().unique().sort()
    if reading.scale == "nominal" or labels.is_empty():
        return cells, ()
    said = read_numerals(labels, reading.decimal, name)
    missing = is_missing_word(said.labels)
    numbers = missing.any() and as_numbers(said.labels.filter(~missing)) is not None and not missing.all()
    plain = [None if numbers and gone else label for label, gone in zip(said.labels, missing, strict=True)]
    return cells.replace_strict(labels, pl.Series(plain, dtype=pl.String)), said.notes


def _open_folder(folder: Path, reading: FileReading) -> list[InputTable]:
    """Open every log of a folder, whatever else is there; in the order of their paths."""
    files = [path for path in sorted(files_below(folder)) if path.suffix.lower() in SUFFIXES and path.is_file()]
    files = [path for path in files if path.name != AGAIN or path.with_name(FIRST) not in files]
    if len(files) > MOST_FILES:
        raise InputError(f"{folder} holds more than {MOST_FILES:,} files; name a folder of logs.")
    opened = [_log_or_none(path, reading) for path in files]
    logs = [table for table in opened if isinstance(table, InputTable) and table.log is not None]
    refused = [error for error in opened if isinstance(error, InputError)]
    if refused and not logs:
        raise next((error for error in refused if isinstance(error, AbsentFilterError)), refused[0])
    if not logs:
        raise InputError(
            f"{folder} is a directory without Parquet files, and without a log that can be read; name a file."
        )
    return [_with_note(logs[0], refused), *logs[1:]]


def _with_note(table: InputTable, refused: Sequence[InputError]) -> InputTable:
    """Say with the first log of a folder which others were left out, damaged ones or ones about something else."""
    if not refused or table.log is None:
        return table
    said = [str(error).partition("; ")[0] for error in refused[:MOST_SAID]]
    more = [count(len(refused) - MOST_SAID, "more file")] if len(refused) > MOST_SAID else []
    note = f"left out of the folder: {'; '.join([*said, *more])}"
    return replace(table, log=replace(table.log, notes=(*table.log.notes, note)))


def _log_or_none(path: Path, reading: FileReading) -> InputTable | InputError | None:
    """Open a file of a folder, or say why it cannot be; None for JSON that is no log, such as a configuration."""
    try:
        table = open_input(path, reading=reading)
    except (AbsentError, JsonError) as error:
        return error
    except ChoiceError:
        raise
    except InputError as error:
        return None if path.suffix.lower() == ".json" else error
    return replace(table, paths=(str(path),))


def _called(table: InputTable, system: str) -> InputTable:
    """Give the system of a log the name the user says."""
    log = table.log
    if log is None or log.kind == "preferences":
        return table
    known = log.frame["system"].unique().cast(pl.String).to_list() if "system" in log.frame.columns else []
    if len(known) > 1:
        names = sorted("(no name)" if each is None else each for each in known)
        raise InputError(f"{table.name} holds several systems ({listed(names)}); leave out '{system}='.")
    frame = log.frame.with_columns(pl.lit(system).alias("system"))
    named = replace(log, frame=frame, mapping={**log.mapping, "system": "the name before the file"}, details={})
    return replace(table, frame=frame, log=named)


def _with_system(table: InputTable) -> InputTable:
    """Name the system of a log that does not: by the results beside it, or by its file."""
    log = table.log
    if log is None or "system" in log.frame.columns or log.kind in ("preferences", "ratings"):
        return table
    path = Path(table.paths[0])
    model = _model_beside(path)
    named = _called(table, model or (path.parent.name if path.name.startswith("samples_") else "") or path.stem)
    assert named.log is not None
    where = "the file beside it that names the model" if model else "the file's name"
    return replace(named, log=replace(named.log, mapping={**named.log.mapping, "system": where}))


def _with_direction(table: InputTable) -> InputTable:
    """Say of a log whether results.json beside it takes a low score for the better one."""
    log = table.log
    if log is None or log.kind != "scores" or not table.paths:
        return table
    low = any(is_low_good(content, log.mapping["response"]) for content in _results_beside(Path(table.paths[0])))
    return replace(table, log=replace(log, low_is_good=low))


def _model_beside(path: Path) -> str | None:
    """Return the model named in the same folder by results.json (lm-eval) or run_spec.json (HELM), if it is one."""
    models = {model_of(each) if is_lm_eval_results(each) else model_of_run(each) for each in _results_beside(path)}
    models -= {None}
    return models.pop() if len(models) == 1 else None


def _results_beside(path: Path) -> Iterator[Any]:
    """Return what results.json and run_spec.json in the same folder say, as far as they can be read."""
    for beside in _files_beside(path):
        with suppress(InputError, ValueError):
            yield parse_json(beside.name, read_content(beside.name, beside))


def _files_beside(path: Path) -> list[Path]:
    every = [path.parent / "run_spec.json", *sorted(path.parent.glob("results*.json"))[:100]]
    return [each for each in every if each.is_file() and each.stat().st_size <= MOST_RESULTS]


def _read_beside(table: InputTable) -> list[str]:
    """Return the files beside a log that are read with it, so that none of them is written over."""
    asked = table.log is not None and table.log.tool != TABLE and table.paths
    return [str(each) for each in _files_beside(Path(table.paths[0]))] if asked else []


def _with_tasks(tables: list[InputTable]) -> list[InputTable]:
    """Name the task of each log by what stands beside it, where a system has several logs and none says its task."""
    logs = [table.log for table in tables if table.log is not None]
    if len({_only_system(log) for log in logs}) == len(logs) or any(log.scope for log in logs):
        return tables
    tasks = [_task_beside(Path(table.paths[0])) or "" for table in tables]
    named = [replace(log, scope=task) for log, task in zip(logs, tasks, strict=True)]
    return [replace(table, log=log) for table, log in zip(tables, named, strict=True)] if all(tasks) else tables


def _task_beside(path: Path) -> str | None:
    """Return the task in the name lm-eval gives its samples, or HELM's run_spec.json, without the model."""
    found = SAMPLES.match(path.name)
    return found[1] if found else next(filter(None, map(task_of_run, _results_beside(path))), None)


def _told_apart(tables: list[InputTable]) -> list[InputTable]:
    """Tell logs of one system apart by what differs, such as the solver; refuse two that say the same twice."""
    logs = [table.log for table in tables if table.log is not None]
    called = [_only_system(log) for log in logs]
    result = []
    for table, log, system in zip(tables, logs, called, strict=True):
        twins = [other for other, name in zip(logs, called, strict=True) if name == system and other.scope == log.scope]
        if system is None or len(twins) == 1:
            result.append(table)
            continue
        differing = [key for key in log.details if len({other.details.get(key) for other in twins}) > 1]
        ending = ", ".join(log.details[key] for key in differing)
        result.append(_called(table, f"{system} ({ending})") if ending else table)
    _refuse_twins(result)
    return result


def _only_system(log: LogTable) -> str | None:
    names = log.frame["system"].unique().to_list() if "system" in log.frame.columns else []
    return names[0] if len(names) == 1 else None


def _refuse_twins(tables: Sequence[InputTable]) -> None:
    seen: dict[tuple[str, str], str] = {}
    for table in tables:
        if table.log is None or table.log.kind != "scores":
            continue
        system = _only_system(table.log)
        key = (system or "", table.log.scope)
        if system is not None and key in seen:
            raise InputError(
                f"{seen[key]} and {table.name} are both about system '{printable(system, 60)}'; tell them apart: "
                f"new={seen[key]} old={table.name}."
            )
        seen[key] = table.name


def _open_answers(sources: Sequence[Source], reading: FileReading, *, chosen: bool = False) -> Source:
    """Return the answers of one file, or of several files of one system each.

    Unless the ratings are a log for which a score was `chosen`, one of these must be where one is.
    """
    if len(sources) == 1 and not (isinstance(sources[0], str | Path) and split_name(sources[0])[0]):
        if chosen or not _chooses(reading) or engine_frame(sources[0]) is not None:
            return sources[0]
        opened = open_input(sources[0], reading=reading.for_others)
        refuse_idle_choice(opened, reading)
        return opened
    tables = []
    for source in sources:
        system, named = split_name(source) if isinstance(source, str | Path) else (None, "")
        if system is None:
            raise InputError(f"{source}: of several files of answers each needs its system's name: NAME={source}.")
        table = open_input(named, reading=reading)
        if not chosen:
            refuse_idle_choice(table, reading)
        column = find_column(SYSTEM, table.frame.columns, None, named)
        if column is not None and table.frame[column].n_unique() > 1:
            raise InputError(f"{named} holds several systems (column '{column}'); leave out '{system}='.")
        kept = table.frame.drop([column] if column else [])
        cells = pl.DataFrame([each if each.dtype.is_nested() else as_text(each, named) for each in kept])
        tables.append((named, cells.with_columns(pl.lit(system).alias("system"))))
    return _stacked_answers(tables)


def _stack(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Put tables under each other; a column of lists or objects in one of them, which no verb reads, stays one."""
    nested = {each.name for frame in frames for each in frame if each.dtype.is_nested()}
    empty = [pl.lit([], dtype=pl.List(pl.Null)).alias(name) for name in nested]
    return pl.concat([frame.with_columns(empty) for frame in frames])


def _stacked_answers(tables: Sequence[tuple[str, pl.DataFrame]]) -> InputTable:
    (first, columns), *_ = [(name, set(frame.columns)) for name, frame in tables]
    for name, frame in tables:
        if set(frame.columns) != columns:
            odd = sorted(columns ^ set(frame.columns))
            raise InputError(f"{first} and {name} have different columns ({listed(odd)}); give them the same.")
    whole = _stack([frame.select(tables[0][1].columns) for _, frame in tables])
    name = tables[0][0] if len(tables) == 1 else count(len(tables), "file")
    return InputTable(whole, name, first_row=None, paths=tuple(name for name, _ in tables))
