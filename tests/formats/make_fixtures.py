"""How the logs in `data/` were made, by the tools themselves; not run by the tests, which need none of them.

    pip install inspect-ai label-studio-sdk argilla backports.zstd && npm install promptfoo
    pip install deepeval mlflow langsmith langfuse pandas lm-eval crfm-helm evals braintrust lighteval
    python tests/formats/make_fixtures.py [TOOL …]

Made with inspect-ai 0.3.285, label-studio-sdk 2.1.2, argilla 2.8.0, promptfoo 0.123.1 (with Node.js 22),
deepeval 4.3.1, mlflow 3.18.0, langsmith 0.14.17, langfuse 5.0.4, lm-eval 0.4.13, crfm-helm 0.5.16,
evals 3.0.1.post1, braintrust 0.48.1 and lighteval 0.13.0 (its records, which need no more of torch than a name).
What names the machine is left out: of an Inspect log the whole samples, which hold tracebacks; of
promptfoo's JSON all but the results.
Tools that write through a server are in `make_served_fixtures.py`.
"""

import asyncio
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

SCRIPT = 'case "$1" in "4 +"*) exit 1;; "2 +"*) echo "2 + 2 = 5";; *) echo "$1";; esac'
DATA = Path(__file__).parent / "data"
NOW = datetime(2026, 11, 1, tzinfo=UTC)
CONFIG: dict[str, Any] = {
    "description": "sums",
    "prompts": [{"raw": "{{a}} + {{b}} = {{said}}", "label": "plain"}],
    "providers": [{"id": "echo", "label": "new"}, {"id": "exec:sh old.sh", "label": "old"}],
    "tests": [
        {
            "description": f"sum {a}",
            "vars": {"a": str(a), "b": str(a), "said": str(2 * a if a % 3 else 7)},
            "assert": [
                {"type": "contains", "value": f"= {2 * a}", "metric": "right"},
                {"type": "contains", "value": "+"},
            ],
        }
        for a in range(1, 5)
    ],
}


def make_inspect(folder: Path) -> None:
    """Two models, six samples, two epochs; a sample that fails, a score that is NaN, a grader that says P."""
    from inspect_ai import Task, eval
    from inspect_ai.analysis import EvalModel, SampleSummary, samples_df
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput
    from inspect_ai.scorer import Score, match, mean, scorer
    from inspect_ai.solver import solver

    @scorer(metrics=[mean()])
    def judge() -> Any:
        async def score(state: Any, target: Any) -> Any:
            if state.sample_id == 3 and state.epoch == 1:
                return Score(value=float("nan"))
            return Score(
                value={"tone": len(state.output.completion) / 4, "grade": "P" if state.sample_id == 2 else "C"}
            )

        return score

    def answering(right: int, failing: int | None) -> Any:
        @solver(name="answering")
        def make() -> Any:
            async def solve(state: Any, generate: Any) -> Any:
                if (state.sample_id, state.epoch) == (failing, 2):
                    raise ValueError("no answer")
                said = str(state.target.text) if (2 * state.sample_id + state.epoch) % 5 < right else "no"
                state.output = ModelOutput.from_content(str(state.model), said)
                return state

            return solve

        return make()

    samples = [
        Sample(id=i + 1, input=f"{i} + {i} =", target=str(2 * i), metadata={"topic": ("even", "odd")[i % 2]})
        for i in range(6)
    ]
    for model, right, failing in (("new", 4, None), ("old", 2, 5)):
        task = Task(dataset=samples, solver=answering(right, failing), scorer=[match(), judge()], name="sums")
        [log] = eval(task, model=f"mockllm/{model}", epochs=2, log_dir=str(folder), fail_on_error=False, display="none")
        without_samples(Path(log.location.removeprefix("file://")), DATA / f"{model}.eval")
    subprocess.run(["inspect", "log", "convert", "--to", "json", "--output-dir", folder / "json", folder], check=True)
    columns = EvalModel + SampleSummary
    table = samples_df([str(DATA / f"{model}.eval") for model in ("new", "old")], columns=columns, quiet=True)
    table.drop(columns="log").to_csv(DATA / "inspect-samples.csv", index=False)
    for path in (folder / "json").rglob("*.json"):
        content = json.loads(path.read_text())
        for sample in content["samples"]:
            for key in [key for key in sample if key not in ("id", "epoch", "input", "target", "metadata", "scores")]:
                del sample[key]
        (DATA / f"{content['eval']['model'].split('/')[1]}.json").write_text(json.dumps(content) + "\n")


