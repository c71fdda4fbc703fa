"""Writes catalog/price/*.toml, or those of OUT, from collected price sheets: `tools/import_prices.py DATA_FOLDER [OUT]`.

DATA_FOLDER holds api_prices.csv (LiteLLM's price map at several dates, and Simon Willison's llm-prices; a row only where
something changed) and published/api_prices.csv (prices read off price pages). What goes in follows from rules:

- of those who sell their own models (MAKERS), every row that sells text, dated or not;
- of those who host open models (HOSTS), every row of a model whose shape is in catalog/model, which `weights` names;
- rows of llm-prices only where LiteLLM's map does not say the same; its "-200k" rows become tiers of the model they
  belong to; a row that ended is dated on its last day, and one without any date on the day the list was read;
- prices of nothing (a cache write at $0) say that nothing is charged, not that tokens are free: left out and counted.
"""

import collections
import csv
import datetime
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

MAKERS = {"anthropic": "anthropic", "gemini": "google", "openai": "openai", "deepseek": "deepseek", "xai": "xai",
          "mistral": "mistral", "moonshot": "moonshot", "zai": "zai", "minimax": "minimax"}
HOSTS = {"fireworks_ai": "fireworks", "deepinfra": "deepinfra", "openrouter": "openrouter", "novita": "novita",
         "groq": "groq", "together_ai": "together", "nebius": "nebius", "sambanova": "sambanova",
         "baseten": "baseten", "cerebras": "cerebras"}
SIMONW = {"simonw:anthropic": "anthropic", "simonw:google": "google", "simonw:openai": "openai",
          "simonw:deepseek": "deepseek", "simonw:xai": "xai", "simonw:mistral": "mistral",
          "simonw:moonshot-ai": "moonshot", "simonw:minimax": "minimax"}
# what a name says beside which weights it is: how they were tuned, stored or served
TUNED = {"instruct", "it", "chat", "hf", "turbo", "versatile", "instant", "specdec", "preview", "fp8", "tput", "fast",
         "thinking", "reasoning", "text", "4096", "8192", "32768", "131072", "0324", "0528", "0711", "0905", "2507",
         "2407", "maas", "v0.1", "v0.3", "v1", "meta", "base", "exp", "lo", "nitro", "latest", "128e", "16e", "17b"}
# later checkpoints of a shape that the catalog has once; at DeepSeek itself "chat" and "reasoner" are whatever is newest
SAME_SHAPE = {"deepseek-v3.1-terminus": "deepseek-v3.1", "deepseek-chat-v3.1": "deepseek-v3.1",
              "deepseek-chat": "deepseek-v3", "deepseek-chat-v3": "deepseek-v3",
              "kimi-k2.6": "kimi-k2.5"}
NOT_TEXT = re.compile(r"audio|realtime|tts|image|transcribe|live|ocr|voxtral|vision|robotics|computer-use|^ft:|omni|search")


def dollars(value):
    return f'"${float(value):.10g}/Mtok"'


def plain_name(name):
    """The words of a model's name that say which weights it is."""
    name = name.lower().split("/")[-1].replace("_", "-")
    name = re.sub(r"(\d)p(\d)", r"\1.\2", name)
    name = re.sub(r"llama-?v?(\d)", r"llama-\1", name)
    name = re.sub(r"qwen-?v?(\d)", r"qwen\1", name)
    words = [word for word in name.split("-") if word not in TUNED]
    return "-".join(words)


def catalog_models():
    models = {}
    # the plainest name of several: qwen3-32b before qwen3-32b-fp8
    for file in sorted((ROOT / "catalog/model").glob("*.toml"), key=lambda file: (len(file.stem), file.stem)):
        models.setdefault(plain_name(file.stem), file.stem)
    return models


def weights_of(name, models):
    plain = plain_name(name)
    return models.get(SAME_SHAPE.get(plain, plain))


