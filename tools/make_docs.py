#!/usr/bin/env python3
"""The documents as a site: make_docs.py RIDGE SITE_FOLDER [SOURCE_FOLDER_ONLY]

Copies README, docs/ and examples/questions into a folder for mkdocs, with the catalog as tables (every value with its source), the derivations of
the theory pages as the engine prints them, the JSON schemas by name, every command's help, and the board where its page lies beside the program (make web); then
runs mkdocs (Debian: mkdocs-material) in strict mode, so that a broken link fails. Formulas are MathML (tools/typeset.py); search is built in. With a third
word only the pages are written.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from typeset import typeset

ROOT = Path(__file__).resolve().parents[1]
LISTS = ("models", "machines", "chips", "formats", "engines", "laws", "tiers", "reuse", "traffic", "prices", "claims", "sources", "stale", "unsourced")
SHOWN = {"model": "models", "machine": "machines", "chip": "chips"}  # each entry on a page of its own

CONFIG = """site_name: Ridgeline
site_description: the math of how large language models are trained and served
docs_dir: {pages}
site_dir: {site}
use_directory_urls: false
theme:
  name: material
  font: false
  features: [navigation.sections, navigation.top, search.highlight, content.code.annotate]
  palette:
    - media: "(prefers-color-scheme: light)"
      scheme: default
      toggle: {{icon: material/brightness-7, name: dark}}
    - media: "(prefers-color-scheme: dark)"
      scheme: slate
      toggle: {{icon: material/brightness-4, name: light}}
plugins: [search]
markdown_extensions: [tables, admonition, toc, pymdownx.superfences, pymdownx.arithmatex: {{generic: true}}]
extra_css: [wide.css]
nav:
{nav}"""


def ridge_of(program):
    def run(*words):
        done = subprocess.run([program, *words], capture_output=True, text=True, env={"LANG": "C.UTF-8", "NO_COLOR": "1", "PATH": os.environ["PATH"]}, cwd=ROOT, check=False)
        if done.returncode not in (0, 4) and '"ridge.errors/' not in done.stdout:
            raise SystemExit(f"ridge {' '.join(words)}: {done.stderr}")
        return done.stdout
    return run


def cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ")


def table(rows):
    if not rows:
        return "Nothing.\n"
    columns = list(rows[0])
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(cell(row[column]) for column in columns) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def copied_documents(pages):
    """README and docs/ as they are; links that leave the pages point at the file's name in the repository."""
    for source in [*(ROOT / "docs").rglob("*"), *(ROOT / "examples" / "questions").rglob("*")]:
        inside = source.relative_to(ROOT / "docs") if source.is_relative_to(ROOT / "docs") else Path("questions") / source.relative_to(ROOT / "examples" / "questions")
        if source.is_dir() or source.suffix not in (".md", ".svg"):
            continue
        target = pages / inside
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix == ".svg":
            shutil.copy(source, target)
            continue

        def moved(match):
            text, link = match[1], match[2]
            if re.match(r"[a-z]+:|#", link):
                return match[0]
            path, mark, heading = link.partition("#")
            there = (source.parent / path).resolve()
            if there.is_relative_to(ROOT / "docs"):
                new = pages / there.relative_to(ROOT / "docs")
            elif there.is_relative_to(ROOT / "examples" / "questions") and there.suffix in (".md", ".svg"):
                new = pages / "questions" / there.relative_to(ROOT / "examples" / "questions")
            elif there.name in ("HACKING.md", "CONTRIBUTING.md", "SECURITY.md") or there == ROOT / "examples" / "reversible" / "README.md":
                new = pages / ("reversible.md" if there.parent.name == "reversible" else there.name.lower())
            else:
                return f"`{there.relative_to(ROOT)}`"
            return f"{text}({os.path.relpath(new, target.parent)}{mark}{heading})"

        text = re.sub(r"(!?\[[^\]]*\])\(([^)\s]+)\)", moved, source.read_text(encoding="utf-8"))
        write(target, typeset(text))
    for name in ("HACKING.md", "CONTRIBUTING.md", "SECURITY.md", "examples/reversible/README.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        text = re.sub(r"\]\((?!https?:)(?:docs/)?([^)]*)\)", lambda match: f"]({match[1]})" if (ROOT / "docs" / match[1]).exists() else "]" , text)
        text = re.sub(r"\[([^\]]*)\](?!\()", r"\1", text) if name != "HACKING.md" else text
        write(pages / ("reversible.md" if "reversible" in name else name.lower()), text)