def without_samples(source: Path, target: Path) -> None:
    """Copy an archive byte by byte without its whole samples; Python's zip module cannot write zstd."""
    packed, directory, names = b"", b"", 0
    data = source.read_bytes()
    with zipfile.ZipFile(source) as archive:
        for info in archive.infolist():
            if info.filename.startswith("samples/"):
                continue
            start = info.header_offset
            name_size, extra_size = struct.unpack("<HH", data[start + 26 : start + 30])
            body = data[start + 30 + name_size + extra_size :][: info.compress_size]
            name = info.filename.encode()
            sizes = (info.CRC, len(body), info.file_size, len(name), 0)
            common = struct.pack("<HHHHHIIIHH", 20, 0, info.compress_type, 0, 33, *sizes)
            place = struct.pack("<HHHII", 0, 0, 0, 0, len(packed))
            directory += b"PK\x01\x02" + struct.pack("<H", 20) + common + place + name
            packed += b"PK\x03\x04" + common + name + body
            names += 1
    end = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, names, names, len(directory), len(packed), 0)
    target.write_bytes(packed + directory + end)


def make_promptfoo(folder: Path) -> None:
    """Two providers, four tests, each twice; one provider fails with an error on one of them."""
    (folder / "config.json").write_text(json.dumps(CONFIG))
    (folder / "old.sh").write_text(SCRIPT)
    quiet = {"PROMPTFOO_DISABLE_TELEMETRY": "1", "PROMPTFOO_DISABLE_UPDATE": "1", "PROMPTFOO_CONFIG_DIR": str(folder)}
    command = ["npx", "promptfoo", "eval", "-c", "config.json", "--repeat", "2", "--no-cache", "-o"]
    for name in ("promptfoo.json", "promptfoo.jsonl", "promptfoo.csv"):
        subprocess.run([*command, name], cwd=folder, env={**os.environ, **quiet}, check=False)
    content = json.loads((folder / "promptfoo.json").read_text())
    for key in ("metadata", "config", "shareableUrl"):
        content.pop(key, None)
    (DATA / "promptfoo.json").write_text(json.dumps(content) + "\n")
    shutil.copy(folder / "promptfoo.jsonl", DATA / "promptfoo.jsonl")
    shutil.copy(folder / "promptfoo.csv", DATA / "promptfoo.csv")


def make_lm_eval(folder: Path) -> None:
    """Samples of two models with two filters, and the results beside them; their dates are made the same."""
    from lm_eval.loggers.evaluation_tracker import EvaluationTracker

    for model, wrong in (("new", 3), ("old", 2)):
        tracker = EvaluationTracker(output_path=str(folder))
        tracker.general_config_tracker.log_experiment_args("hf", f"pretrained=org/{model}", None, None, False)
        samples = [
            {
                "doc_id": doc,
                "doc": {"question": f"{doc} + {doc} ="},
                "target": str(2 * doc),
                "arguments": [],
                "resps": [["…"]],
                "filtered_resps": ["…"],
                "filter": kind,
                "metrics": ["exact_match"],
                "doc_hash": f"{doc:064x}",
                "prompt_hash": f"{doc:064x}",
                "target_hash": f"{doc:064x}",
                "exact_match": float(doc % wrong > 0 or (kind == "flexible-extract" and doc % 4 > 0)),
            }
            for doc in range(24)
            for kind in ("strict-match", "flexible-extract")
        ]
        results = {"results": {}, "higher_is_better": {"sums": {"exact_match": True}}}
        tracker.save_results_aggregated(results, {"sums": samples})
        tracker.save_results_samples("sums", samples)
    for path in folder.rglob("*_*.json*"):
        target = (
            DATA / "lm-eval" / path.parent.name / f"{path.name.rpartition('_')[0]}_2026-11-01T10-00-00{path.suffix}"
        )
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)


