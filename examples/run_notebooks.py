"""Run the notebooks of this folder from top to bottom and keep what comes out, without a Jupyter server.

``python examples/run_notebooks.py`` brings all outputs up to date, with names (``plan compare``) only some. Plots
become pictures where kaleido and a Chromium are found, and keep the old picture elsewhere.
"""

import ast
import base64
import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


def notebooks() -> list[Path]:
    """Return the notebooks of this folder."""
    return sorted(FOLDER.glob("*.ipynb"))


def run(cells: list[dict[str, Any]]) -> list[tuple[str, object]]:
    """Run the code cells one after the other; return what each printed and the value of its last line."""
    names: dict[str, Any] = {"__name__": "__main__"}
    return [_run_cell("".join(cell["source"]), names) for cell in cells if cell["cell_type"] == "code"]


def _run_cell(source: str, names: dict[str, Any]) -> tuple[str, object]:
    tree, value = ast.parse(source), None
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, "<cell>", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
    return printed.getvalue(), value


def outputs(printed: str, value: object, old: list[dict[str, Any]], number: int) -> list[dict[str, Any]]:
    """Return what a cell shows, in the format of notebooks."""
    shown: list[dict[str, Any]] = []
    if printed:
        shown.append({"output_type": "stream", "name": "stdout", "text": printed.splitlines(keepends=True)})
    if value is not None:
        result = {"output_type": "execute_result", "execution_count": number, "metadata": {}}
        shown.append({**result, "data": _shown(value, old)})
    return shown


def _shown(value: object, old: list[dict[str, Any]]) -> dict[str, Any]:
    if hasattr(value, "to_plotly_json"):
        return {"text/plain": ["a plotly figure"], "image/png": _picture(value, old)}
    data: dict[str, Any] = {"text/plain": str(value).splitlines(keepends=True)}
    if hasattr(value, "_repr_html_"):
        data["text/html"] = value._repr_html_().splitlines(keepends=True)
    return data


def _picture(figure: Any, old: list[dict[str, Any]]) -> str:
    from quorate._errors import InputError
    from quorate.report import picture

    try:
        return base64.b64encode(picture(figure, "png", width=760, scale=1)).decode()
    except InputError:
        return next((each["data"]["image/png"] for each in old if "image/png" in each.get("data", {})), "")


def main(names: list[str]) -> None:
    """Run the notebooks named, or all, and write their outputs."""
    for path in (path for path in notebooks() if not names or path.stem in names):
        content = json.loads(path.read_text(encoding="utf-8"))
        code = [cell for cell in content["cells"] if cell["cell_type"] == "code"]
        for number, (cell, found) in enumerate(zip(code, run(content["cells"]), strict=True), start=1):
            cell["outputs"] = outputs(*found, cell["outputs"], number)
            cell["execution_count"] = number
        path.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
