"""How the logs of whole runs in `data/` were made, by the command of the tool; not run by the tests, which need none.

    pip install lm-eval datasets
    python tests/formats/make_run_fixtures.py

Made with lm-eval 0.4.13, whose dummy model needs no network: two tasks, one asked three times each and read by two
filters, one with two metrics. What names the machine is left out of the results; the models are called by their seeds.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

DATA = Path(__file__).parent / "data" / "lm-eval-run"
COMMON = "dataset_path: json\ndataset_kwargs: {{data_files: {{test: {questions}}}}}\ntest_split: test\n"
SUMS = """task: sums
output_type: generate_until
doc_to_text: "{{question}}"
doc_to_target: "{{answer}}"
repeats: 3
filter_list:
  - {name: strict, filter: [{function: regex, regex_pattern: "^(lol)$"}, {function: take_first}]}
  - {name: loose, filter: [{function: regex, regex_pattern: "([0-9]+)"}, {function: take_first}]}
metric_list: [{metric: exact_match, aggregation: mean, higher_is_better: true}]
"""
PICKS = """task: picks
output_type: multiple_choice
doc_to_text: "{{question}}"
doc_to_choice: choices
doc_to_target: gold
metric_list: [{metric: acc, higher_is_better: true}, {metric: brier_score, higher_is_better: false}]
"""
KEPT = ("results", "higher_is_better", "lm_eval_version")


def questions() -> str:
    """Eight questions; the dummy always says lol, which is right of every third."""
    rows = [
        {"question": f"{k} + {k} =", "answer": str(2 * k) if k % 3 else "lol", "choices": ["a", "b"], "gold": k % 2}
        for k in range(8)
    ]
    return "\n".join(map(json.dumps, rows))


def run(folder: Path, seed: int) -> None:
    """Run both tasks, and keep samples and what is not about the machine of the results."""
    out = folder / str(seed)
    command = [str(Path(sys.executable).parent / "lm_eval"), "run", "--model", "dummy", "--tasks", "sums,picks"]
    options = ["--include_path", str(folder), "--output_path", str(out), "--log_samples", "--seed", str(seed)]
    quiet = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(folder / "hf")}
    subprocess.run([*command, *options], env={**os.environ, **quiet}, check=True)
    target = DATA / f"dummy-{seed}"
    target.mkdir(parents=True, exist_ok=True)
    for path in out.rglob("*_*.json*"):
        name = f"{path.name.rpartition('_')[0]}_2026-11-01T10-00-00{path.suffix}"
        if path.suffix == ".jsonl":
            (target / name).write_text(path.read_text())
            continue
        content = json.loads(path.read_text())
        kept = {key: content[key] for key in KEPT} | {"model_name": f"dummy-{seed}"}
        (target / name).write_text(json.dumps(kept) + "\n")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "questions.jsonl").write_text(questions())
        for name, task in (("sums", SUMS), ("picks", PICKS)):
            (folder / f"{name}.yaml").write_text(task + COMMON.format(questions=folder / "questions.jsonl"))
        for seed in (1, 7):
            run(folder, seed)