class Sheet:
    """One sheet as the lines of its table."""

    def __init__(self, provider, model, date, source):
        self.provider, self.model, self.date, self.source = provider, model, date, source
        self.lines, self.notes, self.prices = {}, [], {}

    def set(self, key, value):
        if value not in ("", None):
            self.lines[key] = dollars(value)
            self.prices[key] = float(value)

    def text(self):
        lines = dict(self.lines)
        if self.notes:
            lines["note"] = '"' + "; ".join(self.notes) + '"'
        head = f'["{self.provider}/{self.model}@{self.date}"]\nsource = "{self.source}"\n'
        return head + "".join(f"{key} = {value}\n" for key, value in lines.items())


left_out = collections.Counter()
sources = {}


def source_of(text):
    """The id of a source of api_prices.csv, which is remembered."""
    date = re.search(r"\((\d{4}-\d\d-\d\d)\)$", text)[1]
    name = "litellm" if "litellm" in text else "llm-prices"
    identifier = f"{name}-{date}"
    commit = re.search(r"@([0-9a-f]+)/", text)[1]
    title = (f"LiteLLM's price map (BerriAI/litellm@{commit} model_prices_and_context_window.json)" if name == "litellm"
             else f"Simon Willison, llm-prices (simonw/llm-prices@{commit} data/*.json)")
    sources[identifier] = (title, date, "medium")
    return identifier


def dates_of(row):
    """The date of a row, and what is known beside it."""
    seen = re.search(r"\((\d{4}-\d\d-\d\d)\)$", row["source"])[1]
    since, _, until = row["date"].partition("..")
    if ".." not in row["date"]:
        return row["date"], []
    if since:
        return since, []
    if until and until <= seen:
        last = datetime.date.fromisoformat(until) - datetime.timedelta(days=1)
        return last.isoformat(), [f"until {until}; since when is not known"]
    return seen, [f"until {until}"] if until else []


def sheet_of(row, provider, models):
    date, notes = dates_of(row)
    # "groq/llama3-8b": who sells it stands in the name of the provider
    model = row["model"].removeprefix(row["provider"] + "/").removeprefix("accounts/fireworks/models/")
    sheet = Sheet(provider, model, date, source_of(row["source"]))
    sheet.notes += notes
    if row["date"].startswith("..") and date in row["source"]:
        sheet.lines["since_known"] = "false"
    if row["provider"] in HOSTS:
        sheet.lines["hosted"] = "true"
    weights = weights_of(model, models)
    if weights and (provider, model) != ("deepseek", "deepseek-chat"):
        sheet.lines["weights"] = f'"{weights}"'
    sheet.set("input", row["input_usd_per_mtok"])
    sheet.set("output", row["output_usd_per_mtok"])
    sheet.set("cached", row["cached_input_usd_per_mtok"])
    for key, column in (("write.5min", "cache_write_5m_usd_per_mtok"), ("write.1h", "cache_write_1h_usd_per_mtok")):
        if row[column] and float(row[column]) == 0:
            left_out["cache writes at $0"] += 1
        else:
            sheet.set(key, row[column])
    if above := row["long_ctx_threshold_tokens"]:
        tier = f"tier.{int(float(above)) // 1000}k"
        sheet.set(f"{tier}.input", row["long_input_usd_per_mtok"])
        sheet.set(f"{tier}.output", row["long_output_usd_per_mtok"])
        sheet.set(f"{tier}.cached", row["long_cached_usd_per_mtok"])
        if row["long_cache_write_usd_per_mtok"]:
            sheet.set(f"{tier}.write.5min", row["long_cache_write_usd_per_mtok"])
    for mode in ("batch", "priority", "flex"):
        prices = row[f"{mode}_input_usd_per_mtok"], row[f"{mode}_output_usd_per_mtok"]
        if all(prices):
            sheet.set(f"mode.{mode}.input", prices[0])
            sheet.set(f"mode.{mode}.output", prices[1])
        elif any(prices):
            left_out["modes with one price of two"] += 1
    if factor := row["fast_mode_multiplier"]:
        sheet.set("mode.fast.input", float(factor) * float(row["input_usd_per_mtok"]))
        sheet.set("mode.fast.output", float(factor) * float(row["output_usd_per_mtok"]))
    for key, column in (("max_input", "max_input_tokens"), ("max_output", "max_output_tokens")):
        if row[column] and float(row[column]) > 0:
            sheet.lines[key] = f'"{int(float(row[column]))}"'
    return sheet


