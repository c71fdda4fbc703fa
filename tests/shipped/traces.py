"""tests/data/traces, our own CSV, as the files that Mooncake, Azure, vLLM and llama-server write."""

import csv
import datetime
import json
import tomllib
from decimal import Decimal

CLIENT, ENGINE = Decimal("1700000000"), Decimal("5000")  # what two clocks of a vLLM log may say at the trace's begin


def mooncake(rows, _):
    for row in rows:
        yield json.dumps({"timestamp": int(Decimal(row["sent_s"]) * 1000), "input_length": int(row["prompt_tokens"]), "output_length": int(row["output_tokens"]),
                          "hash_ids": [int(one) for one in row["chunks_512"].split()]})


def azure(rows, trace):
    begins = datetime.datetime.fromisoformat(trace["begins"])
    yield "TIMESTAMP,ContextTokens,GeneratedTokens"
    for row in rows:
        time = begins + datetime.timedelta(microseconds=int(Decimal(row["sent_s"]) * 1_000_000))
        yield f"{time:%Y-%m-%d %H:%M:%S.%f}0,{row['prompt_tokens']},{row['output_tokens']}"


def vllm(rows, _):
    for index, row in enumerate(rows):
        sent = Decimal(row["sent_s"])
        queued, first, last = (ENGINE + sent + Decimal(row[key]) for key in ("queued_s", "ttft_s", "e2e_s"))
        yield (f'{{"request_id": "bench-{index}", "input_toks": {row["prompt_tokens"]}, "output_toks": {row["output_tokens"]}, "arrival_time": {CLIENT + sent}, '
               f'"queued_ts": {queued}, "scheduled_ts": {queued}, "first_token_ts": {first}, "last_token_ts": {last}}}')


def llama_server(rows, _):
    yield "id,send_s,prompt_tokens,output_tokens,ttft_ms,e2e_ms"
    for index, row in enumerate(rows):
        yield f"{index},{row['sent_s']},{row['prompt_tokens']},{row['output_tokens']},{1000 * Decimal(row['ttft_s'])},{1000 * Decimal(row['e2e_s'])}"


FORMS = {"mooncake": mooncake, "azure": azure, "vllm": vllm, "llama_server": llama_server}


def write_traces(facts, out):
    """out/FILE for every trace of facts/sources.toml, as RIDGE_DATA has them."""
    for name, trace in tomllib.loads((facts / "sources.toml").read_text(encoding="utf-8")).items():
        with open(facts / f"{name}.csv", newline="", encoding="utf-8") as file:
            lines = list(FORMS[trace["form"]](csv.DictReader(file), trace))
        path = out / trace["file"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
