"""tests/data/model_shapes.toml as a folder of config.json files and a table of published counts."""

import csv
import json
import tomllib

import folded

OURS = ("source", "published_total", "published_active", "published_by")


def write_models(facts, out):
    """out/models/*.json and out/models.csv, as RIDGE_DATA has them."""
    (out / "models").mkdir(parents=True)
    with open(out / "models.csv", "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(("name", "file", "published_total_params", "published_active_params", "param_source", "source"))
        for name, entry in tomllib.loads(facts.read_text(encoding="utf-8")).items():
            path = f"models/{name.replace('/', '--')}.json"
            config = {key: folded.unfold(value) for key, value in entry.items() if key not in OURS}
            (out / path).write_text(json.dumps(config, indent=1), encoding="utf-8")
            table.writerow((name, path, *(entry.get(key, "") for key in ("published_total", "published_active", "published_by", "source"))))
