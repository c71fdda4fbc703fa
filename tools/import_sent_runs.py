"""Writes catalog/evidence/sent.csv and requests.csv: runs of which it is known when each request was sent, for
`ridge validate --simulate`. Nothing of them is fitted.

    RIDGE_DATA=FOLDER tools/import_sent_runs.py
"""

import csv
import json
import os
import pathlib

DATA = pathlib.Path(os.environ["RIDGE_DATA"])
OUT = pathlib.Path(__file__).resolve().parent.parent / "catalog" / "evidence"
HEAD = ("set id model machine engine format kv_format tensor layout replicas prefill_layout prefill_replicas token_budget max_sequences memory_utilization prefix_cache arrivals users rate requests "
        "isl isl_most osl osl_most system_prompts system_tokens ttft_ms ttft_p50_ms ttft_p99_ms tpot_ms itl_p50_ms itl_p99_ms e2e_ms "
        "e2e_p99_ms requests_per_s warmups fresh cold prefill_token_budget prefill_sequences").split()
MODELS = {"meta-llama/Llama-2-7b-hf": "llama-2-7b", "meta-llama/Llama-2-70b-hf": "llama-2-70b", "mistralai/Mixtral-8x7B-v0.1": "mixtral-8x7b"}

KV = {("auto", "bfloat16"): "bf16"}  # vLLM's auto: the model's own


def text(value):
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def percentile(values, share):
    values = sorted(values)
    place = share * (len(values) - 1)
    low = int(place)
    return values[low] + (values[min(low + 1, len(values) - 1)] - values[low]) * (place - low)


def open_loop():
    """Stages that were not overloaded, of models in the catalog. Counted outputs are read off texts: the asked ones were generated (ignore_eos).
    Its shared-prefix generator makes system_prompts x users_per_system_prompt prompts once and sends them again and again, in a circle
    (inference-perf, shared_prefix_datagen.py: prompts[i % len]): after the first round a prefix cache holds whole prompts, and so it does from the
    start of every stage but the first. Its "constant" load has exponential gaps, scaled to fill the stage (load_timer.py). Cold is a stage with a gap
    between two tokens of more than ten times their mean: nothing that a scheduler puts into a step takes so long; all such are first stages."""
    for row in csv.DictReader(open(DATA / "simulation" / "open_loop_vllm_h100.csv")):
        if row["server.model"] not in MODELS or int(row["failed.count"]) > 0:
            continue
        ms = lambda name: 1000 * float(row["ok.latency." + name])
        prompt, output = round(float(row["ok.prompt_len.mean"])), int(row["load.output_len"])
        prompts, first = int(row["load.system_prompts"]) * int(row["load.users_per_system_prompt"]), row["stage"] == "0"
        tpot = (ms("request_latency.mean") - ms("time_to_first_token.mean")) / (output - 1)
        yield dict(set="open-loop-vllm", id=f"{row['experiment']}-{row['stage']}", model=MODELS[row["server.model"]], machine="hgx-h100", engine="vllm",
                   tensor=row["server.tensor_parallelism"], token_budget=row["server.max_num_batched_tokens"], max_sequences=row["server.max_num_seqs"],
                   memory_utilization=0.9, prefix_cache=1, arrivals="poisson", rate=row["load.rate"], requests=row["ok.count"], isl=prompt, isl_most=prompt,
                   osl=output, osl_most=output, system_prompts=prompts,
                   system_tokens=prompt, ttft_ms=ms("time_to_first_token.mean"), ttft_p50_ms=ms("time_to_first_token.median"),
                   ttft_p99_ms=ms("time_to_first_token.p99"), tpot_ms=tpot, e2e_ms=ms("request_latency.mean"),
                   e2e_p99_ms=ms("request_latency.p99"), warmups="" if first else prompts, fresh=int(first), cold=int(ms("inter_token_latency.max") > 10 * tpot))