def make_helm(_: Path) -> None:
    """Statistics of three instances in two trials, each with an altered copy that is always wrong."""
    from helm.benchmark.augmentations.perturbation_description import PerturbationDescription
    from helm.benchmark.metrics.metric import PerInstanceStats
    from helm.benchmark.metrics.metric_name import MetricName
    from helm.benchmark.metrics.statistic import Stat
    from helm.common.general import asdict_without_nones

    typos = PerturbationDescription(name="typos", robustness=True)
    made = [
        PerInstanceStats(
            instance_id=f"id{k}",
            perturbation=altered,
            train_trial_index=trial,
            stats=[
                Stat(MetricName("exact_match", split="test", perturbation=altered)).add(
                    0 if altered else (k + trial) % 2
                ),
                Stat(MetricName("tokens", split="test", perturbation=altered)).add(k).add(k + 1),
            ],
        )
        for k in range(3)
        for trial in range(2)
        for altered in (None, typos)
    ]
    (DATA / "helm.json").write_text(json.dumps([asdict_without_nones(each) for each in made]) + "\n")


def make_lighteval(_: Path) -> None:
    """Details of five questions, one of them asked twice: its own records, written as its tracker writes them."""
    from dataclasses import asdict

    from datasets import Dataset
    from lighteval.models.model_output import ModelResponse
    from lighteval.tasks.requests import Doc

    details = [
        {
            "doc": asdict(Doc(f"{k} + 1 =", ["a", "b"], k % 2, task_name="sums|0", id=str(row))),
            "model_response": asdict(ModelResponse(text=["a"], input=f"{k} + 1 =")),
            "metric": {"em": float(k % 3 > 0), "f1": k / 4, "long": k > 1},
        }
        for row, k in enumerate((0, 1, 2, 3, 4, 1))
    ]
    Dataset.from_list(details).to_parquet(DATA / "lighteval.parquet")


def make_openai_evals(folder: Path) -> None:
    """A log of four samples, with a match and a metric each."""
    from evals.base import RunSpec
    from evals.record import LocalRecorder

    common = {"base_eval": "qa", "split": "dev", "run_config": {}, "created_by": "us"}
    spec = RunSpec(completion_fns=["new"], eval_name="qa.dev.v0", run_id="r", created_at="2026-11-01", **common)
    recorder = LocalRecorder(str(folder / "log.jsonl"), spec)
    for k in range(4):
        with recorder.as_default_recorder(f"qa.dev.{k}"):
            recorder.record_match(k > 1, expected="4", picked="5")
            recorder.record_metrics(bleu=k / 4)
    recorder.record_final_report({"accuracy": 0.5})
    recorder.flush_events()
    shutil.copy(folder / "log.jsonl", DATA / "openai-evals.jsonl")


def make_label_studio(folder: Path) -> None:
    """The converter's JSON_MIN and CSV of tasks with a choice and a rating, and of comparisons with two choices."""
    from label_studio_sdk.converter import Converter

    controls = '<Choices name="quality" toName="text"><Choice value="good"/><Choice value="bad"/></Choices>'
    rated = [label_task(i) for i in range(1, 4)]
    pairs = [compare_task(i) for i in range(1, 4)]
    for stem, tasks, control in (
        ("label-studio", rated, '<Rating name="stars" toName="text"/>'),
        ("label-studio-pairs", pairs, '<Pairwise name="pick" toName="a,b"/>'),
    ):
        (folder / f"{stem}.json").write_text(json.dumps(tasks))
        config = f'<View><Text name="text" value="$text"/>{controls}{control}</View>'
        converter = Converter(config, project_dir=None, download_resources=False)
        (DATA / f"{stem}.json").write_text(json.dumps(tasks) + "\n")
        for kind in ("JSON_MIN", "CSV"):
            out = folder / f"{stem}-{kind}"
            converter.convert(folder / f"{stem}.json", out, kind, is_dir=False)
            [made] = [path for path in (out.iterdir() if out.is_dir() else [out]) if path.is_file()]
            shutil.copy(made, DATA / (f"{stem}.csv" if kind == "CSV" else f"{stem}-min.json"))


