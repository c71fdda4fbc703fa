#!/usr/bin/env python3
"""Turns the measurements of RIDGE_DATA into our own evidence files.

    RIDGE_DATA=... tools/import_evidence.py [--all | --rest] OUT

Writes sets.csv, the kernel files and serving.csv into the folder OUT: the chosen rows (those that stand in catalog/evidence),
with --all every row, with --rest the rows that were not chosen. Beside the chosen rows stands judged.csv: of the runs that were not
chosen those that a plan could choose among, in fewer columns, which no fit reads. Which rows are chosen depends on a hash of a row's own text within
its stratum and on nothing else. The columns, the strata and the rules for wrong rows are told in catalog/evidence/README.md.
"""
import collections
import csv
import decimal
import hashlib
import json
import math
import os
import re
import statistics
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
AIC = "ai-dynamo/aiconfigurator at 095f58a51c (2026-08-21)"
OP_NOTE = "one kernel timed alone; samples of up to 2500 rows a file; the commit is that of the same project's serving table, not re-read"

SETS = {  # name: title, source, licence, date, note
    "h200-torch": ("One H200, PyTorch", "measured for this project: graph replays, medians", "this project's own", "2026", "whole steps of Llama 3 8B and of 20 layers of Llama 3 70B, attention by SDPA"),
    "op-gemm-trtllm": ("Matrix products under TensorRT-LLM", AIC, "Apache-2.0", "", OP_NOTE + "; fp8 includes an eager quantize"),
    "op-gemm-vllm": ("Matrix products under vLLM", AIC, "Apache-2.0", "", OP_NOTE + "; two fp8 block kernels hold an eager launch of 56 and 170 us"),
    "op-attention-trtllm": ("Attention kernels under TensorRT-LLM", AIC, "Apache-2.0", "", OP_NOTE),
    "op-attention-vllm": ("Attention kernels under vLLM", AIC, "Apache-2.0", "", OP_NOTE),
    "op-mla-trtllm": ("Latent attention kernels under TensorRT-LLM", AIC, "Apache-2.0", "", OP_NOTE),
    "op-moe-trtllm": ("Routed expert layers under TensorRT-LLM", AIC, "Apache-2.0", "", OP_NOTE),
    "op-moe-wideep": ("Routed expert layers, wide expert parallelism, TensorRT-LLM", AIC, "Apache-2.0", "", OP_NOTE),
    "op-moe-vllm": ("Routed expert layers under vLLM", AIC, "Apache-2.0", "", OP_NOTE),
    "op-nccl": ("NCCL collectives", AIC, "Apache-2.0", "", OP_NOTE + "; launches back to back"),
    "op-allreduce-sglang": ("All-reduce kernels of SGLang", AIC, "Apache-2.0", "", OP_NOTE),
    "op-allreduce-trtllm": ("All-reduce kernels of TensorRT-LLM", AIC, "Apache-2.0", "", OP_NOTE + "; taken for graph replays by their speed"),
    "op-allreduce-vllm": ("All-reduce kernels of vLLM", AIC, "Apache-2.0", "", OP_NOTE),
    "op-deepep": ("DeepEP dispatch and combine", AIC, "Apache-2.0", "", OP_NOTE),
    "op-alltoall-trtllm": ("TensorRT-LLM dispatch and combine over NVLink", AIC, "Apache-2.0", "", OP_NOTE),
    "inferencex": ("InferenceX results as aiconfigurator's sample holds them", AIC + ", silicon_sample.csv", "Apache-2.0", "2025-11 to 2026-04",
                   "means; random lengths, mean 0.9 x nominal; labels partly wrong, see the rules"),
    "dynamo": ("NVIDIA Dynamo ground truth as aiconfigurator's sample holds it", AIC + ", silicon_sample.csv", "Apache-2.0", "2026-01 to 2026-03",
               "means; most rows without a date; lengths taken as fixed"),
    "inferencemax": ("InferenceMAX raw runs", "SemiAnalysis InferenceMAX artifacts, copied by gminneci/mantile at 72ff84ebfd", "Apache-2.0",
                     "2025-12 to 2026-01", "means; random lengths, mean 0.9 x nominal; the copy's own licence not verified"),
    "trtllm-overview": ("TensorRT-LLM performance overview tables, v0.9 to v1.1", "NVIDIA/TensorRT-LLM, docs/source performance overview pages",
                        "Apache-2.0", "2024-04 to 2025-12", "max-load rows state no batch: concurrency 0"),
    "argonne": ("LLM-Inference-Bench", "argonne-lcf/LLM-Inference-Bench at 4211f5d4e9, Plots/All_results.csv", "see source (not verified)", "2024",
                "static batches; ISL = OSL; dtype not stated, taken as 16 bit; A100 rows behave as 40 GB chips"),
    "deepseek-production": ("DeepSeek-V3/R1 online service", "deepseek-ai/open-infra-index at 56d86855fc, day 6", "see source (not verified)",
                            "2025-02-27", "mean context 4989; tpot from 20 to 22 tokens/s a user; multi-token prediction on"),
    "deepseek-profile": ("DeepSeek profile data as the SGLang blog tells it", "lm-sys blog 2025-05-05", "see source (not verified)", "2025-05-05", ""),
    "sglang-blog": ("SGLang large-scale expert parallelism", "lm-sys blog 2025-05-05", "see source (not verified)", "2025-05-05", ""),
    "tpu-recipes": ("Google TPU recipes, vLLM on Trillium", "AI-Hypercomputer/tpu-recipes at c8cfe2f", "Apache-2.0 (not verified)", "2026", ""),
    "blis": ("vLLM open-loop runs on H100", "inference-sim/training at ed5c1d2", "see source (not verified)", "2026-02",
             "shared prefixes: less is prefilled than ISL says; concurrency by Little's law from rate and latency"),
}

