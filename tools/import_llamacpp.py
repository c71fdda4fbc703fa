#!/usr/bin/env python3
"""Writes catalog/evidence/llamacpp.csv from RIDGE_DATA: rows of llama.cpp's own benchmarks, each with the half it is in.

Half of the rows of the H200 and of its host's CPU are fitted (ridge calibrate), the others judge the fit; chosen by the
BLAKE2 hash of a row's key, the smaller ones first, within chip, phase, model and format (the second
way to draw them: docs/theory/serving.md). Rows of other chips all judge.

    RIDGE_DATA=DIR tools/import_llamacpp.py > catalog/evidence/llamacpp.csv
"""

import collections
import csv
import hashlib
import json
import os
import re
import statistics
import sys

OURS, OTHERS = "h200-llamacpp", "llamacpp-samples"
MODELS = {"llama-3b": "llama-3.2-3b", "llama-8b": "llama-3.1-8b"}
COLUMNS = ["set", "chip", "model", "format", "phase", "batch", "tokens", "context", "ubatch", "threads", "half", "ms"]


def row(source, chip, model, weights, phase, ms, batch=1, tokens=1, context=0, ubatch=512, threads=0):
    return {"set": source, "chip": chip, "model": model, "format": weights.lower(), "phase": phase, "batch": batch,
            "tokens": tokens, "context": context, "ubatch": ubatch, "threads": threads, "half": "judge",
            "ms": f"{ms:.6g}"}


def read(*path):
    with open(os.path.join(os.environ["RIDGE_DATA"], *path), encoding="utf-8") as file:
        return list(csv.DictReader(file))


