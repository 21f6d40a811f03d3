"""Logs in which something is odd: a reader returns a table, or refuses in a sentence; nothing else comes out of it."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from quorate._errors import InputError
from quorate.data.formats.registry import JSON_FORMATS, read_json_log
from quorate.data.json_table import parse_json
from quorate.data.reading import LogChoice
from tests.hostile.cases import mutate_at

LOGS = Path(__file__).parents[1] / "formats" / "data"
SMALL: dict[str, Any] = {
    "prodigy": [{"_input_hash": 1, "_task_hash": 2, "answer": "accept", "_annotator_id": "s-a", "accept": ["A"], "options": []}],
    "helm": [{"instance_id": "i", "train_trial_index": 0, "stats": [{"name": {"name": "em"}, "mean": 1.0}]}],
    "mlflow": [{"trace_id": "t", "request": "q", "assessments": [{"assessment_name": "n", "source": {"source_id": "s"}, "feedback": {"value": True}, "metadata": {}}]}],
    "feedback": [{"run_id": "r", "key": "k", "score": 1, "feedback_source": {"type": "app", "user_id": "u"}}],
    "langfuse": {"data": [{"name": "n", "dataType": "NUMERIC", "source": "API", "traceId": "t", "value": 1}]},
    "phoenix": [{"example_id": "e", "repetition_number": 1, "annotations": [{"name": "n", "score": 1.0}], "error": None}],
    "weave": {"rows": [{"row_digest": "d", "raw_data_row": {}, "evaluations": [{"evaluation_call_id": "c", "trials": [{"scores": {"s": {"m": True}}}]}]}]},
    "calls": [{"op_name": "Evaluation.predict_and_score", "inputs": {"example": {"q": 1}, "model": "m"}, "output": {"scores": {"s": True}}}],
    "annotations": [{"feedback_type": "wandb.annotation.n", "payload": {"value": 1}, "creator": "c", "weave_ref": "r"}],
    "classic": {"columns": ["inputs", "n/score"], "data": [["q", 1], ["p", 2]]},
    "votes": [{"run_id": r, "key": "k", "score": s, "session_id": r, "feedback_group_id": "g", "feedback_source": {"user_id": "u"}} for r, s in (("a", 1), ("b", 0))],
    "ranked": [{"id": "q", "fields": {}, "suggestions": {}, "responses": {"n": [{"value": [{"value": "a", "rank": 1}, {"value": "b", "rank": 2}], "user_id": "u"}]}}],
    "ranker": [{"id": 1, "data": {}, "annotations": [{"completed_by": 1, "result": [{"from_name": "n", "value": {"ranker": {"rank": ["a", "b"]}}}]}]}],
    "compared": [{"_input_hash": k, "_task_hash": k, "answer": "accept", "accept": ["A"], "options": [{"id": "A", "text": k}, {"id": "B"}]} for k in (1, 2)],
    "deepeval": {"testCases": [{"input": "q", "metricsData": [{"name": "n", "score": 0.5}]}], "identifier": "x"},
    "openai": [{"spec": {"completion_fns": ["m"], "eval_name": "e"}}, {"sample_id": "s", "type": "match", "data": {"correct": True}}],
    "items": {"data": [{"datasource_item_id": 1, "sample": {"model": "m"}, "results": [{"name": "n", "score": 1}]}]},
    "every": [{"schema_version": "0", "model_id": "m", "sample_id": "1", "evaluation": {"score": 1}, "evaluation_name": "e"}],
    "braintrust": [{"experiment_id": "e", "root_span_id": "s", "span_id": "s", "scores": {"n": 1}, "input": "q"}],
    "arena": [{"question_id": 1, "model_a": "x", "model_b": "y", "winner": "tie", "turn": 1, "judge": ["j", "k"]}],
    "alt": {"a": {"1": "x", "2": "y"}, "b": {"1": "x", "2": "x"}},
}  # fmt: skip
FILES = (
    "new.json",
    "promptfoo.json",
    "label-studio.json",
    "label-studio-min.json",
    "argilla.json",
    "argilla-flat.json",
)


def contents() -> dict[str, Any]:
    return SMALL | {name: json.loads((LOGS / name).read_text()) for name in FILES}


def tried(content: Any) -> str:
    """Say what came of a log: read, refused, or unknown."""
    try:
        log = read_json_log("log.json", parse_json("log.json", json.dumps(content).encode()), LogChoice())
    except InputError as error:
        return "refused" if str(error)[-1] in ".?)" else f"no sentence: {error}"
    return "unknown" if log is None else "read"


@pytest.mark.parametrize("name", [*SMALL, *FILES])
def test_what_is_odd_is_read_or_refused(name: str) -> None:
    whole = contents()[name]
    outcomes = set()
    for number in range(60):
        rng = random.Random(f"{name}/{number}")
        content = json.loads(json.dumps(whole))
        for _ in range(rng.choice([1, 1, 2, 5])):
            mutate_at(content, rng)
        outcomes.add(tried(content))
    assert outcomes <= {"read", "refused", "unknown"}
    assert outcomes != {"unknown"}  # else nothing would have been tried


def test_every_format_is_tried() -> None:
    known = [sum(each.recognises(parsed(content)) for content in contents().values()) for each in JSON_FORMATS]
    lm_eval = 1  # tried by itself, with its own lines
    assert sum(times == 0 for times in known) <= lm_eval


def parsed(content: Any) -> Any:
    return parse_json("log.json", json.dumps(content).encode())