CHIPS = {"a100_sxm": "a100-sxm-80gb", "b200_sxm": "b200", "gb200": "gb200", "h100_sxm": "h100-sxm"}
FORMATS = {"bfloat16": "bf16", "fp8": "fp8", "fp8_block": "fp8-block128", "nvfp4": "nvfp4", "int8_wo": "w8a16", "int4_wo": "w4a16", "sq": "int8",
           "w4a8_mxfp4_mxfp8": "w4a8-mxfp4", "w4a16_mxfp4": "w4a16-mxfp4"}
MODELS = {
    "deepseek-v3": "deepseek-v3", "deepseek-v3/r1": "deepseek-v3", "deepseek-v3.1-nvfp4": "deepseek-v3", "deepseek-r1": "deepseek-r1",
    "deepseek r1": "deepseek-r1", "deepseek r1 0528": "deepseek-r1", "deepseek-r1-0528": "deepseek-r1", "deepseek-r1-nvfp4": "deepseek-r1",
    "deepseek-r1-0528-fp4-v2": "deepseek-r1", "deepseek-r1-0528-mxfp4-preview": "deepseek-r1", "gpt-oss-120b": "gpt-oss-120b",
    "gpt-oss 120b": "gpt-oss-120b", "gpt-oss 20b": "gpt-oss-20b", "llama-3.1-70b": "llama-3.1-70b", "llama v3.1 70b": "llama-3.1-70b",
    "llama 3.1 70b": "llama-3.1-70b", "llama 3.3 70b": "llama-3.3-70b", "llama v3.3 70b": "llama-3.3-70b", "llama-3.3-70b-instruct": "llama-3.3-70b",
    "llama v3 70b": "llama-3-70b", "meta-llama-3-70b": "llama-3-70b", "meta-llama-3-8b": "llama-3-8b", "llama v3.1 8b": "llama-3.1-8b",
    "llama 3.1 8b": "llama-3.1-8b", "llama-3.1-8b-instruct": "llama-3.1-8b", "llama 3.1 405b": "llama-3.1-405b", "llama 7b": "llama-2-7b",
    "llama-2-7b-hf": "llama-2-7b", "llama 4 scout": "llama-4-scout", "mixtral 8x7b": "mixtral-8x7b", "mixtral-8x7b-v0.1": "mixtral-8x7b",
    "mixtral 8x22b": "mixtral-8x22b", "mistral 7b": "mistral-7b", "mistral-7b-v0.1": "mistral-7b", "qwen2-7b": "qwen2-7b",
    "qwen3-32b": "qwen3-32b", "qwen3-32b-nvfp4": "qwen3-32b", "qwen3-30b-a3b": "qwen3-30b-a3b", "qwen3 30b a3b": "qwen3-30b-a3b",
    "qwen3-235b-a22b": "qwen3-235b-a22b", "qwen3 235b a22b": "qwen3-235b-a22b", "qwen3-235b-a22b-fp8": "qwen3-235b-a22b-fp8",
}
SPARSE = ("deepseek", "gpt-oss", "mixtral", "qwen3-30b", "qwen3-235b", "llama-4")
MACHINES = {
    "b200": "hgx-b200", "b200_sxm": "hgx-b200", "b200-trt": "hgx-b200", "gb200": "gb200-nvl72", "h100": "hgx-h100", "h100_sxm": "hgx-h100",
    "h100 80gb hbm3": "hgx-h100", "h100 sxm": "hgx-h100", "h100 (see repo datasheets)": "hgx-h100", "nvidia h100 gpu": "hgx-h100",
    "nvidia a100 gpu": "hgx-a100-40gb", "a100": "hgx-a100", "a100-sxm4-80gb": "hgx-a100", "mi355x": "mi355x-8", "mi355x-amd_0": "mi355x-8",
    "h800": "hgx-h800", "tpu v6e": "tpu-v6e-pod",
}
SERVING = ["set", "id", "model", "machine", "format", "engine", "version", "mode", "chips", "tensor", "pipeline", "attention_data", "moe_tensor",
           "expert", "isl", "osl", "length_mean", "concurrency", "cached", "speculative", "tpot_ms", "ttft_ms", "output_rate", "total_rate", "latency_ms", "wrong"]

# Not part of a row's hash: which rows were chosen does not depend on them.
TOLD = ["date", "kv_format", "poll_steps", "itl_p50_ms", "itl_p99_ms", "ttft_p50_ms", "ttft_p99_ms", "tpot_p99_ms", "e2e_p99_ms", "cold",
        "token_budget", "max_sequences", "whole_prompts", "requests_per_user", "balance_wait", "balance_timeout", "pools_rate", "captured_tokens"]

skipped = collections.Counter()  # (data set, reason) -> runs


# ---------------------------------------------------------------- numbers and choice


def exact(text, scale=1):
    """A measured number times a power of ten, without noise from binary fractions."""
    value = (decimal.Decimal(text) * scale).normalize()
    return format(value, "f")


def number(value):
    """Eight significant digits, shortest text; nothing for what was not said."""
    if value is None or value == "":
        return ""
    text = repr(float("%.8g" % float(value)))
    return text[:-2] if text.endswith(".0") else text


def digest(row):
    row = row[: len(SERVING)]  # of serving runs; all other rows are shorter
    return hashlib.blake2b("|".join(row).encode(), digest_size=16).hexdigest()


def choose(rows, stratum, how_many):
    """The rows whose hashes come first in each stratum."""
    groups = collections.defaultdict(list)
    for row in rows:
        groups[stratum(row)].append(row)
    taken = set()
    for group in groups.values():
        ordered = sorted(group, key=digest)
        taken.update(digest(row) for row in ordered[: how_many(group)])
    return taken


# ---------------------------------------------------------------- kernels


