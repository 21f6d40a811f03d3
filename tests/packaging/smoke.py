"""Run every verb once as an installed command; `make package` does so with the lowest versions that are allowed.

Use: python tests/packaging/smoke.py BIN, the folder with the command `quorate`.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

CROWD = "--votes example:moderation --experts example:moderation-experts --scores example:moderation-scores"
COMMANDS = (
    "--version",
    "--help",
    "describe example:support -o describe.html",
    "plan --preset dices --difference 0.05 -o plan.html",
    "plan --from example:support --with example:support-answers --difference 0.05",
    "compare example:support example:support-answers -o compare.csv",
    "compare example:summaries example:summaries-answers -o compare.parquet",
    f"estimate {CROWD} -o estimate.html",
    "fit example:support -o fit.json",
    "simulate --population fit.json --items 30 --raters 3 -o study",
    "compare study/ratings.csv study/answers.csv",
    "audit --preset dices --items 30 --raters 3 --metric agreement --null sharp --replicates 50",
    "presets",
)


def run(program: Path, words: str, folder: Path) -> str:
    """Run a command in a folder and return what it prints; stop at the first that fails."""
    done = subprocess.run([program, *words.split()], cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"quorate {words}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


def main() -> None:
    """Run all commands, and look at one answer."""
    program = Path(sys.argv[1]).resolve() / "quorate"
    with tempfile.TemporaryDirectory() as name:
        for words in COMMANDS:
            run(program, words, Path(name))
        [pair] = json.loads(run(program, "compare example:support example:support-answers --json", Path(name)))["pairs"]
    if pair["verdict"] != "a_better":
        sys.exit(f"compare says {pair['verdict']} where the default versions say a_better")
    print(f"{len(COMMANDS) + 1} commands passed")


if __name__ == "__main__":
    main()
