"""The published JSON schemas: those of the frozen answers, and strict enough to notice a field that is gone."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import schemas
from jsonschema.validators import validator_for

from quorate._question import QUESTIONS
from quorate.cli import main

pytestmark = pytest.mark.skipif(not schemas.ANSWERS.exists(), reason="read from the repository")


def answers() -> list[tuple[str, dict[str, Any]]]:
    found = [(path.stem, json.loads(path.read_text())) for path in sorted(Path(schemas.ANSWERS).glob("*.json"))]
    return [(name, answer) for name, answer in found if isinstance(answer, dict) and "schema" in answer]


def published(verb: str) -> Any:
    """Return what tells whether an answer meets the schema of its verb."""
    schema = json.loads((schemas.SCHEMAS / f"{verb}.json").read_text())
    made = validator_for(schema)
    made.check_schema(schema)
    return made(schema)


def test_the_published_schemas_are_up_to_date() -> None:
    made = schemas.schemas()
    assert {path.stem for path in schemas.SCHEMAS.glob("*.json")} == set(made)
    for verb, schema in made.items():
        assert json.loads((schemas.SCHEMAS / f"{verb}.json").read_text()) == schema, "run python docs/tools/schemas.py"


def test_every_answer_meets_its_schema_and_a_broken_one_does_not() -> None:
    by_verb: dict[str, list[dict[str, Any]]] = {}
    for _, answer in answers():
        by_verb.setdefault(answer["schema"].partition(".")[2].partition("/")[0], []).append(answer)
    for verb, given in by_verb.items():
        schema = published(verb)
        for answer in given:
            schema.validate(answer)
        least = min(given, key=lambda answer: len(str(answer)))
        with pytest.raises(jsonschema.ValidationError, match="sentence"):
            schema.validate({key: value for key, value in least.items() if key != "sentence"})
        with pytest.raises(jsonschema.ValidationError):
            schema.validate(least | {"warnings": verb})


def test_there_is_a_schema_of_every_verb_and_a_reproduction_meets_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert set(QUESTIONS) - {path.stem for path in schemas.SCHEMAS.glob("*.json")} == set()
    monkeypatch.setenv("QUORATE_CACHE", str(tmp_path))
    with pytest.raises(SystemExit):
        main(["reproduce", "multilevel", "--quick", "--workers", "1", "--json", "--quiet"])
    answer = json.loads(capsys.readouterr().out)
    published("reproduce").validate(answer)
    with pytest.raises(jsonschema.ValidationError, match="ours"):
        published("reproduce").validate(answer | {"cells": [{**answer["cells"][0], "ours": "0.5"}]})
