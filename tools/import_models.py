"""Writes catalog/model/*.toml from collected config.json files: `tools/import_models.py DATA_FOLDER [NAME ...]`.

DATA_FOLDER holds models/*.json and models.csv; which of them, and under which name, stands in import_models.toml beside
this file. Each file goes through `ridge import model`, so that the catalog and a user's own import are one and the same;
this script only adds the published parameter counts.

An entry with `repository` is another checkpoint than the file's: its config.json is the file's but for `changes`
("text_config.num_local_experts" = 128), as `origin` says.
"""

import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def published(name, entry):
    """The [published] table and the source it needs, where the entry has counts."""
    table, sources = "", ""
    for key in ("total", "active"):
        if key not in entry:
            continue
        fact = dict(entry[key])
        if said := fact.pop("said", None):
            fact["source"] = identifier = f"published-{name}".replace(".", "-")
            sources = f'\n[sources.{identifier}]\ntitle = {quoted(said)}\nkind = "datasheet"\n'
            if "recalled" in said or "unverified" in said:
                sources += 'confidence = "low"\n'
        table += f"{key} = {{ " + ", ".join(f"{field} = {quoted(value)}" for field, value in fact.items()) + " }\n"
    return ("\n[published]\n" + table if table else ""), sources


def changed(config, changes):
    for key, value in changes.items():
        *tables, last = key.split(".")
        place = config
        for table in tables:
            place = place.setdefault(table, {})
        place[last] = value
    return config


def imported(path, name, entry, source):
    ridge = os.environ.get("RIDGE", ROOT / "build/release/ridge")
    return subprocess.run([ridge, "import", "model", path, "--name", name, "--title", entry["title"],
                           "--source", source], check=True, capture_output=True, text=True).stdout


def main():
    data = pathlib.Path(sys.argv[1])
    wanted = set(sys.argv[2:])
    entries = tomllib.loads((ROOT / "tools/import_models.toml").read_text())
    with open(data / "models.csv", newline="") as file:
        origin = {pathlib.Path(row["file"]).name: row["source"] for row in csv.DictReader(file)}
    for name, entry in entries.items():
        if wanted and name not in wanted:
            continue
        path = data / "models" / entry["file"]
        repository = entry.get("repository", entry["file"].removesuffix(".json").replace("--", "/"))
        where = f": {entry['origin']}" if "origin" in entry else f", as in {origin[entry['file']]}"
        source = f"config.json of {repository}{where}"
        with tempfile.TemporaryDirectory() as folder:
            own = pathlib.Path(folder) / (repository.replace("/", "--") + ".json")
            own.write_text(json.dumps(changed(json.loads(path.read_text()), entry.get("changes", {}))))
            toml = imported(own if "repository" in entry else path, name, entry, source)
        head, rest = toml.split("\n[architecture]", 1)
        table, sources = published(name, entry)
        (ROOT / f"catalog/model/{name}.toml").write_text(f"{head}{table}\n[architecture]{rest}{sources}")
    print(f"{len(wanted) or len(entries)} models")


main()
