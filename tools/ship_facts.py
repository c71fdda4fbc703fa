#!/usr/bin/env python3
"""Renews what the tests ship of the world, from the collections that RIDGE_DATA names, as facts with their sources.

    RIDGE_DATA=... tools/ship_facts.py [REPOSITORY...]

tests/data/model_shapes.toml: what config.json files say about shapes and storage, of the models that are in it already and of those
named; tests/data/traces: some requests of public traces as our own CSV. tests/shipped writes both out again for the tests.
"""

import csv
import itertools
import json
import os
import re
import sys
import tomllib
from decimal import Decimal
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "shipped"))

import folded  # noqa: E402

DATA = Path(os.environ["RIDGE_DATA"])
SHIPPED = ROOT / "tests" / "data"

# keys that say nothing about a model's shape or how its weights are stored: vocabularies' special tokens, generation, training, rotary angles,
# activation functions, versions
SAYS_NO_SHAPE = re.compile(
    r"token|_name_or_path|auto_map|transformers_version|initializer|dropout|pdrop|use_cache|id2label|label2id|torchscript|penalty|beam|do_sample"
    r"|early_stopping|temperature|^typical_p$|^top_p$|^top_k$|return_dict|output_(scores|attentions|hidden)|no_repeat|max_length|min_length|bad_words"
    r"|remove_invalid|num_return|task|problem_type|^prefix$|tie_encoder|tf_legacy|cross_attention_hidden|chunk_size_feed|aux_loss|jitter|placeholder"
    r"|^producer$|^observer$|quantization_status|_attn_implementation|router_logits|gradient_clipping|routed_scaling|norm_topk|scoring_func|query_pre_attn|residual_weight|rescale_prenorm|residual_in|mamba_kernels|logits_to_keep|_overlap|softmax|^seq_aux$|is_decoder|is_encoder|add_cross"
    r"|use_bfloat16|^ep_size$|pretraining_tp|for_llm_compressor|rope_(theta|parameters|interleave|local)|_rope_theta|_eps$|epsilon"
    r"|hidden_act|activation$|softcap|short_factor|long_factor|beta_|mscale|freq_factor|mrope_|ignore_index|logits_value|logit_cap|time_step|sinkhorn")

def shape(config):
    return {key: shape(value) if isinstance(value, dict) else value for key, value in config.items() if not SAYS_NO_SHAPE.search(key)}


def model_text(row):
    config = json.loads((DATA / row["file"]).read_text(encoding="utf-8"))
    facts = {"source": row["source"]}
    for key, column in (("total", "published_total_params"), ("active", "published_active_params")):
        if row[column]:
            facts["published_" + key] = int(row[column])
    if row["param_source"]:
        facts["published_by"] = row["param_source"]
    facts.update(folded.fold(shape(config)))
    return f'["{row["name"]}"]\n' + "\n".join(folded.fact_lines(facts)) + "\n"


def write_models(more):
    path = SHIPPED / "model_shapes.toml"
    wanted = {*tomllib.loads(path.read_text(encoding="utf-8")), *more} if path.exists() else set(more)
    with open(DATA / "models.csv", newline="", encoding="utf-8") as file:
        rows = {row["name"]: row for row in csv.DictReader(file)}
    if missing := sorted(wanted - set(rows)):
        sys.exit(f"models.csv has no {', '.join(missing)}")
    text = "# written by tools/ship_facts.py: shapes of published models, and how many parameters their makers say they have. What is neither\n"
    text += "# source nor published_* is a key of config.json, written as tests/shipped/folded.py says.\n\n"
    path.write_text(text + "\n".join(model_text(rows[name]) for name in sorted(wanted)), encoding="utf-8")
    print(f"{len(wanted)} models, {path.stat().st_size:,} bytes")


def seconds(value):
    """Without a zero that says nothing, to the nanosecond."""
    return f"{Decimal(value).quantize(Decimal('1e-9')):f}".rstrip("0").rstrip(".")


def of_mooncake(lines):
    """Of a trace with block hashes, whole conversations of two turns or more in short prompts, until there are fifty requests."""
    turns = {}
    for request in map(json.loads, lines):
        turns.setdefault(tuple(request["hash_ids"][:2]), []).append(request)  # the first block is everybody's
    chosen = []
    for requests in turns.values():
        if len(requests) > 1 and all(2 <= len(one["hash_ids"]) <= 20 for one in requests) and len(chosen) < 50:
            chosen += requests
    chosen.sort(key=lambda one: one["timestamp"])
    for one in chosen:
        yield {"sent_s": seconds(Decimal(one["timestamp"] - chosen[0]["timestamp"]) / 1000), "prompt_tokens": one["input_length"],
               "output_tokens": one["output_length"], "chunks_512": " ".join(map(str, one["hash_ids"]))}


def of_azure(lines):
    rows = [line.strip().split(",") for line in lines[1:61]]
    clock = [sum(Decimal(part) * unit for part, unit in zip(row[0].split()[1].split(":"), (3600, 60, 1))) for row in rows]
    for row, time in zip(rows, clock):
        yield {"sent_s": seconds(time - clock[0]), "prompt_tokens": row[1], "output_tokens": row[2]}


def of_vllm(lines):
    """Times from arrival: the engine's clock is behind the client's by the shortest way into the queue."""
    requests = [json.loads(line, parse_float=Decimal) for line in lines[:40]]
    behind = min(one["queued_ts"] - one["arrival_time"] for one in requests)
    for one in requests:
        row = {"sent_s": seconds(one["arrival_time"] - requests[0]["arrival_time"]), "prompt_tokens": one["input_toks"], "output_tokens": one["output_toks"]}
        for key, time in (("queued_s", "queued_ts"), ("ttft_s", "first_token_ts"), ("e2e_s", "last_token_ts")):
            row[key] = seconds(one[time] - behind - one["arrival_time"])
        yield row


def of_llama_server(lines):
    for row in itertools.islice(csv.DictReader(lines), 32):
        yield {"sent_s": row["send_s"], "prompt_tokens": row["prompt_tokens"], "output_tokens": row["output_tokens"],
               "ttft_s": seconds(Decimal(row["ttft_ms"]) / 1000), "e2e_s": seconds(Decimal(row["e2e_ms"]) / 1000)}


FORMS = {"mooncake": of_mooncake, "azure": of_azure, "vllm": of_vllm, "llama_server": of_llama_server}


def write_traces():
    """tests/data/traces/sources.toml says which file each part is of, and whose."""
    for name, trace in tomllib.loads((SHIPPED / "traces" / "sources.toml").read_text(encoding="utf-8")).items():
        rows = list(FORMS[trace["form"]]((DATA / trace["file"]).read_text(encoding="utf-8").splitlines()))
        path = SHIPPED / "traces" / f"{name}.csv"
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        print(f"{name}: {len(rows)} requests, {path.stat().st_size:,} bytes")


def main():
    write_models(sys.argv[1:])
    write_traces()


main()