def compare_task(i: int) -> dict[str, Any]:
    """The first rater always prefers the new system, which stands left on odd tasks; its data are called like one."""

    def annotation(rater: int, side: str, choices: list[str]) -> dict[str, Any]:
        values = [("pick", "pairwise", {"selected": side}), ("quality", "choices", {"choices": choices})]
        result = [
            {"id": f"r{i}{rater}{kind}", "from_name": name, "to_name": "text", "type": kind, "value": value}
            for name, kind, value in values
        ]
        common = {"created_at": "2026-11-01T10:00:00Z", "updated_at": "2026-11-01T10:00:00Z", "lead_time": 4.2}
        return {"id": 10 * i + rater, "completed_by": rater, "result": result, "was_cancelled": False, **common}

    systems = ("new", "old") if i % 2 else ("old", "new")
    data = {"text": f"reply {i}", "quality": "unknown", "model_a": systems[0], "model_b": systems[1]}
    given = [annotation(1, "left" if i % 2 else "right", ["good", "bad"]), annotation(2, "left", ["good"])]
    return {"id": i, "data": data, "annotations": given, "predictions": [], "project": 1}


def label_task(i: int) -> dict[str, Any]:
    def annotation(rater: int, choice: str, stars: int, **more: Any) -> dict[str, Any]:
        values = [("quality", "choices", {"choices": [choice]}), ("stars", "rating", {"rating": stars})]
        result = [
            {"id": f"r{i}{rater}{kind}", "from_name": name, "to_name": "text", "type": kind, "value": value}
            for name, kind, value in values
        ]
        common = {"created_at": "2026-11-01T10:00:00Z", "updated_at": "2026-11-01T10:00:00Z", "lead_time": 4.2}
        return {"id": 10 * i + rater, "completed_by": rater, "result": result, "was_cancelled": False, **common, **more}

    given = [annotation(1, "good", 5 - i % 2), annotation(2, "bad" if i == 2 else "good", 3 + i % 2)]
    given += [annotation(3, "bad", 1, was_cancelled=True)] if i == 1 else []
    return {"id": i, "data": {"text": f"reply {i}"}, "annotations": given, "predictions": [], "project": 1}


def make_deepeval(folder: Path) -> None:
    """A test run of five cases, two of them asking the same; one metric failed once, and once had no score."""
    from deepeval.evaluate.local_store import write_test_run
    from deepeval.test_run.api import LLMApiTestCase
    from deepeval.test_run.test_run import TestRun
    from deepeval.tracing.api import MetricData

    run = TestRun(identifier="new", hyperparameters={"model": "m"})
    for k in range(5):
        case = LLMApiTestCase(name=f"test_case_{k}", input=f"{k % 4} + 1 =", actualOutput="1", order=k)
        common = {"threshold": 0.5, "strictMode": False, "evaluationModel": "judge"}
        case.update_metric_data(MetricData(name="Right [GEval]", score=k / 4, success=k > 1, reason="so", **common))
        failed = {"error": "timeout"} if k == 1 else {"score": None if k == 2 else 0.5}
        case.update_metric_data(MetricData(name="Tone", success=False, **failed, **common))
        run.add_test_case(case)
    shutil.copy(write_test_run(folder, run), DATA / "deepeval.json")