# What InferenceX's launchers set for TensorRT-LLM's pools on GB200, each rank: tokens and sequences of a prefill step by model and ISL, sequences of a
# decode step by model, ISL, decode layout, its workers, and prefill workers (None: any). InferenceX, .github/configs/nvidia-master.yaml: DeepSeek as
# of 84320a0aa, gpt-oss as of 645b97aa4.
PREFILL_STEPS = {("deepseek-r1", 1024): (4608, 4), ("deepseek-r1", 8192): (8448, 1), ("gpt-oss-120b", 1024): (20000, 32), ("gpt-oss-120b", 8192): (20000, 32)}
DECODE_SEQUENCES = {
    ("deepseek-r1", 1024): {("TEP8", 4): 128, ("DEP32", 1): 32, ("DEP16", 1, 1): 64, ("DEP16", 1, 2): 256, ("DEP8", 1): 512},
    ("deepseek-r1", 8192): {("TEP8", 3): 32, ("DEP32", 1): 16, ("DEP16", 1, 6): 64, ("DEP16", 1, 8): 128, ("DEP8", 1): 256},
    ("gpt-oss-120b", 1024): {("TP4", 1): 256, ("TP2", 4): 32, ("DEP2", 1): 1536, ("DEP2", 2): 1536, ("DEP4", 1): 512, ("DEP4", 3): 1024},
    ("gpt-oss-120b", 8192): {("TP8", 1): 4, ("TP4", 1, 1): 128, ("TP4", 1, 2): 1024, ("TP2", 1): 512, ("DEP2", 1): 512}}


def launched(model, isl, decode, workers, prefill_workers):
    """The settings of a run's launcher."""
    tokens, prompts = PREFILL_STEPS[model, isl]
    sequences = DECODE_SEQUENCES[model, isl]
    return dict(prefill_token_budget=tokens, prefill_sequences=prompts,
                max_sequences=sequences.get((decode, workers)) or sequences[decode, workers, prefill_workers])


def worker(row, pool):
    """The layout of one worker of a pool as its users write it, and how many there are."""
    tensor, expert, workers = (int(row[f"{pool}_{key}"]) for key in ("tp", "ep", "num_workers"))
    chips = int(row[f"num_{pool}_gpu"]) // workers
    if row[f"{pool}_dp_attention"] == "true":
        return f"DEP{chips}" if expert == chips else None, workers
    return (f"TEP{chips}" if expert > 1 else f"TP{chips}") if tensor == chips else None, workers


def disaggregated():
    """InferenceMAX's runs with a prefill and a decode pool, that no fit has seen, without speculation, of which both layouts are stated. Their client
    is that of the aggregated runs: all users at once, ten requests for each of them, lengths from 0.8 of the nominal up. Gaps between what is
    streamed are no ITL: their engine streams some twenty tokens at once."""
    fitted = {(row["model"], row["machine"], f"{float(row['tpot_ms']):.4g}") for row in csv.DictReader(open(OUT / "serving.csv"))
              if row["mode"] == "disaggregated" and row["tpot_ms"]}
    models = {"gptoss": ("gpt-oss-120b", {"fp4": "mxfp4"}), "dsr1": ("deepseek-r1", {"fp4": "nvfp4", "fp8": "fp8"})}
    engines = {"dynamo-trt": "trtllm", "sglang-disagg": "sglang"}
    rows = csv.DictReader(open(DATA / "simulation" / "inferencemax_percentiles.csv"))
    for number, row in enumerate(row for row in rows if row["disagg"] == "True"):
        ms = lambda name: 1000 * float(row[name])
        if row["framework"] not in engines or row["spec_decoding"] != "none":
            continue
        (prefill, prefill_workers), (decode, workers) = worker(row, "prefill"), worker(row, "decode")
        model, formats = models[row["infmax_model_prefix"]]
        machine = {"gb200": "gb200-nvl72", "mi355x-amd_0": "mi355x-8"}[row["hw"]]
        if not prefill or not decode or (model, machine, f"{ms('mean_tpot'):.4g}") in fitted:
            continue
        isl, osl, users = int(row["isl"]), int(row["osl"]), int(row["conc"])
        told = launched(model, isl, decode, workers, prefill_workers) if machine == "gb200-nvl72" else {}
        figures = {} if row["cold"] == "1" else dict(ttft_ms=ms("mean_ttft"), ttft_p99_ms=ms("p99_ttft"), tpot_ms=ms("mean_tpot"),
                                                     e2e_ms=ms("mean_e2el"), e2e_p99_ms=ms("p99_e2el"))
        yield dict(set="inferencemax-disaggregated", id=f"{row['hw'].split('-')[0]}-{model}-{isl}-{osl}-{users}-{number}", model=model, machine=machine,
                   engine=engines[row["framework"]], format=formats[row["precision"]], tensor=1, layout=decode, replicas=workers, prefill_layout=prefill,
                   prefill_replicas=prefill_workers, prefix_cache=0, arrivals="closed", users=users, requests=10 * users, isl=round(0.8 * isl), isl_most=isl,
                   osl=round(0.8 * osl), osl_most=osl, ttft_p50_ms=ms("median_ttft"), fresh=1, **told, **figures)