def catalog_pages(ridge, pages):
    overview = json.loads(ridge("list", "--json"))["rows"]
    meaning = {row["name"]: row["what"] for row in overview}
    index = "# The catalog\n\n" + ridge("--version").strip() + ". Every value has a unit and a source.\n\n"
    for name in LISTS:
        rows = json.loads(ridge("list", name, "--json"))["rows"]
        index += f"- [{name}]({name}.md): {meaning[name]} ({len(rows)})\n"
        kind = next((one for one, many in SHOWN.items() if many == name), None)
        if kind:
            for row in rows:
                entry = row["name"]
                write(pages / "catalog" / kind / f"{entry}.md", f"# {entry}\n\n```\n{ridge('show', kind, entry, '-v') if kind == 'model' else ridge('show', entry)}```\n")
                row["name"] = f"[{entry}]({kind}/{entry}.md)"
        write(pages / "catalog" / f"{name}.md", f"# {name.capitalize()}\n\n{meaning[name]}\n\n{table(rows)}")
    write(pages / "catalog" / "index.md", index)


def command_pages(ridge, pages):
    names = ridge("completions", "commands").splitlines()
    index = "# Commands\n\n"
    for name in names:
        text = ridge(*name.split(), "--help")
        file = name.replace(" ", "-") + ".md"
        index += f"- [ridge {name}]({file}): {text.splitlines()[1]}\n"
        write(pages / "command" / file, f"# ridge {name}\n\n```\n{text}```\n")
    write(pages / "command" / "index.md", index)


def schema_page(ridge, pages):
    """The keys of an answer of each kind, with their types, from an answer."""
    asks = {"why": ["why", "deepseek-v3", "--on", "gb200-nvl72"], "serving": ["why", "llama-3.1-70b", "--on", "hgx-h100", "--tp", "4"],
            "plan": ["plan", "gpt-oss-20b", "--on", "hgx-h100", "--tpot", "20ms"], "claims": ["claims"], "chips": ["chips"], "lecture": ["lecture"],
            "price": ["price", "deepseek-v3", "--on", "hgx-h200"], "tier": ["tier"], "lifecycle": ["lifecycle"], "list": ["list", "chips"],
            "fit": ["fit", "llama-3.1-70b", "--on", "hgx-h100", "--tp", "4"], "simulate": ["simulate", "llama-3.1-8b", "--on", "hgx-h100", "--tp", "1", "--rate", "4", "--requests", "100", "--quiet"],
            "compare": ["compare", "examples/09-your-results/sweep.jsonl", "--on", "mi300x", "--tp", "1"], "results": ["results", "examples/09-your-results/sweep.jsonl"],
            "train": ["train", "llama-3.1-8b", "--on", "hgx-h100", "--chips", "8"], "schedule": ["schedule", "--stages", "8", "--microbatches", "32"], "activations": ["activations", "llama-3-70b"],
            "goodput": ["goodput", "--chips", "16384", "--mtbf", "50700h", "--checkpoint", "6TB"], "host": ["host", "llama-3.3-70b", "--on", "hgx-h100"], "infer": ["infer", "openai/gpt-4o", "--samples", "2k", "--quiet"],
            "cost": ["cost", "hgx-h100"], "day": ["day"], "history": ["price", "history", "deepseek"], "layout": ["layout", "deepseek-v3", "gb200-nvl72", "--ep", "64"], "context": ["context"],
            "demand": ["demand"], "curve": ["curve", "batch"], "show": ["show", "deepseek-v3"], "diff": ["diff", "h100-sxm", "b200"], "errors": ["why", "no-such-model", "--on", "hgx-h100"]}

    def shape(value, depth=0):
        if isinstance(value, dict):
            if depth > 2:
                return "object"
            return {key: shape(one, depth + 1) for key, one in value.items()}
        if isinstance(value, list):
            return [shape(value[0], depth + 1)] if value else []
        return {bool: "true or false", int: "number", float: "number", str: "text", type(None): "null"}[type(value)]

    text = "# JSON by example\n\nWhat `--json` holds, by the answer to one question each; [json.md](json.md) says what the fields mean.\n\n"
    seen = set()
    for words in asks.values():
        answer = json.loads(ridge(*words, "--json"))
        if answer["schema"] in seen:
            continue
        seen.add(answer["schema"])
        text += f"## {answer['schema']}\n\n`ridge {' '.join(words)} --json`\n\n```json\n{json.dumps(shape(answer), indent=1)}\n```\n\n"
    write(pages / "schemas.md", text)