def make_mlflow(_: Path) -> None:
    """Traces of two runs, three questions each: two people, one of whom edits a value, a judge, and gold."""
    from mlflow.entities import (
        AssessmentSource,
        Expectation,
        Feedback,
        Trace,
        TraceData,
        TraceInfo,
        TraceLocation,
        TraceState,
    )
    from mlflow.tracing.utils.search import traces_to_df

    def said(value: Any, who: str, kind: str = "HUMAN", **more: Any) -> Any:
        times = {"create_time_ms": 0, "last_update_time_ms": 0}
        return Feedback(name="correct", value=value, source=AssessmentSource(kind, who), **times, **more)

    traces = []
    for run in ("run1", "run2"):
        for k in range(3):
            gold = Expectation(name="gold", value="yes", source=AssessmentSource("HUMAN", "ann"), create_time_ms=0)
            given = [said(k > 0, "ann"), said(k > 1 or run == "run1", "ben"), said(k / 2, "judge", "LLM_JUDGE"), gold]
            if k == 0:
                given[0].valid = False
                given.append(said(True, "ann", overrides="a-0"))
            info = TraceInfo(
                trace_id=f"tr-{run}-{k}",
                trace_location=TraceLocation.from_experiment_id("1"),
                request_time=0,
                state=TraceState.OK,
                request_preview=f"{k} + 1 =",
                trace_metadata={"mlflow.sourceRun": run},
                assessments=given,
            )
            traces.append(Trace(info, TraceData([])))
    frame = traces_to_df(traces)
    frame["request"] = [trace.info.request_preview for trace in traces]  # of the spans, which are left out
    frame.to_csv(DATA / "mlflow.csv", index=False)
    (DATA / "mlflow.json").write_text(json.dumps([trace.to_dict() for trace in traces]) + "\n")


def make_langsmith(_: Path) -> None:
    """An experiment of three examples, each twice, of which one failed; and comparisons of two experiments."""
    import pandas as pd
    from langsmith import schemas
    from langsmith.evaluation import _runner
    from langsmith.evaluation.evaluator import EvaluationResult

    rows = []
    for place in range(6):
        k, failed = place % 3, place == 5
        example = schemas.Example(
            id=UUID(int=k + 1), dataset_id=UUID(int=9), inputs={"q": f"{k} + 1 ="}, created_at=NOW
        )
        run = schemas.Run(
            id=UUID(int=100 + place),
            trace_id=UUID(int=100 + place),
            name="t",
            run_type="chain",
            start_time=NOW,
            end_time=NOW,
            inputs={},
            outputs={"a": "1"},
            dotted_order="x",
            error="late" if failed else None,
            reference_example_id=example.id,
        )
        results = [EvaluationResult(key="right", score=bool(k % 2)), EvaluationResult(key="tone", value="warm")]
        rows.append({"run": run, "example": example, "evaluation_results": {"results": [] if failed else results}})
    pd.DataFrame(_runner._flatten_experiment_results(rows)).to_csv(DATA / "langsmith.csv", index=False)
    votes = [(1, 8, 1.0), (1, 9, 0.0), (2, 8, 0.0), (2, 9, 1.0), (3, 9, 0.5), (3, 8, 0.5)]
    given = [
        schemas.Feedback(
            id=UUID(int=500 + n),
            created_at=NOW,
            modified_at=NOW,
            key="preferred",
            score=score,
            run_id=UUID(int=n + 1),
            trace_id=UUID(int=n + 1),
            session_id=UUID(int=experiment),
            feedback_group_id=UUID(int=group),
            feedback_source=schemas.FeedbackSourceBase(type="app", user_id=UUID(int=70 + group % 2)),
        )
        for n, (group, experiment, score) in enumerate(votes)
    ]
    made = [json.loads(each.model_dump_json()) for each in given]
    (DATA / "langsmith-votes.json").write_text(json.dumps(made) + "\n")


def make_langfuse(_: Path) -> None:
    """Scores of both versions of the API, by two people and a judge."""
    import langfuse.api as api

    when = {"timestamp": NOW, "created_at": NOW, "updated_at": NOW, "environment": "default"}
    old = [
        api.Score_Categorical(
            id=f"{who}{k}",
            name="tone",
            source=source,
            author_user_id=who,
            trace_id=f"t{k}",
            **{"value": k, "string_value": ("cold", "warm")[k % 2], **when},
        )
        for k in range(3)
        for who, source in (("ann", "ANNOTATION"), ("ben", "ANNOTATION"), (None, "EVAL"))
    ]
    new = [
        api.ScoreV3_Numeric(
            id=f"{who}{k}",
            name="stars",
            source="ANNOTATION",
            author_user_id=who,
            project_id="p",
            **{"value": 2.5 + k, "subject": {"kind": "trace", "id": f"t{k}"}, **when},
        )
        for k in range(3)
        for who in ("ann", "ben")
    ]
    for name, scores in (("langfuse", old), ("langfuse-v3", new)):
        (DATA / f"{name}.json").write_text(json.dumps({"data": [json.loads(each.json()) for each in scores]}) + "\n")