def same_name(name):
    """claude-4.5-haiku is claude-haiku-4-5-20251001: the words that are no date, in any order."""
    words = re.sub(r"-(latest|\d{8}|\d{4}-\d\d-\d\d)$", "", name.lower()).replace(".", "-").split("-")
    return tuple(sorted(words))


def collected(data, models):
    with open(data / "api_prices.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    sheets, told = {}, set()
    for row in rows:
        provider = MAKERS.get(row["provider"]) or HOSTS.get(row["provider"])
        if row["provider"] in SIMONW:
            continue
        if provider is None:
            left_out["rows of providers that neither make nor host models here"] += 1
        elif row["provider"] in HOSTS and not weights_of(row["model"], models):
            left_out["rows of hosted models whose shape is not in the catalog"] += 1
        elif row["provider"] in MAKERS and (NOT_TEXT.search(row["model"]) or row["model"].startswith("openrouter/")):
            left_out["rows of makers that sell something else than text"] += 1
        else:
            sheet = sheet_of(row, provider, models)
            twin = sheets.setdefault((provider, sheet.model, sheet.date), sheet)
            if twin is not sheet:  # "deepseek-chat" and "deepseek/deepseek-chat"
                same = all(twin.prices[key] == price for key, price in sheet.prices.items() if key in twin.prices)
                left_out["rows that name a model once more" + ("" if same else ", at another price")] += 1
            told.add((provider, same_name(sheet.model), sheet.prices["input"], sheet.prices["output"]))
    return list(sheets.values()) + second_list(rows, told, models)


def second_list(rows, told, models):
    """llm-prices: what the first list does not say, with its long rows as tiers."""
    sheets, seen = {}, set()
    for row in sorted(rows, key=lambda row: bool(re.search(r"-\d+k$", row["model"]))):
        provider = SIMONW.get(row["provider"])
        if provider is None or NOT_TEXT.search(row["model"]):
            if row["provider"].startswith("simonw:"):
                left_out["rows of llm-prices that sell something else, or by others"] += 1
            continue
        sheet = sheet_of(row, provider, models)
        name = (provider, sheet.model, sheet.date)
        long = re.fullmatch(r"(.*)-(\d+)k", sheet.model)
        if long and (base := sheets.get((provider, long[1], sheet.date))):
            for key in ("input", "output", "cached"):
                if key in sheet.prices:
                    base.set(f"tier.{long[2]}k.{key}", sheet.prices[key])
        elif name in seen or (provider, same_name(sheet.model), sheet.prices["input"], sheet.prices["output"]) in told:
            left_out["rows of llm-prices that repeat another"] += 1
        elif long:
            left_out["long rows of llm-prices whose short one is known from elsewhere"] += 1
        else:
            sheets[name] = sheet
        seen.add(name)
    return list(sheets.values())


def published(data, sheets):
    """Prices read off pages: sheets of their own where they are whole, else what they add to the others."""
    with open(data / "published/api_prices.csv", newline="") as file:
        rows = list(csv.DictReader(file))

    def source(identifier, row):
        confidence = "high" if row["provenance"].startswith("primary") else "medium"
        sources[identifier] = (f"{row['source']}, as read there", row["date"], confidence)
        return identifier

    def page(provider, model, said, identifier, keys):
        of_page = [row for row in rows if row["model"] == said]
        sheet = Sheet(provider, model, of_page[0]["date"], source(identifier, of_page[0]))
        for row in of_page:
            sheet.set(keys[row["item"]], row["usd_per_mtok"])
        sheets.append(sheet)
        return sheet

    keys = {"input": "input", "output": "output", "cache_hit": "cached", "cache_write_5m": "write.5min",
            "cache_write_1h": "write.1h", "input_miss": "input", "input_hit": "cached"}
    page("anthropic", "claude-opus-4.5-to-5", "Claude Opus 4.5-5", "anthropic-pricing-2026", keys)
    page("anthropic", "claude-fable-5.1", "Claude Fable 5.1", "anthropic-pricing-2026", keys)
    page("deepseek", "deepseek-r1", "R1", "open-infra-index-day-6", keys).lines["weights"] = '"deepseek-r1"'
    gemini = page("google", "gemini-3.1-pro", "Gemini 3.1 Pro <=200K", "gemini-3-1-pages", keys)
    for row in rows:
        if row["model"] == "Gemini 3.1 Pro >200K":
            gemini.set(f"tier.200k.{keys[row['item']]}", row["usd_per_mtok"])
    by_model = {(row["model"], row["item"]): row for row in rows}
    fast = by_model["Claude Opus 4.6 fast", "output"]
    speed = re.search(r"up to ([\d.]+)x tok/s", fast["source"])[1]
    identifier = source("anthropic-fast-mode-2026", fast)
    for sheet in sheets:
        if sheet.model.startswith("claude-opus-4-6") and "mode.fast.output" in sheet.lines:
            assert sheet.prices["mode.fast.output"] == float(fast["usd_per_mtok"])
            sheet.lines["mode.fast.speed"] = f'{{ value = {speed}, source = "{identifier}", note = "up to" }}'
    hold = by_model["Gemini 2.5 Pro", "cache_storage_per_mtok_hour"]
    identifier = source("google-forum-92919", hold)
    for sheet in sheets:
        if sheet.provider == "google" and sheet.model == "gemini-2.5-pro":
            sheet.lines["hold"] = f'{{ value = "${hold["usd_per_mtok"]}/Mtok/h", source = "{identifier}" }}'
    used = {"Claude Opus 4.5-5", "Claude Fable 5.1", "R1", "Gemini 3.1 Pro <=200K", "Gemini 3.1 Pro >200K",
            "Claude Opus 4.6 fast", "Gemini 2.5 Pro"}
    left_out["published rows that no sheet has a place for"] += sum(row["model"] not in used for row in rows)


def main():
    data = pathlib.Path(sys.argv[1])
    out = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "catalog/price"
    sheets = collected(data, catalog_models())
    published(data, sheets)
    names = collections.Counter((sheet.provider, sheet.model, sheet.date) for sheet in sheets)
    assert max(names.values()) == 1, [name for name, times in names.items() if times > 1]
    for file in out.glob("*.toml"):
        if file.read_text().startswith("# written by tools/import_prices.py"):
            file.unlink()
    out.mkdir(exist_ok=True)
    for provider in sorted({sheet.provider for sheet in sheets}):
        of_provider = sorted((s for s in sheets if s.provider == provider), key=lambda s: (s.model, s.date))
        text = "# written by tools/import_prices.py\n\n" + "\n".join(sheet.text() for sheet in of_provider)
        (out / f"{provider}.toml").write_text(text)
    text = "# written by tools/import_prices.py\n"
    for identifier, (title, date, confidence) in sorted(sources.items()):
        text += (f'\n[{identifier}]\ntitle = "{title}"\nkind = "datasheet"\ndate = "{date}"\n'
                 f'confidence = "{confidence}"\n')
    (out / "sources.toml").write_text(text)
    print(f"{len(sheets)} sheets of {len({sheet.provider for sheet in sheets})} providers")
    for what, times in left_out.most_common():
        print(f"left out: {times} {what}")


if __name__ == "__main__":
    main()