def measured_here():
    """Decode steps (the last repetition of a point), prompts by ubatch, and the CPU."""
    chip, last, prompts, rows = "h200-sxm", {}, collections.defaultdict(list), []
    for one in read("llamacpp", "decode.csv"):
        last[one["model"], one["weights"], int(one["context_start"]), int(one["batch"])] = one
        prompts[one["model"], one["weights"], int(one["context_start"])].append(float(one["prefill_one_prompt_ms"]))
    for (model, weights, start, batch), one in last.items():
        rows.append(row(OURS, chip, MODELS[model], weights, "decode", float(one["decode_step_ms"]), batch=batch,
                        context=start + 16))
    for one in read("llamacpp", "prefill.csv"):
        size = int(one["n_ubatch"])
        rows.append(row(OURS, chip, MODELS[one["model"]], one["weights"], "prefill",
                        float(one["ms_per_ubatch"]) * 2048 / size, tokens=2048, ubatch=size))
    for (model, weights, tokens), times in prompts.items():
        if tokens != 2048:  # that one is in prefill.csv
            rows.append(row(OURS, chip, MODELS[model], weights, "prefill", statistics.median(times), tokens=tokens))
    for one in read("llamacpp", "cpu.csv"):
        decodes, rate = one["phase"] == "decode", float(one["tokens_per_s"])
        tokens = 1 if decodes else int(one["tokens"])
        rows.append(row(OURS, "xeon-vm-16", MODELS[one["model"]], one["weights"], one["phase"], 1e3 * tokens / rate,
                        tokens=tokens, context=int(one["tokens"]) // 2 if decodes else 0, threads=int(one["threads"])))
    return rows


def sampling():
    """What the CPU does after a step that only decodes, with every slot of the server at work: the median."""
    rows = []
    for run in read("llamacpp", "server", "summary.csv"):
        slots = int(run["concurrency"] or 64)
        if run["mode"] != "closed":
            continue
        times = [float(one["post_ms"]) for one in read("llamacpp", "server", f"steps_{run['run']}.csv")
                 if int(one["decode_tokens"]) == slots and int(one["prompt_tokens"]) == 0]
        made = row(OURS, "h200-sxm", "llama-3.1-8b", "Q8_0", "sample", statistics.median(times), batch=slots)
        rows.append((run["run"], made))
    return rows


def bench_rows(path, chip, model, weights):
    """llama-bench: a prompt after a depth, or so many tokens generated after it."""
    with open(os.path.join(os.environ["RIDGE_DATA"], "results", "llama_cpp", path), encoding="utf-8") as file:
        text = file.read()
    runs = [json.loads(line) for line in text.splitlines()] if path.endswith("jsonl") else list(csv.DictReader(text.splitlines()))
    for run in runs:
        prompt, made, depth = int(run["n_prompt"]), int(run["n_gen"]), int(run.get("n_depth") or 0)
        rate = float(run["avg_ts"])
        if prompt > 0 and made > 0:
            continue
        if prompt > 0:
            yield row(OTHERS, chip, model, weights, "prefill", 1e3 * prompt / rate, tokens=prompt, context=depth,
                      ubatch=min(int(run["n_ubatch"]), int(run["n_batch"])))
        else:
            yield row(OTHERS, chip, model, weights, "decode", 1e3 / rate, context=depth + made // 2)


def batched_rows(path, chip, model, weights, ubatch):
    """The two tables of a page: llama-batched-bench, and llama-bench with depths."""
    with open(os.path.join(os.environ["RIDGE_DATA"], "results", "llama_cpp", path), encoding="utf-8") as file:
        for line in file:
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if len(cells) == 10 and cells[0].isdigit():
                prompt, steps, batch, seconds = int(cells[0]), int(cells[1]), int(cells[2]), float(cells[6])
                yield row(OTHERS, chip, model, weights, "decode", 1e3 * seconds / steps, batch=batch,
                          context=prompt + steps // 2, ubatch=ubatch)
            test = re.fullmatch(r"(pp|tg)(\d+)(?: @ d(\d+))?", cells[-2]) if len(cells) > 9 else None
            if test:
                rate, count, depth = float(cells[-1].split()[0]), int(test[2]), int(test[3] or 0)
                if test[1] == "pp":
                    yield row(OTHERS, chip, model, weights, "prefill", 1e3 * count / rate, tokens=count, context=depth,
                              ubatch=ubatch)
                else:
                    yield row(OTHERS, chip, model, weights, "decode", 1e3 / rate, context=depth + count // 2,
                              ubatch=ubatch)


def choose(rows):
    """Marks the half that is fitted; `rows` are (what tells a row from its like, row)."""
    strata = collections.defaultdict(list)
    for key, one in rows:
        strata[one["chip"], one["phase"], one["model"], one["format"]].append((key, one))
    for same in strata.values():
        same.sort(key=lambda pair: hashlib.blake2b(pair[0].encode(), digest_size=16).hexdigest())
        for _, one in same[: (len(same) + 1) // 2]:
            one["half"] = "fit"


def main():
    ours = [("|".join(str(one[name]) for name in COLUMNS[1:10]), one) for one in measured_here()] + sampling()
    choose(ours)
    others = [
        *bench_rows("rtx4080_qwen2.5-7b_llama-bench.csv", "rtx-4080", "qwen2.5-7b", "q4_k_m"),
        *batched_rows("gb10_gpt-oss-20b_batched-bench_and_llama-bench.md", "gb10", "gpt-oss-20b", "mxfp4_moe", 2048),
        *bench_rows("strix-halo_llama3.2-1b_llama-bench.jsonl", "radeon-8060s", "llama-3.2-1b", "q4_k_m"),
        *bench_rows("strix-halo_gpt-oss-20b_depth_llama-bench.jsonl", "radeon-8060s", "gpt-oss-20b", ""),
        *bench_rows("strix-halo_qwen3-coder-30b_r20_llama-bench.csv", "radeon-8060s", "qwen3-30b-a3b", "q4_k_m"),
    ]
    writer = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for one in [one for _, one in ours] + others:
        writer.writerow(one)


if __name__ == "__main__":
    main()