def replayed(run, requests, steady=None):
    """The figures of a run from its requests: sent, prompt, output, ttft, e2e (s)."""
    ttft, e2e = [one[3] for one in requests], [one[4] for one in requests]
    tpot = [(one[4] - one[3]) / (one[2] - 1) for one in requests if one[2] > 1]
    last = max(one[0] + one[4] for one in requests)
    run.update(requests=len(requests), ttft_ms=1e3 * sum(ttft) / len(ttft), ttft_p50_ms=1e3 * percentile(ttft, 0.5), ttft_p99_ms=1e3 * percentile(ttft, 0.99),
               tpot_ms=1e3 * sum(tpot) / len(tpot), e2e_ms=1e3 * sum(e2e) / len(e2e), e2e_p99_ms=1e3 * percentile(e2e, 0.99),
               requests_per_s=len(requests) / last)
    return run


def vllm_logs():
    for name, machine in (("RTX4090", "rtx-4090-1"), ("RTXPRO6000", "rtx-pro-6000-1")):
        rows = [json.loads(line) for line in open(DATA / "traces" / "vllm_runs" / f"{name}_Llama-3.1-8B_requests.jsonl")]
        kept = json.load(open(DATA / "traces" / "vllm_runs" / f"{name}_Llama-3.1-8B_meta.json"))["engine_kwargs"]
        first = min(row["arrival_time"] for row in rows)
        requests = sorted((row["arrival_time"] - first, row["input_toks"], row["output_toks"], row["first_token_ts"] - row["queued_ts"],
                           row["last_token_ts"] - row["queued_ts"]) for row in rows)
        yield replayed(dict(set="vllm-request-logs", id=f"{machine}-sharegpt", model="llama-3.1-8b", machine=machine, engine="vllm", tensor=1,
                            kv_format=KV[kept["kv_cache_dtype"], kept["dtype"]], token_budget=kept["max_num_batched_tokens"], max_sequences=kept["max_num_seqs"], memory_utilization=0.9, prefix_cache=1, arrivals="replay", fresh=1), requests), requests


def llama_server():
    told = {row["run"]: row for row in csv.DictReader(open(DATA / "llamacpp" / "server" / "summary.csv"))}
    for name, row in told.items():
        if name.startswith(("kvu_", "defcache_")):
            continue  # one unified KV buffer, and a prompt cache in the loop: not modeled
        rows = list(csv.DictReader(open(DATA / "llamacpp" / "server" / f"{name}.csv")))
        requests = sorted((float(one["send_s"]), int(one["prompt_tokens"]), int(one["output_tokens"]), float(one["ttft_ms"]) / 1e3,
                           float(one["e2e_ms"]) / 1e3) for one in rows)
        closed = name.startswith("closed")
        run = dict(set="llama-server", id=name, model="llama-3.1-8b", machine="hgx-h200", engine="llama.cpp", format="q8_0", tensor=1,
                   max_sequences=row["concurrency"] or 64, prefix_cache=0, arrivals="closed" if closed else "replay")
        replayed(run, requests)
        run.update(itl_p50_ms=float(row["itl_ms_p50"]), itl_p99_ms=float(row["itl_ms_p99"]))
        if closed:
            run.update(users=row["concurrency"], isl=819, isl_most=1024, osl=128, osl_most=256)
        yield run, None if closed else requests


def main():
    runs, requests = [*open_loop(), *disaggregated()], []
    for run, sent in [*vllm_logs(), *llama_server()]:
        runs.append(run)
        first = sent[0][0] if sent else 0
        requests += [(run["id"], f"{one[0] - first:.6f}", one[1], one[2]) for one in sent or []]
    with open(OUT / "sent.csv", "w") as file:
        file.write(",".join(HEAD) + "\n")
        for run in runs:
            file.write(",".join(text(run.get(key, "")) for key in HEAD) + "\n")
    with open(OUT / "requests.csv", "w") as file:
        file.write("id,sent_s,prompt,output\n")
        for row in requests:
            file.write(",".join(map(str, row)) + "\n")


main()
