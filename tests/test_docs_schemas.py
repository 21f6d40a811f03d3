"""The published JSON schemas: those of the frozen answers, and strict enough to notice a field that is gone."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import schemas

pytestmark = pytest.mark.skipif(not schemas.ANSWERS.exists(), reason="read from the repository")


def answers() -> list[tuple[str, dict[str, Any]]]:
    found = [(path.stem, json.loads(path.read_text())) for path in sorted(Path(schemas.ANSWERS).glob("*.json"))]
    return [(name, answer) for name, answer in found if isinstance(answer, dict) and "schema" in answer]


def published(answer: dict[str, Any]) -> dict[str, Any]:
    verb = answer["schema"].partition(".")[2].partition("/")[0]
    schema: dict[str, Any] = json.loads((schemas.SCHEMAS / f"{verb}.json").read_text())
    return schema


def test_the_published_schemas_are_up_to_date() -> None:
    made = schemas.schemas()
    assert {path.stem for path in schemas.SCHEMAS.glob("*.json")} == set(made)
    for verb, schema in made.items():
        assert json.loads((schemas.SCHEMAS / f"{verb}.json").read_text()) == schema, "run python docs/tools/schemas.py"


def test_every_answer_meets_its_schema_and_a_broken_one_does_not() -> None:
    for name, answer in answers():
        schema = published(answer)
        jsonschema.validate(answer, schema)
        less = {key: value for key, value in answer.items() if key != "sentence"}
        with pytest.raises(jsonschema.ValidationError, match="sentence"):
            jsonschema.validate(less, schema)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(answer | {"warnings": name}, schema)
