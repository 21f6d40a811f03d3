"""The steps of action.yml, run here as GitHub would: its inputs and environment, a stub of `gh` that keeps a record."""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
yaml = pytest.importorskip("yaml", reason="PyYAML comes with the documentation tools")
pytestmark = pytest.mark.skipif(not (ROOT / "action.yml").exists(), reason="the action comes with the repository")

GH = r"""#!/usr/bin/env bash
printf '%s\n' "$*" >> "$GH_LOG"
[ "$GH_MODE" != read-only ] || { echo "HTTP 403: Resource not accessible by integration" >&2; exit 1; }
case "$*" in
  *--jq*) [ "$GH_MODE" = known ] && echo 77; exit 0 ;;
  *) for word in "$@"; do case $word in body=@*) cat "${word#body=@}" > "$GH_BODY" ;; esac; done ;;
esac
"""
RATINGS = "item,rater,response\n" + "".join(
    f"q{k},r{k}{r},{'yes' if k % 4 else 'no'}\n" for k in range(40) for r in "ab"
)


def answers(**systems: str) -> str:
    said = {"y": "yes", "n": "no"}
    rows = [f"q{k},{name},{said[text[k % len(text)]]}\n" for name, text in systems.items() for k in range(40)]
    return "item,system,response\n" + "".join(rows)