def kernel_files(data):
    """file -> (header, rows): every kernel row, in our columns."""
    out = {
        "gemm.csv": ["set chip kernel format m n k us".split(), []],
        "attention.csv": ["set chip kernel phase format kv_format batch heads kv_heads head_dim window tokens us".split(), []],
        "mla.csv": ["set chip kernel phase format kv_format heads batch tokens us".split(), []],
        "moe.csv": ["set chip kernel format tokens hidden size top experts slots tp ep distribution us".split(), []],
        "collective.csv": ["set chip kernel op mode chips bytes us".split(), []],
        "dispatch.csv": ["set chip kernel op format chips nodes tokens hidden top experts us".split(), []],
    }
    folder = os.path.join(data, "op_level")
    for name in sorted(os.listdir(folder)):
        chip, kind, engine, table = name[: -len(".csv")].split("__")
        if "module" in table:
            skipped["op_level " + table, "a whole attention module, not one kernel"] += 1
            continue
        with open(os.path.join(folder, name), newline="") as file:
            for row in csv.DictReader(file):
                for target, values in kernel_rows(CHIPS[chip], kind, engine, table, row):
                    out[target][1].append(values)
    for header_rows in out.values():
        seen = {}
        for row in header_rows[1]:
            seen.setdefault(digest(row), row)
        header_rows[1] = sorted(seen.values())
    return out


def kernel_rows(chip, kind, engine, table, row):
    us = exact(row["latency"], 1000) if "latency" in row else None
    kernel = row["kernel_source"].split("/")[-1] if "/" in row["kernel_source"] else row["kernel_source"]
    if kind == "gemm":
        yield "gemm.csv", ["op-gemm-" + engine, chip, kernel, FORMATS[row["gemm_dtype"]], row["m"], row["n"], row["k"], us]
    elif kind == "attention":
        decode = table.startswith("generation")
        tokens = str(int(row["isl"]) + int(row["step"]))
        yield "attention.csv", ["op-attention-" + engine, chip, kernel, "decode" if decode else "prefill", FORMATS[row["attn_dtype"]],
                                FORMATS[row["kv_cache_dtype"]], row["batch_size"], row["num_heads"], row["num_key_value_heads"], row["head_dim"],
                                row["window_size"], tokens, us]
    elif kind == "mla":
        decode = table.startswith("generation")
        tokens = str(int(row["isl"]) + int(row["step"]))
        yield "mla.csv", ["op-mla-" + engine, chip, kernel, "decode" if decode else "prefill", FORMATS[row["mla_dtype"]],
                          FORMATS[row["kv_cache_dtype"]], row["num_heads"], row["batch_size"], tokens, us]
    elif kind == "moe":
        wide = table.startswith("wideep")
        yield "moe.csv", ["op-moe-wideep" if wide else "op-moe-" + engine, chip, kernel, FORMATS[row["moe_dtype"]], row["num_tokens"],
                          row["hidden_size"], row["inter_size"], row["topk"], row["num_experts"], row.get("num_slots") or row["num_experts"],
                          row["moe_tp_size"], row["moe_ep_size"], row["distribution"], us]
    elif "deepep" in table:
        # node_num counts trays: 8 chips, but 4 on GB200 (its times grow by 4%, not 20%, from 10 to 22 experts a token).
        chips = str(int(row["node_num"]) * (4 if chip == "gb200" else 8))
        low = row["op_name"] == "ll"
        for op in ("dispatch", "combine"):
            took = row[op + "_avg_t_us"] if low else exact(decimal.Decimal(row[op + "_transmit_us"]) + decimal.Decimal(row[op + "_notify_us"]))
            name = "deepep-ll" if low else "deepep-normal-sm" + row[op + "_sms"]
            yield "dispatch.csv", ["op-deepep", chip, name, op, "fp8" if op == "dispatch" else "bf16", chips, row["node_num"], row["num_token"],
                                   row["hidden_size"], row["num_topk"], row["num_experts"], took]
    elif "alltoall" in table:
        op = row["op_name"].removeprefix("alltoall_")
        if op == "prepare":
            skipped["op_level trtllm_alltoall", "a prepare step, neither dispatch nor combine"] += 1
            return
        low = op.endswith("_low_precision")
        yield "dispatch.csv", ["op-alltoall-trtllm", chip, kernel + ("-low" if low else ""), op.removesuffix("_low_precision"),
                               FORMATS[row["moe_dtype"]], row["moe_ep_size"], "1", row["num_tokens"], row["hidden_size"], row["topk"],
                               row["num_experts"], us]
    elif table == "nccl_perf":
        byte_count = int(row["message_size"]) * (2 if row["nccl_dtype"] == "half" else 1)
        op = {"alltoall": "all_to_all"}.get(row["op_name"], row["op_name"])
        yield "collective.csv", ["op-nccl", chip, "nccl" if row["nccl_dtype"] == "half" else "nccl-int8", op, "eager", row["num_gpus"],
                                 str(byte_count), us]
    elif table == "custom_allreduce_perf":
        mode = "eager" if kernel.endswith("_eager") else "graph"
        name = kernel.removesuffix("_eager").removesuffix("_graph")
        yield "collective.csv", ["op-allreduce-" + engine, chip, name, "all_reduce", mode, row["num_gpus"], str(int(row["message_size"]) * 2), us]


def choose_kernels(target, header, rows):
    """About 80 rows a stratum of set, chip, kernel, phase or operation, and formats; fewer where strata are many and small."""
    words = [i for i, column in enumerate(header) if column in ("set", "chip", "kernel", "phase", "op", "mode", "format", "kv_format")]
    cap = {"collective.csv": 30, "dispatch.csv": 4, "moe.csv": 26, "mla.csv": 50, "attention.csv": 60}.get(target, 90)
    return choose(rows, lambda row: tuple(row[i] for i in words), lambda group: cap)


# ---------------------------------------------------------------- serving


