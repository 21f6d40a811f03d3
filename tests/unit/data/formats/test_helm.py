"""HELM's statistics by instance, by the layout its code writes."""

import json
from pathlib import Path
from typing import Any

from quorate.comparing.verb import compare
from tests.formats.reading import read, read_file, reasons


def instance(item: str, mean: float, **more: Any) -> dict[str, Any]:
    stats = [{"name": {"name": "exact_match", "split": "test"}, "count": 1, "sum": mean, "mean": mean}]
    return {"instance_id": item, "train_trial_index": 0, "stats": stats, **more}


def test_altered_copies_are_no_items_of_their_own() -> None:
    altered = instance("id1", 0.0, perturbation={"name": "typos"})
    log = read([instance("id1", 1.0), altered, instance("id2", 0.0)])
    assert log.frame.rows() == [("id1", "0", "1"), ("id2", "0", "0")]
    assert reasons(log) == {"an altered copy of the instance (perturbation)": 1}


def test_predictions_that_are_shown_hold_the_scores_too() -> None:
    shown = {
        "instance_id": "id1",
        "train_trial_index": 0,
        "predicted_text": "4",
        "stats": {"exact_match": 1.0, "f1": 0.5},
    }
    assert read([shown], "f1").frame["response"].to_list() == ["0.5"]


def test_the_model_is_in_the_specification_beside(tmp_path: Path) -> None:
    for run, model, score in (("a", "org/new", 1.0), ("b", "org/old", 0.0)):
        folder = tmp_path / run
        folder.mkdir()
        (folder / "run_spec.json").write_text(json.dumps({"name": run, "adapter_spec": {"model": model}}))
        stats = [instance(f"id{i}", score if i else 1.0) for i in range(3)]
        (folder / "per_instance_stats.json").write_text(json.dumps(stats))
    [pair] = compare(tmp_path).pairs
    assert (pair.a, pair.b, round(pair.difference, 9)) == ("org/new", "org/old", round(2 / 3, 9))


def test_a_trial_is_one_run_of_all_instances_and_a_run_is_read_once(tmp_path: Path) -> None:
    for model, lift in (("new", 0.5), ("old", 0.0)):
        folder = tmp_path / model
        folder.mkdir()
        made = [instance(f"id{k}", k / 8 + lift, train_trial_index=trial) for k in range(5) for trial in (0, 1)]
        (folder / "per_instance_stats.json").write_text(json.dumps(made))
        shown = [{**each, "stats": {"exact_match": each["stats"][0]["mean"]}} for each in made]
        (folder / "display_predictions.json").write_text(json.dumps(shown))  # the same, which would count twice
        (folder / "run_spec.json").write_text(json.dumps({"name": model, "adapter_spec": {"model": model}}))
    result = compare(tmp_path)
    assert result.pairs[0].difference == 0.5
    assert "only items and runs vary" in result.unit_reason


def test_what_helm_wrote_is_read_without_altered_copies(logs: Path) -> None:
    log = read_file(logs / "helm.json", "exact_match")
    wanted = [(f"id{k}", str(trial), str((k + trial) % 2)) for k in range(3) for trial in range(2)]
    assert log.frame.rows() == wanted  # with the altered copies the mean would be half of it
    assert reasons(log)["an altered copy of the instance (perturbation)"] == 12
    several = read_file(logs / "helm.json", "tokens").frame["response"].to_list()
    assert several == ["0.5", "0.5", "1.5", "1.5", "2.5", "2.5"]  # two completions, averaged


def test_scenarios_of_a_model_stay_apart_though_their_instances_are_called_alike(tmp_path: Path) -> None:
    for model, lift in (("new", 0.5), ("old", 0.0)):
        for subject in ("law", "art"):
            folder = tmp_path / f"{subject}-{model}"
            folder.mkdir()
            spec = {"name": f"mmlu:subject={subject},model=org_{model},k=1", "adapter_spec": {"model": f"org/{model}"}}
            (folder / "run_spec.json").write_text(json.dumps(spec))
            made = [instance(f"id{k}", k / 8 + lift * (subject == "law")) for k in range(4)]
            (folder / "per_instance_stats.json").write_text(json.dumps(made))
    result = compare(tmp_path, by="task")
    assert (result.pairs[0].n_items, result.pairs[0].difference) == (8, 0.25)
    assert [(each.group, each.pairs[0].difference) for each in result.groups] == [
        ("mmlu:subject=art,k=1", 0.0),
        ("mmlu:subject=law,k=1", 0.5),
    ]
