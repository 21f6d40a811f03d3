"""How the logs in `data/` were made that a tool writes through a server; not run by the tests, like `make_fixtures.py`.

    pip install arize-phoenix weave
    python tests/formats/make_served_fixtures.py [TOOL …]

Made with arize-phoenix 20.26.1 and weave 0.54.0. Weave's server is not public: a stand-in keeps what its client sends,
and the calls are written as their export has them, without what names the machine.
"""

import asyncio
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, ClassVar
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


def make_weave(_: Path) -> None:
    """Two models evaluated, the second on one more row of the data set; the first fails on the sixth call."""
    os.environ |= {"WEAVE_PARALLELISM": "1", "WANDB_ERROR_REPORTING": "false", "WEAVE_PRINT_CALL_LINK": "false"}
    import weave
    from weave.trace.context.weave_client_context import set_weave_client_global
    from weave.trace.weave_client import WeaveClient
    from weave.trace_server_bindings.remote_http_trace_server import RemoteHTTPTraceServer

    asked: list[str] = []

    def predict(q: str) -> str:
        asked.append(q)
        if len(asked) == 6:
            raise ValueError("late")
        return "1"

    def right(output: str, a: str) -> dict[str, Any]:
        return {"match": output == a, "length": len(output)}

    server = HTTPServer(("127.0.0.1", 0), WeaveServer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    remote = RemoteHTTPTraceServer(f"http://127.0.0.1:{server.server_port}", should_batch=True)
    client = WeaveClient("me", "sums", remote, ensure_project_exists=False)
    set_weave_client_global(client)
    for model, rows, trials in (("new", 3, 2), ("old", 4, 1)):
        data = [{"q": f"{k} + 1 =", "a": str(k + 1)} for k in range(rows)]
        scorer = weave.op(right)
        evaluation = weave.Evaluation(name="sums", dataset=data, scorers=[scorer], trials=trials)
        asyncio.run(evaluation.evaluate(weave.op(predict, name=model)))
    client.flush()
    server.shutdown()
    calls = sorted(WeaveServer.calls.values(), key=lambda call: str(call["started_at"]))
    for call in calls:
        del call["attributes"]
        if call["exception"]:
            call["exception"] = json.loads(call["exception"])["message"]
    (DATA / "weave.jsonl").write_text("".join(json.dumps(call) + "\n" for call in calls))


class WeaveServer(BaseHTTPRequestHandler):
    """Names everything by its hash, and keeps the calls, whole or in two parts."""

    calls: ClassVar[dict[str, dict[str, Any]]] = {}

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers["content-length"]))
        sent = json.loads(data) if data.startswith(b"{") else {}
        for call in [*sent.get("batch", []), sent.get("start"), sent.get("end")]:
            if call and not self.path.startswith("/feedback"):
                self.calls.setdefault(call["id"], {}).update(call)
        rows = sent.get("table", {}).get("rows", [])
        hashes = [hashlib.sha256(json.dumps(row).encode()).hexdigest()[:16] for row in rows]
        answer = json.dumps({"digest": hashlib.sha256(data).hexdigest()[:16], "row_digests": hashes}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)


if __name__ == "__main__":
    tools: list[Callable[[Path], None]] = [make_phoenix, make_weave]
    for make in tools:
        if sys.argv[1:] and make.__name__.removeprefix("make_") not in sys.argv[1:]:
            continue
        with tempfile.TemporaryDirectory() as place:
            make(Path(place))
