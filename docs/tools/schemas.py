"""JSON schemas of what `--json` prints, one per verb, read off the frozen answers of the tests.

Use: python docs/tools/schemas.py, which writes docs/schemas/VERB.json.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from quorate.reproducing.cell import Cell, FigurePoint, absent, claim, point
from quorate.reproducing.result import Reproduction

ROOT = Path(__file__).parents[2]
ANSWERS = ROOT / "tests" / "golden" / "answers"
SCHEMAS = ROOT / "docs" / "schemas"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
TYPED = {"sweep": "plan --grid GRID"}
"""What is typed for a schema that no verb is called like."""
KINDS = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null"}
NAMED = 60
"""An object with more different keys over all answers, or with keys that are no words, is a map from names."""


def schemas() -> dict[str, dict[str, Any]]:
    """Return the schema of each verb."""
    by_verb: dict[str, list[dict[str, Any]]] = {}
    for path in sorted(ANSWERS.glob("*.json")):
        answer = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(answer, dict) and "schema" in answer:
            by_verb.setdefault(answer["schema"].partition(".")[2].partition("/")[0], []).append(answer)
    by_verb["reproduce"] = [reproduced()]
    return {verb: _titled(verb, answers) for verb, answers in sorted(by_verb.items())}


def reproduced() -> dict[str, Any]:
    """Return an answer of `reproduce` with a cell of every kind, which no frozen one has: real ones take minutes."""
    where, at = ("paper", "table", "row", "column"), FigurePoint(panel="panel", line="line", axis="N", place=100)
    cells = (
        Cell(*where, published=0.5, ours=0.5, error=0.1),
        claim(*where, holds=True, reason="reason"),
        absent(*where, 0.5, "data absent"),
        point("paper", "figure", at, "column", 0.5, 0.1, "reason"),
    )
    answer: dict[str, Any] = json.loads(json.dumps(Reproduction(cells=cells).to_dict()))
    return answer


def _titled(verb: str, answers: Sequence[dict[str, Any]]) -> dict[str, Any]:
    fields = {name: _merged([each[name] for each in answers if name in each]) for name in _keys(answers)}
    always = sorted(name for name in fields if all(name in each for each in answers))
    fields["settings"] = {"type": "object", "description": "Every option of the question, by name."}
    shape = {"type": "object", "properties": fields, "required": always}
    return {"$schema": DIALECT, "title": f"What quorate {TYPED.get(verb, verb)} --json prints", **shape}


def _merged(values: Sequence[Any]) -> dict[str, Any]:
    """Return the schema that all values meet: any of the kinds seen, objects and lists by their content."""
    kinds = {KINDS[type(each)] for each in values if not isinstance(each, dict | list)}
    if "number" in kinds:
        kinds.discard("integer")
    objects = [each for each in values if isinstance(each, dict)]
    lists = [each for each in values if isinstance(each, list)]
    shape: dict[str, Any] = {}
    if objects:
        kinds.add("object")
        shape |= _object(objects)
    if lists:
        kinds.add("array")
        inside = [item for each in lists for item in each]
        shape |= {"items": _merged(inside)} if inside else {}
    listed = sorted(kinds)
    return {"type": listed[0] if len(listed) == 1 else listed, **shape}


def _object(objects: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    names = _keys(objects)
    if len(names) > NAMED or not all(name.isidentifier() for name in names):
        return {"additionalProperties": _merged([value for each in objects for value in each.values()])}
    return {"properties": {name: _merged([each[name] for each in objects if name in each]) for name in names}}


def _keys(objects: Iterable[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(name for each in objects for name in each))


def main() -> None:
    """Write the schemas."""
    SCHEMAS.mkdir(exist_ok=True)
    for verb, schema in schemas().items():
        (SCHEMAS / f"{verb}.json").write_text(json.dumps(schema, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