def make_braintrust(_: Path) -> None:
    """Two experiments of three cases, each twice; an answer and a scorer fail, which is scored 0. Kept, not sent."""
    from braintrust import Evaluator, init, logger
    from braintrust.framework import default_error_score_handler, run_evaluator
    from braintrust.logger import ObjectMetadata, ProjectExperimentMetadata
    from braintrust.util import LazyValue

    logger._state.org_name = "us"
    events = []
    for experiment, failing in (("new", 5), ("old", 0)):
        asked: list[str] = []

        def answer(question: str, asked: list[str] = asked, failing: int = failing) -> str:
            asked.append(question)
            if len(asked) == failing:
                raise ValueError("late")
            return question[0]

        def right(input: str, output: str, expected: str) -> float:
            return float(output == expected)

        def length(input: str, output: str, expected: str, asked: list[str] = asked, failing: int = failing) -> float:
            if failing and len(asked) == 2:
                raise ValueError("late")
            return len(output) / 4

        with logger._internal_with_memory_background_logger() as sent:
            kept = LazyValue(lambda sent=sent: sent, use_mutex=False)
            logger._state._global_bg_logger = kept
            made = init(project="sums", experiment=experiment, set_current=False)
            names = [ObjectMetadata(id=name, name=name, full_info={}) for name in ("sums", experiment)]
            known = ProjectExperimentMetadata(*names)
            made._lazy_metadata = LazyValue(lambda known=known: known, use_mutex=False)
            evaluator = Evaluator(
                project_name="sums",
                eval_name=experiment,
                data=[{"input": f"{k} + 1 =", "expected": "01"[k % 2]} for k in range(3)],
                task=answer,
                scores=[right, length],
                experiment_name=experiment,
                metadata=None,
                trial_count=2,
                max_concurrency=1,
                summarize_scores=False,
                error_score_handler=default_error_score_handler,
            )
            asyncio.run(run_evaluator(made, evaluator, 0, []))
            events += sent.pop()
    for event in events:
        event["error"] = event.get("error") and "ValueError: late"  # else with the machine's paths
        if "scorer_errors" in (event.get("metadata") or {}):
            event["metadata"]["scorer_errors"] = dict.fromkeys(event["metadata"]["scorer_errors"], "ValueError: late")
        event.pop("context", None)
        event.pop("metrics", None)
    (DATA / "braintrust.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events))


def make_argilla(folder: Path) -> None:
    """Two records with two raters, nested and flat; one answer is discarded, which only the flat form says."""
    import argilla as rg
    from argilla.records._io._generic import GenericIO

    records = [
        rg.Record(
            id=f"q{i}",
            fields={"text": f"reply {i}"},
            metadata={"topic": "even" if i % 2 == 0 else "odd"},
            responses=[
                rg.Response("stars", 3 + i % 3, user_id=UUID(int=1), status="submitted"),
                rg.Response("stars", 1, user_id=UUID(int=2), status="discarded"),
            ],
        )
        for i in range(3)
    ]
    for name, flat in (("argilla", False), ("argilla-flat", True)):
        (DATA / f"{name}.json").write_text(json.dumps(GenericIO.to_list(records, flatten=flat), default=str) + "\n")


if __name__ == "__main__":
    DATA.mkdir(exist_ok=True)
    tools: list[Callable[[Path], None]] = [make_lm_eval, make_helm, make_openai_evals, make_langfuse, make_braintrust]
    tools += [make_inspect, make_promptfoo, make_label_studio, make_argilla, make_deepeval, make_mlflow, make_langsmith]
    tools += [make_lighteval]
    for make in tools:
        if sys.argv[1:] and make.__name__.removeprefix("make_") not in sys.argv[1:]:
            continue
        with tempfile.TemporaryDirectory() as place:
            make(Path(place))
