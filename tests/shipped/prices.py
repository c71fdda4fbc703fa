"""catalog/price, backwards: as the collected rows that tools/import_prices.py makes it from."""

import csv
import importlib.util
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COLUMNS = ("provider,model,input_usd_per_mtok,cached_input_usd_per_mtok,cache_write_5m_usd_per_mtok,cache_write_1h_usd_per_mtok,output_usd_per_mtok,"
           "long_ctx_threshold_tokens,long_input_usd_per_mtok,long_cached_usd_per_mtok,long_cache_write_usd_per_mtok,long_output_usd_per_mtok,"
           "batch_input_usd_per_mtok,batch_output_usd_per_mtok,priority_input_usd_per_mtok,priority_output_usd_per_mtok,flex_input_usd_per_mtok,"
           "flex_output_usd_per_mtok,fast_mode_multiplier,max_input_tokens,max_output_tokens,date,source").split(",")
PAGES = {"claude-opus-4.5-to-5": "Claude Opus 4.5-5", "claude-fable-5.1": "Claude Fable 5.1", "deepseek-r1": "R1", "gemini-3.1-pro": "Gemini 3.1 Pro <=200K"}
ITEMS = {"input": "input", "output": "output", "cached": "cache_hit", "write.5min": "cache_write_5m", "write.1h": "cache_write_1h"}


def importer():
    """The tool's own names of providers."""
    spec = importlib.util.spec_from_file_location("import_prices", ROOT / "tools" / "import_prices.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def flat(table, before=""):
    for key, value in table.items():
        if isinstance(value, dict) and "value" not in value:
            yield from flat(value, before + key + ".")
        else:
            yield before + key, value


def dollars(text):
    return text.removeprefix("$").partition("/")[0]


def date_of(lines, date):
    """A row's date, from which the tool takes the sheet's, its note and whether the first day is known."""
    if until := re.match(r"until ([\d-]+)", lines.get("note", "")):
        return ".." + until[1]
    return ".." if lines.get("since_known") is False else date


def row_of(provider, model, date, lines, source):
    row = {"provider": provider, "model": model, "date": date_of(lines, date), "source": source}
    for key, column in (("input", "input"), ("output", "output"), ("cached", "cached_input"), ("write.5min", "cache_write_5m"), ("write.1h", "cache_write_1h"),
                        *((f"mode.{mode}.{way}", f"{mode}_{way}") for mode in ("batch", "priority", "flex") for way in ("input", "output"))):
        if key in lines:
            row[column + "_usd_per_mtok"] = dollars(lines[key])
    for key, column in (("max_input", "max_input_tokens"), ("max_output", "max_output_tokens")):
        row[column] = lines.get(key, "")
    for key, value in lines.items():
        if match := re.fullmatch(r"tier\.(\d+)k\.(input|output|cached|write)(?:\.5min)?", key):
            row["long_ctx_threshold_tokens"] = int(match[1]) * 1000
            row[f"long_{'cache_write' if match[2] == 'write' else match[2]}_usd_per_mtok"] = dollars(value)
    if "mode.fast.input" in lines:
        row["fast_mode_multiplier"] = float(dollars(lines["mode.fast.input"])) / float(dollars(lines["input"]))
    return row


def write_prices(out):
    """out/api_prices.csv and out/published/api_prices.csv."""
    tool, catalog = importer(), ROOT / "catalog" / "price"
    sources = tomllib.loads((catalog / "sources.toml").read_text(encoding="utf-8"))
    lists = [{ours: theirs for theirs, ours in names.items()} for names in (tool.MAKERS | tool.HOSTS, tool.SIMONW)]
    rows, pages = [], []

    def read_off(model, item, price, identifier):
        source = sources[identifier]
        pages.append({"model": model, "date": source["date"], "item": item, "usd_per_mtok": dollars(price), "source": source["title"].removesuffix(", as read there"),
                      "provenance": "primary excerpt" if source["confidence"] == "high" else "secondary"})

    for path in sorted(catalog.glob("*.toml")):
        for name, entry in tomllib.loads(path.read_text(encoding="utf-8")).items() if path.name != "sources.toml" else ():
            provider, model, date = re.fullmatch(r"([^/]+)/(.+)@([\d-]+)", name).groups()
            lines, source = dict(flat(entry)), sources[entry["source"]]
            if commit := re.search(r"\((\S+?@[0-9a-f]+) (\S+)\)", source["title"]):
                rows.append(row_of(lists["llm-prices" in entry["source"]][provider], model, date, lines, f"{commit[1]}/{commit[2]} ({source['date']})"))
            else:
                for key, value in lines.items():
                    if key in ITEMS:
                        read_off(PAGES[model], ITEMS[key], value, entry["source"])
                    elif key.startswith("tier.200k."):
                        read_off("Gemini 3.1 Pro >200K", ITEMS[key.removeprefix("tier.200k.")], value, entry["source"])
            if isinstance(hold := lines.get("hold"), dict):
                read_off("Gemini 2.5 Pro", "cache_storage_per_mtok_hour", hold["value"], hold["source"])
            if isinstance(speed := lines.get("mode.fast.speed"), dict):
                read_off("Claude Opus 4.6 fast", "output", lines["mode.fast.output"], speed["source"])
    (out / "published").mkdir(parents=True)
    for path, columns, table in ((out / "api_prices.csv", COLUMNS, rows), (out / "published" / "api_prices.csv", list(pages[0]), pages)):
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, columns, restval="", lineterminator="\n")
            writer.writeheader()
            writer.writerows(table)