def board_page(page, pages):
    """The board itself on its document's page, in a frame; the page is one file with everything inside."""
    document = pages / "board.md"
    text = document.read_text(encoding="utf-8")
    if not page.is_file():
        print(f"the site goes without the board: there is no {page} (make web)", file=sys.stderr)
        return
    shutil.copy(page, pages / "the-board.html")
    title, _, rest = text.partition("\n")
    frame = '<iframe class="board" src="the-board.html" title="the board" loading="lazy"></iframe>\n\n<p><a href="the-board.html">The board alone</a></p>\n'
    write(document, f"{title}\n\n{frame}{rest}")


def derivation_page(ridge, pages):
    """The theory pages' equations with numbers, printed by the engine."""
    asks = [["why", "deepseek-v3", "--on", "gb200-nvl72", "--kv", "fp8", "--derive", "step", "--depth", "0"], ["why", "llama-3.1-70b", "--on", "hgx-h100", "--batch", "64", "--context", "4k", "--derive", "cost", "--depth", "0"],
            ["why", "llama-3.1-70b", "--on", "hgx-h100", "--tp", "4", "--derive", "tpot"], ["lifecycle", "--derive", "best_params"]]
    text = "# Derivations, printed by the engine\n\nThe equations of the theory pages with the numbers of a case; each number says where it comes from.\n\n"
    for words in asks:
        text += f"## ridge {' '.join(words)}\n\n```\n{ridge(*words)}```\n\n"
    write(pages / "derivations.md", text)


def navigation(pages):
    def titled(path):
        text = (pages / path).read_text(encoding="utf-8")
        found = re.search(r"^# (.+)$", text, flags=re.M)
        return json.dumps(found[1] if found else path)

    def entries(folder):
        return [f"{folder}/{path.name}" for path in sorted((pages / folder).glob("*.md"))]

    groups = [("Start", ["index.md", *entries("roles")]), ("Questions", entries("questions")), ("Ask", ["commands.md", "command/index.md", "board.md", "python.md", "c_interface.md", "schemas.md", "json.md"]),
              ("Theory", [*entries("theory"), "derivations.md"]), ("How good", ["validation.md", "numbers.md", "reliability.md"]),
              ("Guides", [f"{name}.md" for name in ("engines", "results", "simulate", "traces", "sweeps", "fleets", "train", "probe", "how_to_add") if (pages / f"{name}.md").exists()]),
              ("Catalog", ["catalog/index.md", *(f"catalog/{name}.md" for name in LISTS)]), ("Help along", ["contributing.md", "hacking.md", "security.md", "reversible.md", "pictures/README.md"])]
    out = ""
    for title, files in groups:
        out += f"  - {title}:\n" + "".join(f"      - {titled(file)}: {file}\n" for file in files)
    return out


def write_pages(program, pages):
    ridge = ridge_of(program)
    copied_documents(pages)
    (pages / "README.md").rename(pages / "index.md")
    for file in pages.rglob("*.md"):
        text = file.read_text(encoding="utf-8")
        new = re.sub(r"\]\(((?:\.\./)*)README\.md\)", lambda match: f"]({match[1]}index.md)" if (file.parent / match[1] / "index.md").resolve() == (pages / "index.md").resolve() else match[0], text)
        if new != text:
            file.write_text(new, encoding="utf-8")
    catalog_pages(ridge, pages)
    command_pages(ridge, pages)
    schema_page(ridge, pages)
    derivation_page(ridge, pages)
    board_page(Path(program).resolve().parent / "board.html", pages)
    write(pages / "wide.css", ".formulas{margin:1em 0;overflow-x:auto}.formulas>div{padding:.25em 0 .25em 2em}.formulas math{font-size:1.08rem;margin-right:1.5em}.formulas span{color:var(--md-default-fg-color--light);font-size:.75rem}"
          ".board{width:100%;height:85vh;border:1px solid var(--md-default-fg-color--lightest)}"
          ".md-grid{max-width:78rem}.md-typeset table:not([class]){font-size:.62rem}.md-typeset pre>code{font-size:.68rem;line-height:1.25}\n")


def main():
    program, site = sys.argv[1], Path(sys.argv[2]).resolve()
    if len(sys.argv) > 3:
        write_pages(program, site)
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        pages = Path(temporary) / "pages"
        write_pages(program, pages)
        config = Path(temporary) / "mkdocs.yml"
        config.write_text(CONFIG.format(pages=pages, site=site, nav=navigation(pages)), encoding="utf-8")
        if shutil.which("mkdocs") is None:
            print("make docs: needs mkdocs and its theme (Debian: mkdocs-material)", file=sys.stderr)
            return 1
        done = subprocess.run(["mkdocs", "build", "--strict", "--quiet", "--config-file", str(config)], check=False)
    if done.returncode == 0:
        print(f"{site}/index.html: {sum(1 for _ in site.rglob('*.html'))} pages; a browser searches a site that is served: python3 -m http.server --directory {site}")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