def read_runs(data):
    """One dictionary for each measured run: the labels, and `metrics`."""
    labels = "dataset model precision hardware chips framework mode parallelism isl osl concurrency batch spec_decoding date source notes".split()
    runs = []
    with open(os.path.join(data, "measured_inference.csv"), newline="") as file:
        for row in csv.DictReader(file):
            key = [row[label] for label in labels]
            if not runs or runs[-1]["key"] != key or row["metric"] in runs[-1]["metrics"]:
                runs.append({"key": key, "metrics": {}, **{label: row[label] for label in labels}})
            runs[-1]["metrics"][row["metric"]] = float(row["value"])
    return runs


def degrees(text):
    return {name: int(value) if value else None for name, value in re.findall(r"(workers|bs|tp|pp|attn_dp|moe_tp|moe_ep)(\d*)(?=[ \]]|$)", text)}


def layout(model, tp, dp, moe_tp, moe_ep, pp=1):
    """Tensor, pipeline, attention data, moe tensor and expert degrees, and the chips they take."""
    sparse = model.startswith(SPARSE)
    return {"tensor": tp, "pipeline": pp, "attention_data": dp, "moe_tensor": moe_tp if sparse else 1, "expert": moe_ep if sparse else 1,
            "chips": tp * dp * pp}


def aic_layout(run, model, out):
    """The layouts of aiconfigurator's sample. None: not stated clearly."""
    text = run["parallelism"]
    if run["mode"] == "disagg":
        prefill, decode = (degrees(part) for part in re.findall(r"\[(.*?)\]", text))
        if not prefill.get("workers") or not decode.get("workers"):
            return None
        used = [p["workers"] * p["tp"] * p["pp"] * max(1, p["attn_dp"] or 1) for p in (prefill, decode)]
        if sum(used) != int(run["chips"]) or not run["concurrency"]:
            return None
        out["concurrency"] = float(run["concurrency"]) / decode["workers"]
        return layout(model, decode["tp"], max(1, decode["attn_dp"]), max(1, decode["moe_tp"]), max(1, decode["moe_ep"]), decode["pp"])
    d = degrees(text)
    tp, dp, moe_tp, moe_ep = d["tp"], d["attn_dp"] or 1, d["moe_tp"] or 1, d["moe_ep"] or 1
    if run["dataset"].startswith("inferencex"):
        if moe_tp == moe_ep > 1 and tp * dp == moe_tp * moe_ep:  # `tp64 moe_tp8 moe_ep8`: degrees multiplied that should not be
            tp, dp, moe_tp = (1, moe_ep, 1) if dp > 1 else (moe_ep, 1, 1)
        return layout(model, tp, dp, moe_tp, moe_ep, d["pp"])
    copies = float(run["concurrency"]) / float(run["batch"]) if run["concurrency"] else 1
    if model.startswith(SPARSE):  # batch is that of one attention rank
        if not run["concurrency"] or copies not in (1, tp):
            return None
        tp, dp = (1, tp) if copies > 1 else (tp, 1)
    else:  # batch is that of one of several equal workers
        out["concurrency"] = float(run["batch"])
    return layout(model, tp, dp, moe_tp, moe_ep, d["pp"])


