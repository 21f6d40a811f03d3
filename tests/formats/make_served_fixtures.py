"""How the logs in `data/` were made that a tool writes through a server; not run by the tests, like `make_fixtures.py`.

    pip install arize-phoenix
    python tests/formats/make_served_fixtures.py

Made with arize-phoenix 20.26.1.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

DATA = Path(__file__).parent / "data"


def make_phoenix(folder: Path) -> None:
    """An experiment of three examples, each twice; one answer fails, and its evaluators score it all the same."""
    from phoenix.client import Client
    from phoenix.client.experiments import create_evaluator

    asked: list[str] = []

    def answer(input: dict[str, str]) -> str:
        asked.append(input["q"])
        if input["q"] == "2 + 1 =" and asked.count("2 + 1 =") == 2:
            raise ValueError("late")
        return "1"

    def is_right(output: str, expected: dict[str, str]) -> bool:
        return output == expected["a"]

    def tone_of(output: str) -> dict[str, str]:
        return {"label": "warm"}

    scorers = [
        create_evaluator(name="right", kind="CODE")(is_right),
        create_evaluator(name="tone", kind="LLM")(tone_of),
    ]
    address = "http://127.0.0.1:16006"
    settings = {"HOST": "127.0.0.1", "PORT": "16006", "GRPC_PORT": "14317", "TELEMETRY_ENABLED": "false"}
    settings |= {"WORKING_DIR": str(folder)}
    server = subprocess.Popen(
        [Path(sys.executable).parent / "phoenix", "serve"],
        env={**os.environ, **{f"PHOENIX_{key}": value for key, value in settings.items()}},
    )
    try:
        wait_for(f"{address}/healthz")
        client = Client(base_url=address)
        questions = [{"q": f"{k} + 1 ="} for k in range(3)]
        answers = [{"a": str(k + 1)} for k in range(3)]
        dataset = client.datasets.create_dataset(name="sums", inputs=questions, outputs=answers)
        made = client.experiments.run_experiment(
            dataset=dataset,
            task=answer,
            evaluators=scorers,
            experiment_name="new",
            repetitions=2,
            retries=0,
        )
        for kind in ("json", "csv"):
            with urlopen(f"{address}/v1/experiments/{made['experiment_id']}/{kind}") as response:
                (folder / f"phoenix.{kind}").write_bytes(response.read())
    finally:
        server.terminate()
        server.wait()
    (DATA / "phoenix.json").write_text(json.dumps(json.loads((folder / "phoenix.json").read_text())) + "\n")
    (DATA / "phoenix.csv").write_bytes((folder / "phoenix.csv").read_bytes())


def wait_for(address: str) -> None:
    """Wait until a server answers, at most two minutes."""
    for _ in range(120):
        try:
            urlopen(address).close()
        except URLError:
            time.sleep(1)
        else:
            return
    raise TimeoutError(address)


if __name__ == "__main__":
    tools: list[Callable[[Path], None]] = [make_phoenix]
    for make in tools:
        if sys.argv[1:] and make.__name__.removeprefix("make_") not in sys.argv[1:]:
            continue
        with tempfile.TemporaryDirectory() as place:
            make(Path(place))
