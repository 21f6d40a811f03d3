"""The tools whose logs are read, each with how it is recognised by what it wrote, never by a file's name."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from quorate._errors import InputError
from quorate.data.archives import Archive
from quorate.data.formats import (
    alt_test,
    arena,
    argilla,
    braintrust,
    deepeval,
    every_eval_ever,
    helm,
    inspect_log,
    label_studio,
    langfuse,
    langsmith,
    lighteval,
    lm_eval,
    mlflow,
    openai_evals,
    phoenix,
    prodigy,
    promptfoo,
    weave,
)
from quorate.data.formats.log_table import LogTable
from quorate.data.formats.packed_rows import CrowdError
from quorate.data.json_table import parse_json
from quorate.data.json_values import refuse_crowd
from quorate.data.reading import LogChoice

MOST_UNPACKED = 1 << 33
"""Bytes taken out of an archive, one member after the other."""


@dataclass(frozen=True)
class JsonFormat:
    """A log as parsed JSON: does it look like one, and what does it say?"""

    recognises: Callable[[object], bool]
    read: Callable[[str, Any, LogChoice], LogTable]


@dataclass(frozen=True)
class TableFormat:
    """A log as a flat table, recognised by its columns."""

    recognises: Callable[[Sequence[str]], bool]
    read: Callable[[str, pl.DataFrame, LogChoice], LogTable]


JSON_FORMATS = (
    JsonFormat(inspect_log.is_inspect_log, inspect_log.read_inspect_log),
    JsonFormat(inspect_log.is_precomputed, inspect_log.read_precomputed),
    JsonFormat(lm_eval.is_lm_eval, lm_eval.read_lm_eval),
    JsonFormat(promptfoo.is_promptfoo, promptfoo.read_promptfoo),
    JsonFormat(label_studio.is_label_studio, label_studio.read_label_studio),
    JsonFormat(label_studio.is_label_studio_min, label_studio.read_label_studio_min),
    JsonFormat(argilla.is_argilla, argilla.read_argilla),
    JsonFormat(argilla.is_flat_argilla, argilla.read_flat_argilla),
    JsonFormat(prodigy.is_prodigy, prodigy.read_prodigy),
    JsonFormat(helm.is_helm, helm.read_helm),
    JsonFormat(mlflow.is_mlflow, mlflow.read_mlflow),
    JsonFormat(mlflow.is_mlflow_classic, mlflow.read_mlflow_classic),
    JsonFormat(langsmith.is_langsmith_feedback, langsmith.read_langsmith_feedback),
    JsonFormat(langfuse.is_langfuse, langfuse.read_langfuse),
    JsonFormat(phoenix.is_phoenix, phoenix.read_phoenix),
    JsonFormat(weave.is_weave, weave.read_weave),
    JsonFormat(weave.is_weave_calls, weave.read_weave_calls),
    JsonFormat(weave.is_weave_feedback, weave.read_weave_feedback),
    JsonFormat(deepeval.is_deepeval, deepeval.read_deepeval),
    JsonFormat(openai_evals.is_openai_evals, openai_evals.read_openai_evals),
    JsonFormat(openai_evals.is_openai_items, openai_evals.read_openai_items),
    JsonFormat(every_eval_ever.is_every_eval_ever, every_eval_ever.read_every_eval_ever),
    JsonFormat(braintrust.is_braintrust, braintrust.read_braintrust),
    JsonFormat(arena.is_arena, arena.read_arena),
    JsonFormat(alt_test.is_alt_test, alt_test.read_alt_test),
)
TABLE_FORMATS = (
    TableFormat(inspect_log.is_inspect_table, inspect_log.read_inspect_table),
    TableFormat(label_studio.is_label_studio_table, label_studio.read_label_studio_table),
    TableFormat(mlflow.is_mlflow_table, mlflow.read_mlflow_table),
    TableFormat(langsmith.is_langsmith_table, langsmith.read_langsmith_table),
    TableFormat(phoenix.is_phoenix_table, phoenix.read_phoenix_table),
    TableFormat(argilla.is_argilla_table, argilla.read_argilla_table),
    TableFormat(lighteval.is_lighteval, lighteval.read_lighteval),
    TableFormat(arena.is_arena_table, arena.read_arena_table),
)


def read_json_log(name: str, content: Any, choice: LogChoice) -> LogTable | None:
    """Return the table of a log, None for JSON no tool is known by."""
    known = next((each for each in JSON_FORMATS if each.recognises(content)), None)
    return None if known is None else _read(name, lambda: known.read(name, content, choice))


def read_table_log(name: str, frame: pl.DataFrame, choice: LogChoice) -> LogTable | None:
    """Return the long table of a log that is a flat table, None for columns no tool is known by."""
    known = next((each for each in TABLE_FORMATS if each.recognises(frame.columns)), None)
    return None if known is None else _read(name, lambda: known.read(name, frame, choice))


def read_archive_log(name: str, archive: Archive, choice: LogChoice) -> LogTable | None:
    """Return the table of a log that is a zip archive, None for members no tool is known by."""
    if not inspect_log.is_inspect_archive(archive.names):
        return None

    spent = 0

    def read(member: str) -> Any:
        nonlocal spent
        data = archive.read(member)
        spent += len(data)
        if spent > MOST_UNPACKED:
            raise InputError(f"{name} unpacks to more than {MOST_UNPACKED >> 30} GB; check where the file is from.")
        return parse_json(f"{name}: {member}", data)

    return _read(name, lambda: inspect_log.read_inspect_archive(name, archive.names, read, choice))


def _read(name: str, read: Callable[[], LogTable]) -> LogTable:
    """Read a log; one that only looks like it is refused in a sentence."""
    try:
        return read()
    except CrowdError as error:
        refuse_crowd(name, error.size, 0)
        raise
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        what = f"{type(error).__name__}: {error}"
        raise InputError(
            f"{name} looks like a log, but is not laid out as its tool writes it ({what[:80]}); export it again."
        ) from None
