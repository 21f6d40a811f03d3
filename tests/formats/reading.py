"""Logs of tools that are not installed, by their documented layout, read as a file would be."""

import json
from pathlib import Path
from typing import Any

import polars as pl

from quorate.data.formats.log_table import LogTable
from quorate.data.formats.registry import read_json_log, read_table_log
from quorate.data.inputs import open_input
from quorate.data.json_table import parse_json
from quorate.data.reading import LogChoice, LogReading


def read(content: Any, score: str | None = None) -> LogTable:
    """Read what a tool wrote: JSON, or lines of it as bytes."""
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    log = read_json_log("log.json", parse_json("log.json", data), LogChoice(score))
    assert log is not None
    return log


def lines(*objects: Any) -> bytes:
    return "\n".join(json.dumps(each) for each in objects).encode()


def reasons(log: LogTable) -> dict[str, int]:
    return {each.reason: each.rows for each in log.dropped}


def read_frame(frame: pl.DataFrame, score: str | None = None) -> LogTable:
    """Read a table another tool saved."""
    log = read_table_log("log.parquet", frame, LogChoice(score))
    assert log is not None
    return log


def read_file(path: Path, score: str | None = None) -> LogTable:
    """Read a file as every command does."""
    log = open_input(path, reading=LogReading(score=score)).log
    assert log is not None
    return log
