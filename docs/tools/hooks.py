"""Pages that are made from the code when the site is built: the commands with their options, and the sources."""

import ast
import json
import re
from html import escape, unescape
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from quorate.cli import make_app

FIELD = re.compile(r"^\s+(\w+) = \{(.*)\},?$", re.MULTILINE)
DEFAULT = re.compile(r", default:\s*<code>(.*?)</code>", re.DOTALL)


def on_files(files: Files, config: MkDocsConfig, **_: Any) -> Files:
    """Add the generated pages to those of the folder."""
    bibliography = (Path(config.docs_dir) / "references.bib").read_text(encoding="utf-8")
    for path, text in (("reference/cli.md", commands()), ("reference/sources.md", sources(bibliography))):
        files.append(File.generated(config, path, content=text))
    return files


def on_page_content(html: str, **_: Any) -> str:
    """Show what holds if nothing is said, not how a field of a question is declared."""
    return DEFAULT.sub(_plain_default, html)


def on_post_build(config: MkDocsConfig, **_: Any) -> None:
    """Write the index of the search as a script: a page that was opened from a folder may read no other file."""
    folder = Path(config.site_dir) / "search"
    pages = json.loads((folder / "search_index.json").read_text(encoding="utf-8"))["docs"]
    (folder / "folder_index.js").write_text(f"window.quorateIndex = {json.dumps(pages)};\n", encoding="utf-8")


def commands() -> str:
    """Return the command line as a page; examples become blocks of code."""
    text = make_app(listing=False).generate_docs()
    text = re.sub(r"## Table of Contents\n.*?(?=\*\*Commands)", "", text, flags=re.DOTALL)
    text = re.sub(r"^quorate (\w+) \1\b", r"quorate \1", text, flags=re.MULTILINE)
    text = re.sub(r"^Examples:\n((?:  .*\n)+)", _block, text, flags=re.MULTILINE)
    return text.replace("# quorate\n", "# Command line\n", 1)


def sources(bibliography: str) -> str:
    """Return the bibliography as a page, by key."""
    lines = ["# Sources", "", "Cited by key throughout, as in [forest]."]
    for entry in re.split(r"^@", bibliography, flags=re.MULTILINE)[1:]:
        key = entry[entry.index("{") + 1 : entry.index(",")]
        fields = {name: re.sub(r"[{}]", "", value) for name, value in FIELD.findall(entry)}
        place = fields.get("journal") or fields.get("booktitle") or fields.get("publisher") or fields.get("note", "")
        who = " ".join(
            part for part in (fields.get("author", "").replace(" and ", "; "), fields.get("year", "")) if part
        )
        lines += ["", f"**[{key}]** {who}{'. ' if who else ''}*{fields['title']}*{'. ' if place else ''}{place}."]
    return "\n".join(lines) + "\n"


def _block(found: re.Match[str]) -> str:
    lines = [line[2:] for line in found.group(1).splitlines()]
    return "\n".join(["```sh", *lines, "```", ""])


def _plain_default(found: re.Match[str]) -> str:
    declared = ast.parse(unescape(re.sub("<[^>]+>", "", found[1])), mode="eval").body
    name = declared.func.id if isinstance(declared, ast.Call) and isinstance(declared.func, ast.Name) else ""
    if not isinstance(declared, ast.Call) or name not in ("option", "source", "sources"):
        return found[0]
    if not declared.args and name == "source":
        return ""
    value = ast.unparse(declared.args[0]) if declared.args else "()"
    return f", default: <code>{escape(value, quote=False)}</code>"