@dataclass
class Runner:
    """A machine of GitHub's on which the action runs: a folder, an environment, what steps put out."""

    folder: Path
    mode: str = "new"
    outputs: dict[str, str] = field(default_factory=dict)
    log: str = ""

    def run(self, **inputs: str) -> int:
        """Run the steps in their order, but for the one that installs; return the code of the last."""
        action = yaml.safe_load((ROOT / "action.yml").read_text())
        given = {name: str(each.get("default", "")) for name, each in action["inputs"].items()}
        given |= {name.replace("_", "-"): value for name, value in inputs.items()}
        codes = [self._step(step, given) for step in action["runs"]["steps"] if step["name"] != "Install quorate"]
        assert codes[:-1] == [0] * (len(codes) - 1)
        return codes[-1]

    def _step(self, step: dict[str, Any], given: dict[str, str]) -> int:
        if step.get("if") == "inputs.comment == 'true'" and given["comment"] != "true":
            return 0
        put = self.folder / "output.txt"
        put.write_text("")
        env = {name: self._filled(value, given) for name, value in step["env"].items()}
        done = subprocess.run(
            ["bash", "-e", "-c", step["run"]],
            cwd=self.folder,
            env={**self._environment(put), **env},
            check=False,
            capture_output=True,
            text=True,
            timeout=120,
        )
        self.log += done.stdout + done.stderr
        self.outputs |= re.findall(r"^([a-z-]+)=(.*)$", put.read_text(), re.MULTILINE)
        self.outputs |= re.findall(r"^([a-z-]+)<<(?:.*)\n(.*)\n", put.read_text(), re.MULTILINE)
        return done.returncode

    def _filled(self, value: str, given: dict[str, str]) -> str:
        """Put in what GitHub would for ``${{ inputs.x }}`` and ``${{ steps.gate.outputs.x }}``."""
        known = {f"inputs.{name}": each for name, each in given.items()}
        known |= {f"steps.gate.outputs.{name}": each for name, each in self.outputs.items()}
        return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: known.get(found[1], ""), value)

    def _environment(self, put: Path) -> dict[str, str]:
        return {
            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}",
            "HOME": str(self.folder),
            "PYTHONPATH": str(ROOT / "src"),
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_OUTPUT": str(put),
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary.md"),
            "GITHUB_EVENT_PATH": str(self.folder / "event.json"),
            "GITHUB_REPOSITORY": "people/bot",
            "RUNNER_TEMP": str(self.folder / "temp"),
            "GH_LOG": str(self.folder / "gh.log"),
            "GH_BODY": str(self.folder / "body.md"),
            "GH_MODE": self.mode,
        }

    def read(self, name: str) -> str:
        path = self.folder / name
        return path.read_text() if path.exists() else ""


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    for folder in ("bin", "temp/quorate/bin"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "bin" / "gh").write_text(GH)
    (tmp_path / "bin" / "gh").chmod(0o755)
    python = tmp_path / "temp" / "quorate" / "bin" / "python"
    python.write_text(f'#!/usr/bin/env bash\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    (tmp_path / "event.json").write_text(json.dumps({"pull_request": {"number": 5}}))
    (tmp_path / "r.csv").write_text(RATINGS)
    (tmp_path / "a.csv").write_text(answers(new="nyyy", old="yn"))
    (tmp_path / "even.csv").write_text(answers(new="nyyy", old="nyyy" * 9 + "nyyn"))
    return Runner(tmp_path)


def test_a_better_system_passes_with_a_summary_and_a_comment(runner: Runner) -> None:
    assert runner.run(ratings="r.csv", answers="a.csv", systems="new,old", name="nightly $(id)") == 0
    assert (runner.outputs["outcome"], runner.outputs["exit-code"]) == ("passed", "0")
    assert runner.read("summary.md").startswith("✅ **new scores 0.")
    assert runner.read("body.md") == "<!-- quorate gate: nightlyid -->\n" + runner.read("summary.md")
    assert "--method POST repos/people/bot/issues/5/comments" in runner.read("gh.log")
    assert "::notice title=quorate gate passed::new scores 0." in runner.log
    assert Path(runner.outputs["junit"]).exists()


def test_a_worse_system_fails_and_the_comment_of_before_is_brought_up_to_date(runner: Runner) -> None:
    runner.mode = "known"
    assert runner.run(ratings="r.csv", answers="a.csv", systems="old,new") == 1
    assert runner.outputs["outcome"] == "failed"
    assert "--method PATCH repos/people/bot/issues/comments/77" in runner.read("gh.log")
    assert "POST" not in runner.read("gh.log")


@pytest.mark.parametrize(("strict", "code"), [("false", 0), ("true", 1)])
def test_what_the_data_do_not_tell_stops_only_a_strict_gate(runner: Runner, strict: str, code: int) -> None:
    assert runner.run(ratings="r.csv", answers="even.csv", systems="new,old", strict=strict, comment="false") == code
    assert runner.outputs["outcome"] == "inconclusive"
    assert not runner.read("gh.log")


def test_bad_input_fails_with_its_sentence_in_summary_and_comment(runner: Runner) -> None:
    assert runner.run(ratings="r.csv", answers="$(touch hacked).csv", options="--metric `touch hacked` * ; true") == 2
    assert "quorate could not compare" in runner.read("summary.md")
    assert "quorate: " in runner.read("body.md")
    assert not (runner.folder / "hacked").exists()


@pytest.mark.parametrize(("systems", "code"), [("new,old", 0), ("old,new", 1)])
def test_a_token_that_may_only_read_changes_no_verdict(runner: Runner, systems: str, code: int) -> None:
    runner.mode = "read-only"
    assert runner.run(ratings="r.csv", answers="a.csv", systems=systems) == code
    assert "could not be written" in runner.log
    assert runner.read("summary.md")


def test_two_logs_are_a_gate_and_names_in_them_command_nothing(runner: Runner) -> None:
    for name, model, right in (("new", "::error::pwned", 9), ("old", "##[error]old", 5)):
        samples = [{"id": k, "epoch": 1, "scores": {"match": {"value": "CI"[k % 10 >= right]}}} for k in range(60)]
        log = {"version": 2, "eval": {"model": model, "task": "t"}, "samples": samples}
        (runner.folder / f"{name}.json").write_text(json.dumps(log))
    assert runner.run(ratings="new.json", answers="old.json", systems="::error::pwned,##[error]old") == 0
    assert runner.outputs["outcome"] == "passed"
    commands = [line for line in runner.log.splitlines() if line.lstrip().startswith("::") or "##[" in line]
    assert [line.split("::")[1] for line in commands] == ["notice title=quorate gate passed"]


def test_without_a_pull_request_there_is_no_comment(runner: Runner) -> None:
    (runner.folder / "event.json").write_text("{}")
    assert runner.run(ratings="r.csv", answers="a.csv", systems="new,old") == 0
    assert not runner.read("gh.log")


def test_the_install_step_takes_a_version_and_no_command(runner: Runner) -> None:
    stub = runner.folder / "bin" / "python3"
    stub.write_text('#!/usr/bin/env bash\nprintf "%s\\n" "$@" >> "$GH_LOG"\n')
    stub.chmod(0o755)
    pip = runner.folder / "temp" / "quorate" / "bin" / "python"
    pip.unlink()
    pip.symlink_to(stub)
    [step] = [
        each for each in yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"] if "Install" in each["name"]
    ]
    for version, extras, what in (
        ("0.2.0", "", "quorate==0.2.0"),
        ("0.2.0", "inspect,excel", "quorate[inspect,excel]==0.2.0"),
        ("", "inspect", f"{ROOT}[inspect]"),
        ("", "", str(ROOT)),
    ):
        assert runner._step(step, {"python": "python3", "version": version, "extras": extras}) == 0
        assert runner.read("gh.log").splitlines()[-1] == what
    assert runner._step(step, {"python": "python3", "version": "0.2; rm -rf /", "extras": ""}) == 2
    assert runner._step(step, {"python": "python3", "version": "", "extras": "x] @ http://e"}) == 2


def test_no_input_is_written_into_a_script() -> None:
    """What a workflow is given reaches a script by its environment alone, so that no word of it is run."""
    for step in yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]:
        assert "${{" not in step["run"]
        assert "uses" not in step
