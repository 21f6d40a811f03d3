"""Hostile logs: what other tools write, small, and what may befall the values and the bytes of it."""

import io
import json
import warnings
import zipfile
from pathlib import Path
from typing import Any

from quorate.data.archives import open_archive
from tests.hostile.tables import Random, mangled, odd_value

LOGS = Path(__file__).parents[1] / "formats" / "data"
SMALL: dict[str, Any] = {
    "precomputed": [{"id": k, "epoch": 1, "value": "C", "answer": "x"} for k in (1, 2)],
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
    "lm-eval": [{"doc_id": k, "doc": {"q": "x"}, "target": "a", "arguments": [], "resps": [["a"]], "filtered_resps": ["a"], "filter": "none", "metrics": ["acc"], "acc": 1.0, "doc_hash": "h", "prompt_hash": "p", "target_hash": "t"} for k in range(3)],
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
    """Return a log of every kind."""
    return SMALL | {name: json.loads((LOGS / name).read_text()) for name in FILES}


def mutate_at(content: Any, rng: Random) -> None:
    """Replace, delete or add a value somewhere in nested data."""
    while True:
        keys = list(content) if isinstance(content, dict) else list(range(len(content)))
        if not keys:
            return
        key = rng.choice(keys)
        if isinstance(content[key], dict | list) and rng.random() < 0.6:
            content = content[key]
            continue
        action = rng.random()
        if action < 0.7:
            content[key] = odd_value(rng)
        elif action < 0.85 or isinstance(content, list):
            del content[key]
        else:
            content[rng.choice(["x", "kind", "levels", "raters", "alpha", "score", "name", "id"])] = odd_value(rng)
        return


def mutated_log(rng: Random) -> Any:
    """Return a log of any kind, longer than it was, with a few values that no tool writes."""
    content = json.loads(json.dumps(rng.choice(list(contents().values()))))
    if isinstance(content, list) and content and rng.random() < 0.5:
        content += [_other(rng.choice(content), number) for number in range(rng.choice([1, 3, 12]))]
    for _ in range(rng.choice([0, 0, 0, 1, 1, 2, 5])):
        mutate_at(content, rng)
    return content


def _other(entry: Any, number: int) -> Any:
    """Return a copy of an entry whose plain texts and numbers are about something else."""
    if not isinstance(entry, dict):
        return entry
    return {key: _turned(key, value, number) for key, value in entry.items()}


def _turned(key: str, value: Any, number: int) -> Any:
    if isinstance(value, str) and key.endswith("id"):
        return f"{value}{number}"
    return value + number if type(value) in (int, float) else value


def as_log(rng: Random) -> tuple[str, bytes]:
    """Return the suffix and the bytes of a log: JSON, lines, an archive, or a table of another tool."""
    form = rng.random()
    if form < 0.12:
        path = LOGS / rng.choice(["new.eval", "old.eval"])
        return ".eval", _repacked(path.read_bytes(), rng)
    if form < 0.2:
        path = LOGS / rng.choice(["label-studio.csv", "promptfoo.csv", "promptfoo.jsonl"])
        data = path.read_bytes()
        return path.suffix, mangled(data, rng) if rng.random() < 0.5 else _cut(data, rng)
    content = mutated_log(rng)
    plain = rng.random() < 0.8
    if isinstance(content, list) and rng.random() < 0.6:
        lines = [json.dumps(each, ensure_ascii=plain) for each in content]
        return ".jsonl", mangled("\n".join(lines).encode(errors="surrogatepass"), rng)
    return rng.choice([".json", ".json", ".txt", ""]), mangled(
        json.dumps(content, ensure_ascii=plain).encode(errors="surrogatepass"), rng
    )


def _cut(data: bytes, rng: Random) -> bytes:
    lines = data.splitlines(keepends=True)
    rng.shuffle(lines[1:])
    return b"".join(lines[: rng.randint(1, len(lines))])


def _repacked(data: bytes, rng: Random) -> bytes:
    """Write an archive again, with members gone, twice, renamed, odd or claimed to be larger."""
    if rng.random() < 0.3:
        return mangled(data, rng) if rng.random() < 0.5 else data[: rng.randrange(len(data))] + rng.randbytes(9)
    out, method = (
        io.BytesIO(),
        rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2]),
    )
    with open_archive("log", io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", method) as new:
        for known in old.names:
            member = old.read(known)
            if rng.random() < 0.1:
                continue
            if rng.random() < 0.4:
                member = _odd_member(member, rng)
            name = rng.choice([known] * 12 + ["../../x", "/etc/x", "samples/\u202e.json", "header.json", "a\\b"])
            with warnings.catch_warnings(action="ignore"):  # two members of one name are meant
                new.writestr(zipfile.ZipInfo(name), member, method)  # which has no time of the day
    return out.getvalue()


def _odd_member(member: bytes, rng: Random) -> bytes:
    content = json.loads(member)
    if isinstance(content, dict | list):
        for _ in range(rng.choice([1, 2, 4])):
            mutate_at(content, rng)
    return mangled(json.dumps(content).encode(), rng)