def raw_layout(run, model, out):
    text = run["parallelism"]
    if run["mode"] == "agg":
        tp, ep, dp = re.fullmatch(r"tp(\d+) ep(\d+) dp_attention=(\w+)", text).groups()
        tp, ep = int(tp), int(ep)
        return layout(model, 1 if dp == "true" else tp, tp if dp == "true" else 1, tp // ep, ep)
    d = dict(part.split("=") for part in text.split())
    chips, rest = divmod(int(d["num_decode_gpu"]), int(d["decode_num_workers"]))
    tp, ep, dp = int(d["decode_tp"]), int(d["decode_ep"]), d["decode_dp_attention"] == "true"
    if rest or (tp != chips and not (dp and ep == chips)):
        return None
    out["concurrency"] = float(run["concurrency"]) / int(d["decode_num_workers"])
    return layout(model, 1 if dp else chips, chips if dp else 1, chips // ep, ep)


def plain_layout(run, model, out):
    text = run["parallelism"].lower()
    d = {name: int(value) for name, value in re.findall(r"(dep|tp|pp|ep)(\d+)", text)}
    pp = d.get("pp", 1)
    if "dep" in d or ("ep" in d and "tp" not in d):
        wide = d.get("dep") or d["ep"]
        return layout(model, 1, wide, 1, wide, pp)
    return layout(model, d["tp"], 1, d["tp"], 1, pp) if "tp" in d else None


def weights(run, model):
    text = (run["precision"] + " " + run["model"]).lower()
    if model.startswith("gpt-oss"):
        return "mxfp4"
    if "fp4" in text:
        return "mxfp4" if run["hardware"].startswith("mi") or "mxfp4" in text else "nvfp4"
    return "fp8" if "fp8" in text else "bf16"


def engine(run):
    words = run["framework"].split()
    name = words[0].lower()
    version = " ".join(words[1:])
    if run["dataset"] == "inferencemax_raw":
        found = re.findall(r"atom(\d[\d.]*\d)" if name == "atom" else r"(\d+\.\d+\.\d+(?:\.?(?:rc|post|pre|-rc)\.?\d+)*(?:\.pre\d+)?)", version)
        version = found[0] if found else ""
    name = name.removesuffix("-disagg")
    if name.startswith("dynamo-") or (name == "trtllm" and version.startswith("0.") and run["dataset"].startswith("inferencex")):
        name, version = name.removeprefix("dynamo-"), "dynamo-" + version if version else "dynamo"
    name = {"trt": "trtllm", "tensorrt-llm": "trtllm", "deepseek": "deepseek"}.get(name, name)
    if version == "TPU":
        version = "tpu"
    return name, "" if name == "deepseek" else version


def ms(run, *names):
    for name in names:
        if name in run["metrics"]:
            return run["metrics"][name] * (1 if run["dataset"] in MILLISECONDS else 1000)
    return None


MILLISECONDS = ("inferencex_via_aiconfigurator", "nvidia_dynamo_gtl_via_aiconfigurator", "trtllm_perf_overview", "google_tpu_recipes")
SET_OF = {"inferencex_via_aiconfigurator": "inferencex", "nvidia_dynamo_gtl_via_aiconfigurator": "dynamo", "inferencemax_raw": "inferencemax",
          "trtllm_perf_overview": "trtllm-overview", "llm_inference_bench": "argonne", "deepseek_production": "deepseek-production",
          "deepseek_profile": "deepseek-profile", "sglang_blog": "sglang-blog", "google_tpu_recipes": "tpu-recipes", "blis_vllm_h100": "blis"}
ARGONNE_ENGINES = ("vLLM", "TensorRT-LLM")


def serving_row(run, catalog):
    """Our columns of one run, or the reason why it is left out."""
    dataset, metrics = run["dataset"], run["metrics"]
    if dataset not in SET_OF:
        return "data set not used"
    if dataset == "llm_inference_bench" and run["framework"] not in ARGONNE_ENGINES:
        return "engine " + run["framework"] + " not used"
    model = MODELS.get(run["model"].split("/", 1)[-1].lower() if "/R1" not in run["model"] else "deepseek-v3/r1")
    if model not in catalog["model"]:
        return "model not in the catalog"
    machine = MACHINES.get(run["hardware"].lower().replace(" nvl72", ""))
    if machine is None or machine not in catalog["machine"] | {"hgx-a100-40gb"}:
        return "machine not in the catalog"
    out = {"set": SET_OF[dataset], "model": model, "machine": machine, "format": weights(run, model), "isl": run["isl"], "osl": run["osl"],
           "length_mean": 0.9 if SET_OF[dataset] in ("inferencex", "inferencemax") else 1, "speculative": int(run["spec_decoding"] == "mtp"),
           "concurrency": run["concurrency"] or run["batch"] or 0, "cached": 0, "wrong": ""}
    out["engine"], out["version"] = engine(run)
    reader = aic_layout if "aiconfigurator" in dataset else raw_layout if dataset == "inferencemax_raw" else plain_layout
    if not run["parallelism"]:
        return "layout not stated"
    degrees_found = reader(run, model, out)
    if degrees_found is None:
        return "layout not stated clearly"
    out.update(degrees_found)
    out["mode"] = {"agg": "aggregated", "disagg": "disaggregated", "static batch": "static", "online closed loop": "aggregated",
                   "in-flight batching, max load": "max-load"}.get(run["mode"], run["mode"].split(",")[0].removesuffix(" disagg"))
    if run["mode"].startswith("static batch"):
        out["mode"] = "static"
    if run["mode"].startswith("open loop"):
        out["mode"] = "open-loop"
        out["concurrency"] = metrics["requests_per_sec"] * metrics["mean_e2el"]
    if "simulated" in run["mode"]:
        return "simulated"
    per_chip = re.fullmatch(r"(\d+)/GPU", run["batch"])
    if per_chip:
        out["concurrency"] = int(per_chip[1]) * out["chips"]
    elif "tok/GPU" in run["batch"]:
        out["concurrency"] = 0
    out["tpot_ms"], out["ttft_ms"] = ms(run, "tpot", "mean_tpot"), ms(run, "ttft", "mean_ttft")
    out["latency_ms"] = ms(run, "mean_e2el", "e2e_latency")
    rates(run, out)
    if dataset == "deepseek_production":
        if out["mode"] == "decode":
            out.update(isl=4989, osl=0, tpot_ms=1000 / 21, speculative=1)
        elif out["mode"] == "prefill":  # 608 tokens in for 168 out, and 4,989 of context to each of those: prompt + answer / 2
            out.update(isl=round(4989 / (1 + 168 / 608 / 2)), osl=0, cached=342 / 608)
        else:
            return "a day of the whole fleet"
    out["osl"] = out["osl"] or 0
    if out["mode"] != "disaggregated" and int(run["chips"] or 0) not in (0, out["chips"]) and dataset != "inferencex_via_aiconfigurator":
        return "layout does not use the chips stated"
    return out


def pools_rate(run):
    """Output tokens a second over the chips of both pools, where a disaggregated run says how many those are: it counts output over those that decode."""
    pools = dict(part.split("=", 1) for part in run["parallelism"].split() if "=" in part)
    if "output_tput_per_gpu" not in run["metrics"] or not {"num_prefill_gpu", "num_decode_gpu"} <= pools.keys():
        return ""
    prefill, decode = int(pools["num_prefill_gpu"]), int(pools["num_decode_gpu"])
    return number(run["metrics"]["output_tput_per_gpu"] * decode / (prefill + decode))


def rates(run, out):
    """Tokens a second and chip. Disaggregated runs count chips of two pools: left out, see pools_rate."""
    metrics, chips = run["metrics"], out["chips"]
    out["output_rate"] = out["total_rate"] = None
    if out["mode"] == "disaggregated":
        return
    if "output_tput_per_gpu" in metrics:
        out["output_rate"] = metrics["output_tput_per_gpu"]
    for name in ("output_tput_total", "output_tokens_per_sec"):
        if name in metrics:
            out["output_rate"] = metrics[name] / chips
    if "tput_per_gpu" in metrics:
        out["total_rate"] = metrics["tput_per_gpu"]
    for name in ("throughput_in_plus_out", "total_tokens_per_sec"):
        if name in metrics:
            out["total_rate"] = metrics[name] / chips
    if "output_tput_per_node" in metrics:
        out["output_rate"] = metrics["output_tput_per_node"] / 8
    if "input_tput_per_node" in metrics:
        out["total_rate"] = metrics["input_tput_per_node"] / 8


# ---------------------------------------------------------------- rules for wrong rows: they read labels and values, never a prediction


def month(run, version):
    """When the run was made, or its engine was new: "2026-01"; nothing where neither is said."""
    if run["date"]:
        return run["date"].split("..")[-1][:7]
    return RELEASES.get((run["framework"].split()[0].lower(), version), "")


RELEASES = {("trtllm", "1.0.0rc3"): "2025-07", ("vllm", "0.12.0"): "2025-12", ("sglang", "0.5.1.post1"): "2025-08"}


def kv_format(row):
    """What the launch scripts of InferenceX set (github.com/SemiAnalysisAI/InferenceX, benchmarks/, at the run's date); nothing for the others:
    the engine's own rule then."""
    if row["set"] == "dynamo" and row["engine"] == "trtllm" and row["format"] == "fp8":
        return "fp8"  # not stated: what that engine takes for such a checkpoint, and what its long contexts look like
    if row["set"] not in ("inferencex", "inferencemax") or row["mode"] != "aggregated":
        return ""
    model, machine, engine, date = row["model"], row["machine"], row["engine"], row["date"]
    if model == "gpt-oss-120b":
        narrow = engine in ("trtllm", "atom") or (machine == "hgx-b200" and date >= "2025-12")
    elif model.startswith("deepseek"):
        narrow = not (machine == "mi355x-8" and engine == "sglang" and row["format"] == "fp8" and date < "2026-03")
    else:
        narrow = model.startswith("llama")
    return "fp8" if narrow else "bf16"


def poll_steps(row):
    """Decode steps between two looks at what came in: SGLang's --scheduler-recv-interval, as the scripts of InferenceX for B200 set it."""
    if row["set"] not in ("inferencex", "inferencemax") or row["engine"] != "sglang" or row["machine"] != "hgx-b200" or row["mode"] != "aggregated":
        return ""
    return "10" if float(row["concurrency"]) < 16 or four_chips(row) else "30"


def four_chips(row):
    """DeepSeek in fp8 over four B200: InferenceX's script (dsr1_fp8_b200_*.sh, from 2026-01-13 on) has other flags there than over eight."""
    return row["format"] == "fp8" and row["tensor"] == 4


def captured_tokens(row):
    """Of the largest step that a graph holds: max-cudagraph-capture-size (before vLLM 0.11.2 cuda-graph-sizes) of InferenceX's scripts for gpt-oss on
    NVIDIA's chips (gptoss_fp4_b200*.sh, gptoss_fp4_h*.sh); those for Llama leave it alone."""
    asked = row["set"] in ("inferencex", "inferencemax") and row["engine"] == "vllm" and row["model"].startswith("gpt-oss")
    return "2048" if asked and row["machine"].startswith("hgx-") and not row["machine"].startswith("hgx-mi") else ""


COLD = 100  # a 99th percentile of TTFT above so many medians: kernels were compiled in the first wave, though nobody marked the run


def flags(row):
    """Of the scheduler and the client, as the launch scripts of InferenceX set them (data/simulation/inferencemax_flags.csv, read in its repository)."""
    engine, model, concurrency, isl = row["engine"], row["model"], float(row["concurrency"]), float(row["isl"])
    if engine == "vllm":
        return {"token_budget": "8192", "max_sequences": number(concurrency) if row["machine"] == "hgx-h100" else "512", "requests_per_user": "10"}
    if engine == "trtllm":
        budget = 20000 if model.startswith("gpt-oss") else (concurrency + isl + 64 + 63) // 64 * 64
        told = {"token_budget": number(budget), "max_sequences": "512" if model.startswith("gpt-oss") else "", "whole_prompts": "1", "requests_per_user": "10"}
        if float(row["attention_data"]) > 1:
            told |= {"balance_wait": "10", "balance_timeout": "50"} if model.startswith("gpt-oss") else {"balance_timeout": "60"}
        return told
    if engine == "atom":  # 0.1.1: its defaults, which the scripts leave alone; its scheduler cut no prompt
        return {"token_budget": "16384", "max_sequences": "512", "whole_prompts": "1", "requests_per_user": "10"}
    if engine != "sglang":
        return {"requests_per_user": "10"}
    if row["machine"] == "hgx-b200":
        if four_chips(row):
            return {"token_budget": "8192", "max_sequences": "32", "requests_per_user": "10"}
        eight = row["format"] == "fp8"
        return {"token_budget": "32768" if eight else "16384", "max_sequences": "128" if eight else "256", "requests_per_user": "10"}
    narrow = row["format"] == "mxfp4" and isl == 8192 and concurrency > 32
    return {"token_budget": "32768" if narrow else "196608", "requests_per_user": "10"}


def in_flight(row):
    """Requests in flight on average, over the concurrency, by Little's law: the end of a run, when nobody new comes, takes some away."""
    return row["output_rate"] * row["chips"] * row["latency_ms"] / 1000 / (float(row["osl"]) * row["length_mean"]) / float(row["concurrency"])


def sent_by_many(row, usual):
    """Of DeepSeek runs, one of InferenceX's two runners sends 50 requests for a user (20 where answers are long), the other 10, and no row says
    which ran. On MI355X all runs look like the first: their burst is 1/50 of all, (mean - median) / deviation of TTFT is 1/sqrt(49). On B200
    under SGLang's fp8 script both are there, and two things tell: how many are in flight on average (`usual`: of runs known to send 10), and
    what the burst adds to the mean TTFT, over the 99th percentile."""
    if not row["model"].startswith("deepseek") or row["engine"] == "trtllm":
        return ""
    many = 50 if float(row["osl"]) == 1024 else 20
    if row["machine"] == "mi355x-8":
        return str(many)
    if row["machine"] != "hgx-b200" or row["engine"] != "sglang" or row["format"] != "fp8":
        return ""
    lost = 1 - usual[row["isl"], row["osl"], row["concurrency"]]  # of ten
    drained = (in_flight(row) - (1 - lost * (1 + 10 / many) / 2)) / (lost * (1 - 10 / many))
    burst = math.log(1 / math.sqrt(10 * many) / row["burst"]) / math.log(many / 10)
    return str(many) if drained + burst > 0 else ""


def read_percentiles(data):
    """Percentiles of InferenceMAX runs, by their mean time for a token."""
    found = {}
    with open(os.path.join(data, "simulation", "inferencemax_percentiles.csv"), newline="") as file:
        for row in csv.DictReader(file):
            bundled = float(row["mean_itl"]) > 1.5 * float(row["mean_tpot"])  # several tokens arrive at once: the gaps are not steps
            names = {"ttft_p50_ms": "median_ttft", "ttft_p99_ms": "p99_ttft", "tpot_p99_ms": "p99_tpot", "e2e_p99_ms": "p99_e2el"}
            if not bundled:
                names |= {"itl_p50_ms": "median_itl", "itl_p99_ms": "p99_itl"}
            cold = row["cold"] == "1" or float(row["p99_ttft"]) > COLD * float(row["median_ttft"])
            if cold:  # compiling in the first wave: only the medians tell
                names = {ours: theirs for ours, theirs in names.items() if theirs.startswith("median")}
            told = {ours: number(float(row[theirs]) * 1000) for ours, theirs in names.items()}
            mean, median, late = (float(row[name]) for name in ("mean_ttft", "median_ttft", "p99_ttft"))
            told["burst"] = max(1e-3, (mean - median) / (late - median))
            found[number(float(row["mean_tpot"]) * 1000)] = told | ({"cold": "1"} if cold else {})
    return found


def mark_wrong(rows):
    raw = {round(row["tpot_ms"], 9) for row in rows if row["set"] == "inferencemax"}
    raw_layouts = {plan(row) for row in rows if row["set"] == "inferencemax"}
    for row in rows:
        row["wrong"] = rule(row, raw)
    groups = collections.defaultdict(list)
    for row in rows:
        if row["set"] == "inferencex":
            groups[row["tpot_ms"]].append(row)
    for group in groups.values():  # the first stays: the V3 label, then a layout that raw runs have, then fewer chips
        group.sort(key=lambda row: (row["model"] == "deepseek-r1", plan(row) not in raw_layouts, row["chips"], row["id"]))
        for row in group[1:]:
            row["wrong"] = row["wrong"] or "duplicate-label"
    for row in rows:
        if row["set"] == "inferencex" and row["model"] == "deepseek-r1" and not row["wrong"]:
            row["wrong"] = "unlabeled-mtp"
    mark_argonne_lengths(rows)


def plan(row):
    return tuple(row[name] for name in ("machine", "engine", "mode", "tensor", "attention_data", "moe_tensor", "expert"))


def rule(row, raw):
    name = row["set"]
    small = row["machine"] == "hgx-a100-40gb" and not HAVE_40GB
    if small:
        row["machine"] = "hgx-a100"
    if name == "inferencex" and row["mode"] == "aggregated" and row["machine"] == "gb200-nvl72" and row["tensor"] > 8:
        return "summed-layout"
    if row["model"].startswith("deepseek") and row["moe_tensor"] > 16:
        return "split-too-fine"
    if row["model"] == "gpt-oss-120b" and row["machine"] == "hgx-h100" and float(row["concurrency"]) == 512:
        return "gpt-oss-h100-512"
    if name == "inferencex" and round(row["tpot_ms"], 9) in raw:
        return "duplicate-raw"
    if name == "dynamo" and row["engine"] == "sglang":
        return "lock-step"
    if name == "dynamo" and row["isl"] in ("2000", "4000", "15000"):
        return "planned-load"
    if name == "trtllm-overview" and row["version"] == "v0.9" and row["model"] == "mixtral-8x7b" and row["machine"] == "hgx-a100" \
            and (row["tensor"], str(row["concurrency"]), row["isl"], row["osl"]) == (2, "32", "2048", "2048"):
        return "mixtral-a100-tp2"
    if name == "argonne" and row["engine"] == "trtllm" and row["model"] == "mixtral-8x7b":
        return "argonne-mixtral"
    if small:
        return "a100-40gb"
    if row["tpot_ms"] and row["ttft_ms"] and row["latency_ms"]:
        told = row["ttft_ms"] + row["tpot_ms"] * (float(row["osl"]) * row["length_mean"] - 1)
        if abs(told / row["latency_ms"] - 1) > 0.2:
            return "tpot-latency"
    return ""


def mark_argonne_lengths(rows):
    """A run of twice the length in less time than the shorter one of the same configuration."""
    series = collections.defaultdict(dict)
    for row in rows:
        if row["set"] == "argonne":
            series[row["model"], row["machine"], row["engine"], row["tensor"], row["concurrency"]].setdefault(int(row["isl"]), []).append(row)
    for lengths in series.values():
        ordered = sorted(lengths)
        for shorter, longer in zip(ordered, ordered[1:]):
            for row in lengths[longer]:
                if row["latency_ms"] < min(other["latency_ms"] for other in lengths[shorter]):
                    row["wrong"] = "argonne-length"


HAVE_40GB = os.path.exists(os.path.join(ROOT, "catalog", "machine", "hgx-a100-40gb.toml"))


def serving(data):
    catalog = {kind: {name[: -len(".toml")] for name in os.listdir(os.path.join(ROOT, "catalog", kind))} for kind in ("model", "machine")}
    rows, seen, percentiles = [], set(), read_percentiles(data)
    for run in read_runs(data):
        made = serving_row(run, catalog)
        if isinstance(made, str):
            skipped[run["dataset"], made] += 1
            continue
        values = [made.get(name) for name in SERVING if name not in ("id", "wrong", "cached")]
        made["id"] = hashlib.blake2b("|".join(map(str, values + [run["date"], run["source"], run["notes"]])).encode(), digest_size=5).hexdigest()
        if made["id"] in seen:
            skipped[run["dataset"], "the same row twice"] += 1
            continue
        seen.add(made["id"])
        made["date"] = month(run, made["version"])
        made["kv_format"] = kv_format(made)
        made["poll_steps"] = poll_steps(made)
        made["captured_tokens"] = captured_tokens(made)
        if made["mode"] == "disaggregated":
            made["pools_rate"] = pools_rate(run)
        if made["set"] == "inferencemax":
            made.update(percentiles.get(number(made["tpot_ms"]), {}))
            if "ttft_p50_ms" in made and made["mode"] == "aggregated":
                made.update(flags(made))
        rows.append(made)
    told = [row for row in rows if "burst" in row and row["mode"] == "aggregated" and not row["speculative"]]
    alike = collections.defaultdict(list)
    for row in told:
        if row["engine"] == "vllm":
            alike[row["isl"], row["osl"], row["concurrency"]].append(in_flight(row))
    usual = {load: statistics.median(shares) for load, shares in alike.items()}
    for row in told:
        row["requests_per_user"] = sent_by_many(row, usual) or row["requests_per_user"]
    mark_wrong(rows)
    texts = {"set", "id", "model", "machine", "format", "engine", "version", "mode", "wrong"}
    return sorted([str(row[name]) if name in texts else number(row[name]) for name in SERVING] + [row.get(name, "") for name in TOLD] for row in rows)


STEPS = ["set", "chip", "model", "layers", "phase", "batch", "tokens", "us"]


def steps(data):
    """Whole steps on one chip, measured for this project: decode steps and prompts of models with some of their layers."""
    rows = []
    with open(os.path.join(data, "h200_torch.json")) as file:
        for one in json.load(file):
            if one["kind"] not in ("decode", "prefill"):
                continue
            model = one["model"].split("/")[0]
            tokens = one["context"] if one["kind"] == "decode" else one["tokens"]
            rows.append(["h200-torch", "h200-sxm", model, str(one["layers"]), one["kind"], str(one.get("batch", 1)), str(tokens),
                         number(one["s"] * 1e6)])
    return sorted(rows)


def choose_serving(rows):
    """Half of each stratum of credible rows, one in six where the load is a static batch or not stated, at least one; and one in ten of
    the rows marked wrong, so that each rule can be seen at work."""
    at = {name: i for i, name in enumerate(SERVING)}
    coarse = ("argonne", "trtllm-overview")

    def stratum(row):
        if row[at["wrong"]]:
            return row[at["set"]], row[at["wrong"]]
        if row[at["set"]] in coarse:
            return tuple(row[at[name]] for name in ("set", "machine", "model", "engine", "version", "format", "mode", "tensor"))
        concurrency = float(row[at["concurrency"]])
        band = math.floor(math.log2(concurrency) / 2) if concurrency > 0 else -1
        names = ("set", "machine", "model", "engine", "format", "mode", "tensor", "pipeline", "attention_data", "expert", "isl", "osl", "speculative")
        return (band,) + tuple(row[at[name]] for name in names)

    def how_many(group):
        first = group[0]
        if first[at["mode"]] == "static" and first[at["set"]] == "trtllm-overview" and not first[at["wrong"]]:
            return len(group)  # few, and a half of them judges a fit to the other
        return math.ceil(len(group) / 10) if first[at["wrong"]] else max(1, len(group) // (6 if first[at["set"]] in coarse else 2))

    return choose(rows, stratum, how_many)


JUDGED_SETS = ("inferencex", "inferencemax", "dynamo")  # those with a TPOT under a stated load
JUDGED = SERVING + ["date", "kv_format", "captured_tokens"]


def judged(rows, taken):
    """Credible runs of one pool without speculation that were not chosen: decisions are judged among them as well."""
    at = {name: i for i, name in enumerate(SERVING + TOLD)}
    kept = [row for row in rows if digest(row) not in taken and row[at["set"]] in JUDGED_SETS and not row[at["wrong"]]
            and row[at["mode"]] == "aggregated" and row[at["speculative"]] == "0"]
    return [[row[at[name]] for name in JUDGED] for row in kept]


# ---------------------------------------------------------------- writing


def write(path, header, rows):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def main():
    words = sys.argv[1:]
    which = next((word for word in words if word in ("--all", "--rest")), "")
    folders = [word for word in words if not word.startswith("--")]
    data = os.environ.get("RIDGE_DATA")
    if len(folders) != 1 or not data:
        sys.exit("usage: RIDGE_DATA=... import_evidence.py [--all | --rest] OUT")
    out = folders[0]
    os.makedirs(out, exist_ok=True)
    files = kernel_files(data)
    files["serving.csv"] = [SERVING + TOLD, serving(data)]
    files["steps.csv"] = [STEPS, steps(data)]
    used = set()
    for target, (header, rows) in files.items():
        taken = (choose_serving(rows) if target == "serving.csv" else {digest(row) for row in rows} if target == "steps.csv"
                 else choose_kernels(target, header, rows))
        kept = rows if which == "--all" else [row for row in rows if (digest(row) in taken) == (which == "")]
        used.update(row[0] for row in kept)
        write(os.path.join(out, target), header, kept)
        sets = collections.Counter(row[0] for row in kept)
        print(f"{target}: {len(kept)} of {len(rows)}   " + ", ".join(f"{name} {count}" for name, count in sorted(sets.items())))
        if target == "serving.csv" and which == "":
            write(os.path.join(out, "judged.csv"), JUDGED, judged(rows, taken))
        if target == "serving.csv":
            marks = collections.Counter(row[SERVING.index("wrong")] for row in kept)
            print("  wrong: " + ", ".join(f"{name or '(credible)'} {count}" for name, count in sorted(marks.items())))
    write(os.path.join(out, "sets.csv"), ["set", "title", "source", "licence", "date", "note"],
          [[name, *SETS[name]] for name in sorted(used)])
    for (dataset, reason), count in sorted(skipped.items()):
        print(f"  left out: {dataset}: {reason}: {count}")


main()
