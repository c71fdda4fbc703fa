#!/usr/bin/env python3
"""Turns the measured training runs of RIDGE_DATA into catalog/evidence/training.csv.

    RIDGE_DATA=... tools/import_training.py [--all | --rest] OUT

Writes training.csv and the sets it needs (sets.csv) into the folder OUT: the chosen rows (those that stand in catalog/evidence), with
--all every row, with --rest those that were not chosen. Which rows are chosen, and which of them are fitted, depends on a hash of a row's own
text and on nothing else. The rules for rows that are left out are told in catalog/evidence/README.md; what was left out is counted on standard error.
"""
import collections
import csv
import hashlib
import json
import os
import re
import sys

COLUMNS = ("set id model machine kind recipe framework recompute half chips global_batch micro_batch sequence tensor pipeline context expert "
           "expert_tensor virtual_stages zero sequence_parallel step_s forward_s backward_s optimizer_s kept_bytes state_bytes peak_bytes failed shard_group workspace_bytes scale_out_gb_s memory_gb_s captured gathers_tokens last_stage reserved first_stage").split()
SETS = {
    "train-llm-foundry": ("llm-foundry's training benchmarks", "mosaicml/llm-foundry at 8c8dd48f7, scripts/train/benchmarking", "Apache-2.0", "2023 to 2024",
                          ""),
    "train-bridge": ("Megatron-Bridge performance pages", "NVIDIA-NeMo/Megatron-Bridge at 067f987df, docs/performance-summary and its archive", "Apache-2.0",
                     "2025-09 to 2026-08", "recomputation from the recipe of the same name at that commit; tokens/s rounded to 2 %"),
    "train-nemo": ("NeMo performance page", "NVIDIA/NeMo at a2aa70a228, docs/source/performance", "Apache-2.0", "2025-02", ""),
    "train-automodel": ("NeMo Automodel performance page", "NVIDIA-NeMo/Automodel performance summary", "Apache-2.0", "2026-08-22", ""),
    "train-torchtitan": ("torchtitan benchmarks", "pytorch/torchtitan benchmarks", "BSD-3-Clause", "2024-12",
                         "H100 with 96 GB of HBM2e at 500 W, taken for an HGX H100 with such memory; selective recomputation by operation taken for half of the layers"),
    "train-sc21": ("Megatron-LM, SC21", "Narayanan et al. 2021, tables 1 and 2", "see source (not verified)", "2021", "TFLOP/s count recomputation"),
    "train-seqpar": ("Reducing activation recomputation", "Korthikanti et al. 2022, tables 4 and 5", "see source (not verified)", "2022", ""),
    "train-papers": ("Model reports", "Llama 3, MT-NLG, BLOOM, MegaScale, Nemotron-4", "see source (not verified)", "2022 to 2024", "micro-batch taken as 1 where not said"),
    "train-h200": ("One H200, PyTorch 2.11", "measured for this project: medians", "this project's own", "2026", ""),
    "train-vtrain": ("vTrain's measured iterations", "VIA-Research/vTrain at f8dda84", "see source (not verified)", "2023",
                     "Megatron-DeepSpeed on A100; several nodes with 4 x 200 Gb/s each"),
    "train-golden": ("Allocated memory of Megatron-LM's CI runs", "NVIDIA/Megatron-LM at d98e8a64dd, tests/functional_tests", "see source (not verified)", "2026", ""),
    "train-ultrascale": ("Memory of nanotron layouts", "The Ultra-Scale Playbook (Hugging Face), benchmark chart data", "Apache-2.0", "2025", "throughput is not used"),
    "train-memory": ("Memory of published runs", "torchtitan, Megatron-Bridge and others, as TRAINING data lists them", "see source (not verified)", "2024 to 2026", ""),
}
left_out = collections.Counter()


def rows_of(data, *path):
    with open(os.path.join(data, *path), newline="") as file:
        return list(csv.DictReader(file))


def shape(**words):
    return " ".join("%s=%s" % (k, int(v)) if v is not True else k for k, v in words.items() if v)


def gpt(layers, hidden, heads, vocab, sequence):
    return shape(layers=layers, hidden=hidden, heads=heads, ffn=4 * hidden, vocab=vocab, tied=True, positions=sequence)


CATALOG = {
    "deepseekv3": ("deepseek-v3", "moe"), "deepseekv3 (w/ mtp)": ("deepseek-v3", "moe"), "deepseek v3 671b": ("deepseek-v3", "moe"),
    "gpt oss 120b": ("gpt-oss-120b", "moe"), "gpt-oss 120b": ("gpt-oss-120b", "moe"), "qwen3_235b_a22b": ("qwen3-235b-a22b", "moe"),
    "qwen3_30b_a3b": ("qwen3-30b-a3b", "moe"), "qwen3 moe 30b": ("qwen3-30b-a3b", "moe"), "kimi k2": ("kimi-k2", "moe"),
    "nemotron_3_super": ("nemotron-3-super", "hybrid"), "nemotron v3 super 120b (26.02)": ("nemotron-3-super", "hybrid"),
    "nemotron_3_nano": ("nemotron-3-nano", "hybrid"),
    "deepseekv4 flash": ("deepseek-v4-flash", "moe"), "llama3.1_405b": ("llama-3.1-405b", "dense"), "llama3_70b": ("llama-3-70b", "dense"),
    "llama3-70b": ("llama-3-70b", "dense"), "llama3 70b": ("llama-3-70b", "dense"), "llama 3 70b": ("llama-3-70b", "dense"),
    "llama 3.1 70b": ("llama-3.1-70b", "dense"), "llama3_8b": ("llama-3-8b", "dense"), "llama3-8b": ("llama-3-8b", "dense"), "llama 3 8b": ("llama-3-8b", "dense"),
    "llama 3.1 8b": ("llama-3.1-8b", "dense"), "llama 3.1 405b": ("llama-3.1-405b", "dense"), "llama2-7b": ("llama-2-7b", "dense"),
    "llama2-13b": ("llama-2-13b", "dense"), "deepseekv3 (w/o mtp)": ("deepseek-v3", "moe"), "deepseekv3 (dropless)": ("deepseek-v3", "moe"),
}
LLAMA2_70B = shape(layers=80, hidden=8192, heads=64, kv=8, ffn=28672, gated=True, vocab=32000)
NEMOTRON_340B = shape(layers=96, hidden=18432, heads=96, kv=8, head_dim=192, ffn=73728, vocab=256000)
SHAPES = {
    "gpt3-20b": gpt(44, 6144, 48, 51200, 2048), "gpt3-175b": gpt(96, 12288, 96, 51200, 2048), "gpt-3 175b": gpt(96, 12288, 96, 51200, 2048),
    "gpt 175b": gpt(96, 12288, 96, 51200, 2048), "llama2-70b": LLAMA2_70B, "nemotron-340b": NEMOTRON_340B, "nemotron-4 340b": NEMOTRON_340B,
    "nemotron-22b": shape(layers=40, hidden=6144, heads=48, kv=8, ffn=24576, vocab=256000), "megatron 22b": gpt(48, 6144, 64, 51200, 2048),
    "megatron 1t": gpt(128, 25600, 160, 51200, 2048), "mt-nlg 530b": gpt(105, 20480, 128, 51200, 2048), "gpt 529.6b": gpt(105, 20480, 128, 51200, 2048),
    "gpt 174.6b": gpt(96, 12288, 96, 51200, 2048), "bloom 176b": shape(layers=70, hidden=14336, heads=112, ffn=57344, vocab=250880, tied=True),
    "opt-175b": gpt(96, 12288, 96, 50272, 2048),
}
MPT = {"125m": (12, 768, 12), "350m": (24, 1024, 16), "760m": (24, 1536, 12), "1b": (24, 2048, 16), "3b": (32, 2560, 20), "7b": (32, 4096, 32),
       "13b": (40, 5120, 40), "30b": (48, 7168, 56), "70b": (80, 8192, 64)}
MACHINES = [("gb200", "gb200-nvl72"), ("b200", "hgx-b200"), ("h100", "hgx-h100"), ("a100", "hgx-a100"), ("h200", "hgx-h200")]


# chips that are those of the machine but for their memory: datasheet of the A100 40 GB, torchtitan's notes
MEMORY = {"a100_40gb": 1555, "H100-96GB-HBM2e-500W": 2400}


def machine_of(text):
    for word, name in MACHINES:
        if word in text.lower():
            return name
    return None


def model_of(row):
    name = row["model"].lower()
    if name in CATALOG:
        return CATALOG[name]
    if name in SHAPES:
        return SHAPES[name], "dense"
    if name.startswith("mpt-"):
        layers, hidden, heads = MPT[name[4:]]
        return gpt(layers, hidden, heads, 50368, float(row["seq_len"])), "dense"
    found = re.search(r"\(h(\d+) l(\d+) a(\d+) v(\d+)\)", name)
    if found:
        hidden, layers, heads, vocab = map(int, found.groups())
        return gpt(layers, hidden, heads, vocab, 2048), "dense"
    return None, None


def recipe_of(text, dataset):
    text = text.lower()
    if "pure" in text:
        return "pure-bf16"
    if text.startswith("amp_bf16"):
        return "amp-bf16"
    if "nvfp4" in text:
        return "nvfp4"
    if "mx" in text:
        return "mxfp8"
    if "128x128" in text:
        return "fp8-block128"
    if "fp8" in text:
        return "fp8"
    if dataset == "torchtitan":
        return "amp-bf16"
    return "bf16" if dataset.startswith(("megatron_s", "mt_nlg", "bloom", "opt")) else "bf16-reduce16"


FRAMEWORKS = {"mosaicml_llm_foundry": "llm-foundry-2023", "nvidia_nemo_perf_summary": "megatron-2024", "nvidia_nemo_automodel": "automodel-2026",
              "megatron_sc21": "megatron-2021", "megatron_sc21_ptdp": "megatron-2021",
              # "Using DeepSpeed and Megatron to Train MT-NLG 530B"; BLOOM on BigScience's Megatron-DeepSpeed
              "mt_nlg": "megatron-deepspeed-2022", "bloom": "megatron-deepspeed-2022",
              "megatron_seqpar_selective": "megatron-2022", "llama3_paper": "megatron-2024", "megascale": "megatron-2024",
              "nemotron4_340b": "megatron-2024", "nvidia_dgxc": "megatron-2024"}
SET_OF = {"mosaicml_llm_foundry": "train-llm-foundry", "nvidia_megatron_bridge": "train-bridge", "nvidia_nemo_perf_summary": "train-nemo",
          "nvidia_nemo_automodel": "train-automodel", "torchtitan": "train-torchtitan", "megatron_sc21": "train-sc21", "megatron_sc21_ptdp": "train-sc21",
          "megatron_seqpar_selective": "train-seqpar"}


def bridge_generation(date):
    """Releases that were measured alike: 25.09 and 25.11; 26.02 and 26.04; 26.06 and 26.08."""
    return "bridge-25.09" if date.startswith("NeMo 25") else "bridge-26.02" if date < "NeMo 26.06" else "bridge-26.06"


def framework_of(row):
    if row["dataset"] == "nvidia_megatron_bridge":
        return bridge_generation(row["date"])
    if row["dataset"] == "torchtitan":
        return "torchtitan-eager" if row["notes"].endswith("eager") else "torchtitan-2024"
    return FRAMEWORKS.get(row["dataset"])


FAMILY = {"deepseek-v3": "deepseek_v3", "gpt-oss-120b": "gpt_oss_120b", "qwen3-235b-a22b": "qwen3_235b_a22b", "qwen3-30b-a3b": "qwen3_30b_a3b",
          "nemotron-3-super": "nemotron_3_super", "nemotron-3-nano": "nemotron_3_nano", "llama-3.1-405b": "llama31_405b", "llama-3-70b": "llama3_70b",
          "llama-3-8b": "llama3_8b", "deepseek-v4-flash": "deepseek_v4_flash"}
GPU = {"gb200-nvl72": "gb200", "hgx-b200": "b200", "hgx-h100": "h100"}
SUFFIX = {"mxfp8": "fp8mx", "fp8": "fp8cs", "nvfp4": "nvfp4", "bf16-reduce16": "bf16", "fp8-block128": "fp8sc"}


def bridge_recipe(recipes, model, machine, recipe, row):
    """The recipe with the same model, chip and precision: of the same layout where there is one; nothing where all differ."""
    same = [r for r in recipes if r["recipe"].startswith(FAMILY.get(model, "?") + "_pretrain") and r["gpu"] == GPU.get(machine)]
    exact = [r for r in same if SUFFIX.get(recipe, "?") in r["recipe"].split("_")]
    def fits(r):
        pairs = (("tensor_model_parallel_size", "tp"), ("pipeline_model_parallel_size", "pp"), ("context_parallel_size", "cp"),
                 ("expert_model_parallel_size", "ep"), ("micro_batch_size", "micro_batch"))
        return all((r[a] or "1") in ("None", row[b] or "1", "") for a, b in pairs)
    for group in (exact, same):
        for r in group:
            if fits(r):
                return r
    return None


def words_of(recipe):
    if recipe is None:
        return "none"
    kind = recipe["recompute_granularity"].strip("'")
    if kind == "full":
        layers = recipe["recompute_num_layers"]
        return "full" if not layers or recipe["recompute_method"].strip("'") == "uniform" else "full:" + layers
    modules = re.findall(r"[a-z_]+", recipe["recompute_modules"])
    known = {"mla_up_proj", "mlp", "moe_act", "moe", "layernorm", "core_attn"}
    return "+".join(m for m in modules if m in known) or "none"


def layers_of(model):
    known = {"llama-3.1-8b": 32, "llama-3.1-70b": 80, "llama-3.1-405b": 126, "llama-3-8b": 32, "llama-3-70b": 80}
    return known.get(model, 0)


def measured_steps(data):
    recipes = rows_of(data, "training", "megatron_bridge_perf_recipes.csv")
    seen = {}
    for row in rows_of(data, "measured_training.csv"):
        source = row["dataset"]
        def skip(why):
            left_out[source, why] += 1
        notes = row["notes"].lower()
        model, kind = model_of(row)
        machine = machine_of(row["hardware"])
        framework = framework_of(row)
        if "tpu" in row["hardware"].lower() or framework is None:
            skip("no layout, or no GPU"); continue
        if source == "nvidia_nemo_perf_summary" and row["date"] == "2024-09":
            skip("a copy of 2025-02"); continue
        if "lora" in notes or "sft" in notes:
            skip("fine-tuning"); continue
        if "tokendrop" in row["model"]:
            skip("drops tokens"); continue
        if "w/o MTP" in row["model"]:
            skip("trained without its prediction module"); continue
        if "Lightning" in row["model"]:
            # 26 % more FLOP a token than Nemotron 3 Nano by the page's own TFLOP/s over tokens/s
            skip("trained with a prediction module that the catalog's model has not"); continue
        if source == "llama3_paper":
            skip("interleaving not said"); continue
        if "128x128" in row["precision"]:
            skip("second half of a cell"); continue
        if model is None or machine is None or not row["chips"] or not row["global_batch_seqs"] or not row["seq_len"]:
            skip("model, machine, batch or length not said"); continue
        if kind != "dense" and not row["ep"]:
            skip("experts without expert parallelism"); continue
        tp, pp, cp, ep = (int(row[k] or 1) for k in ("tp", "pp", "cp", "ep"))
        if source == "nvidia_megatron_bridge" and pp > 1 and not row["vp"]:
            skip("stages without interleaving said: ambiguous"); continue
        if not row["tp"] and not row["dp_or_fsdp"]:
            skip("no layout"); continue
        vp = int(row["vp"] or 1)
        chips, batch, length = int(row["chips"]), int(row["global_batch_seqs"]), int(row["seq_len"])
        if source == "megatron_sc21" and pp > 1:
            vp = {"310.1": 3, "529.6": 3, "1008.0": 2}.get(row["params_b"], 1)
        if source == "megatron_seqpar_selective" and pp > 1:
            vp = {"175": 3, "1000": 1}.get(row["params_b"], vp)
        data_ways = chips // (tp * pp * cp)
        if data_ways * tp * pp * cp != chips or data_ways == 0:
            skip("degrees do not divide the chips"); continue
        micro = row["micro_batch"].split()[0] if row["micro_batch"] else ""
        if source == "torchtitan" and pp == 1:
            micro = str(max(1, batch // data_ways))
        elif source == "torchtitan":
            micro = str(max(1, batch // data_ways // pp))  # as many micro-batches as stages, unless said
        micro = int(micro or 1)
        if batch % (data_ways * micro):
            skip("batch does not divide"); continue
        flops = None
        if row["step_time_s"]:
            step = float(row["step_time_s"])
        elif row["tokens_per_s_per_chip"]:
            step = batch * length / (chips * float(row["tokens_per_s_per_chip"]))
        elif row["tflops_per_chip"] and source in ("megatron_sc21", "megatron_sc21_ptdp", "bloom"):
            step = hardware_flops(model, length) * batch * length / (chips * float(row["tflops_per_chip"]) * 1e12)
        else:
            skip("no rate"); continue
        recipe = recipe_of(row["precision"], source)
        captured = 0
        zero, recompute = 1, {"": "none", "none": "none", "full": "full", "selective": "selective", "selective+seqpar": "selective"}[row["recompute"]]
        if source == "nvidia_megatron_bridge":
            found = bridge_recipe(recipes, model, machine, recipe, row)
            recompute = words_of(found)
            # whole steps with experts are captured since Megatron-Bridge 0.5.0, which came with 26.06
            whole = found is not None and "full_iteration" in found["cuda_graph_impl"] + found["cuda_graph_scope"]
            captured = int(whole and kind != "dense" and framework == "bridge-26.06")
            if found is not None and found["use_megatron_fsdp"] == "True":
                zero = 3
        if "FULL_SHARD" in row["dp_or_fsdp"] or row["dp_or_fsdp"].startswith("fsdp"):
            zero = 3
        if row["dp_or_fsdp"] == "SHARD_GRAD_OP":
            zero = 2
        if source in ("megatron_sc21", "megatron_sc21_ptdp", "megatron_seqpar_selective", "mt_nlg"):
            zero = 0
        first = {}  # as a row was read first: the hash that chose its half must not move
        if source in ("mt_nlg", "bloom"):
            first["framework"] = "megatron-2021"
        if source.startswith("megatron_s"):
            first["recipe"], recipe = recipe, "bf16-reduce16"  # fp16, and so are their gradients
        if source == "torchtitan" and pp > 1:
            first.update(zero=zero, micro_batch=1)
            zero = 2  # with stages weights stay gathered after the forward pass: reshard_after_forward = not pp_enabled
        if source == "torchtitan" and recompute == "selective":
            recompute = "full:%d" % (layers_of(model) // (2 * pp))
        if source == "nvidia_nemo_automodel" and kind == "dense":
            recompute = "full"  # not said; it does not fit without
        parallel = tp > 1 and not (source in ("megatron_sc21", "megatron_sc21_ptdp", "mt_nlg", "bloom") or row["recompute"] == "full" and source == "megatron_seqpar_selective")
        out = dict(set=SET_OF.get(source, "train-papers"), model=model, machine=machine, kind=kind, recipe=recipe, framework=framework, recompute=recompute,
                   chips=chips, global_batch=batch, micro_batch=micro, sequence=length, tensor=tp, pipeline=pp, context=cp,
                   expert=ep if kind != "dense" else 1, expert_tensor=1, virtual_stages=vp, zero=zero, sequence_parallel=int(parallel), step_s="%.6g" % step)
        key = tuple(v for k, v in out.items() if k not in ("step_s",)) + (row["date"],)
        if key in seen:
            skip("the same layout again"); continue
        seen[key] = True
        out.update(first=first, captured=captured or "", memory_gb_s=MEMORY.get(row["hardware"], ""))
        yield out


def hardware_flops(text, length):
    """SC21's own formula, recomputation included: 96 B s l h^2 (1 + s/6h + V/16lh), for a token."""
    w = dict(p.split("=") for p in text.split() if "=" in p)
    layers, hidden, vocab = (float(w[k]) for k in ("layers", "hidden", "vocab"))
    return 96 * layers * hidden**2 * (1 + length / (6 * hidden) + vocab / (16 * layers * hidden))


def vtrain(data):
    for row in rows_of(data, "training", "vtrain_a100_measured.csv"):
        layers, hidden, heads, length = (int(row[k]) for k in ("layers", "hidden", "heads", "seq"))
        tp, dp, pp = (int(row[k]) for k in ("tp", "dp", "pp"))
        if int(row["global_batch_seqs"]) % (dp * int(row["micro_batch"])):
            left_out["vtrain", "batch does not divide"] += 1
            continue
        if heads % tp or layers < pp:
            left_out["vtrain", "degrees do not divide"] += 1
            continue
        yield dict(set="train-vtrain", model=gpt(layers, hidden, heads, 51200, length), machine="hgx-a100", kind="dense", recipe="bf16-reduce16", framework="megatron-deepspeed-2022",
                   # trained in fp16, gradients added up in 16 bit when all are there ("use_gradient_bucket": false)
                   first=dict(recipe="bf16"),
                   scale_out_gb_s=12.5,  # four adapters of 200 Gb/s for eight chips: "inter_node_bandwidth": 800 in its configurations
                   recompute="full", chips=int(row["gpus"]), global_batch=int(row["global_batch_seqs"]), micro_batch=int(row["micro_batch"]), sequence=length,
                   tensor=tp, pipeline=pp, context=1, expert=1, expert_tensor=1, virtual_stages=1, zero=0, sequence_parallel=0,
                   step_s="%.6g" % (float(row["iteration_ms"]) / 1e3))


def h200(data):
    with open(os.path.join(data, "h200_training.json")) as file:
        runs = json.load(file)
    for r in runs:
        words = dict(layers=r["L"], hidden=r["d"], heads=r["h"], kv=r["kv"], head_dim=r["hd"], ffn=r["f"], gated=True, vocab=r["V"])
        if "E" in r:
            words.update(experts=r["E"], top=r["k"], expert_ffn=r["f"])
            if r["shared"]:
                words.update(shared_ffn=r["f"] * r["shared"])
        total = r["fwd_s"] + r["bwd_s"] + r["opt_s"]
        yield dict(set="train-h200", model=shape(**words), machine="hgx-h200", kind="moe" if "E" in r else "dense", recipe="bf16-master",
                   framework="torch-compiled" if r["mode"] != "eager" else "torch-eager", recompute={"none": "none", "mlp": "moe+mlp_layernorm" if "E" in r else "mlp+mlp_layernorm", "full": "full"}[r["policy"]],
                   chips=1, global_batch=r["micro_batch"], micro_batch=r["micro_batch"], sequence=r["seq"], tensor=1, pipeline=1, context=1, expert=1, expert_tensor=1,
                   virtual_stages=1, zero=0, sequence_parallel=0, step_s="%.6g" % total, forward_s="%.6g" % r["fwd_s"], backward_s="%.6g" % r["bwd_s"],
                   optimizer_s="%.6g" % r["opt_s"], kept_bytes=r["kept_bytes"], state_bytes=r["static_bytes"], peak_bytes=r["peak_bytes"])


def ultrascale(data):
    for r in rows_of(data, "training", "ultrascale_h100_sweep.csv"):
        dp, tp, pp, micro = (int(r[k]) for k in ("dp", "tp", "pp", "micro_batch"))
        batch = dp * micro * int(r["grad_acc"])
        if int(r["heads"]) % tp or int(r["layers"]) < pp:
            left_out["ultrascale", "degrees do not divide"] += 1
            continue
        peak = float(r["gpu_memory_gb"] or 0)
        if r["status"] == "ok" and not peak:
            left_out["ultrascale", "no memory"] += 1
            continue
        yield dict(set="train-ultrascale", model=shape(layers=r["layers"], hidden=r["hidden"], heads=r["heads"], kv=r["kv_heads"], ffn=r["ffn"], gated=r["gated"] == "1",
                                                       vocab=r["vocab"], tied=r["tied"] == "1"),
                   machine="hgx-h100", kind="dense", recipe="bf16-accumulate", framework="nanotron-2025", recompute="none", chips=int(r["gpus"]), global_batch=batch, micro_batch=micro,
                   sequence=int(r["seq"]), tensor=tp, pipeline=pp, context=1, expert=1, expert_tensor=1, virtual_stages=1, zero=int(r["zero"]), sequence_parallel=1,
                   # nanotron's table says GB and divides by 1024^3 (helpers.py, create_table_log); rank 0 writes it, a chip of the first stage
                   peak_bytes="%.6g" % (peak * 2**30) if r["status"] == "ok" else "", first_stage=1, failed=0 if r["status"] == "ok" else 1,
                   first=dict(peak_bytes="%.6g" % (peak * 1e9) if r["status"] == "ok" else ""))


def hidden_of(row):
    return int(row["hidden"] or 0)


# tests whose configuration leaves cuBLAS its usual workspaces (model_config.yaml at d98e8a64dd)
USUAL_WORKSPACES = "nondeterministic|_cp2(_|$)|reshard|cross_entropy_loss_fusion|ep4_etp1_(mtp|memory|resume|selective)"
# those whose experts are grouped products (--moe-grouped-gemm), and those whose tokens are exchanged; the others gather them
GROUPED = "groupedGEMM|ddp_average|top2router|etp1|moe_mcore_te|proxy"
EXCHANGED = "a2a|memory_speed|mtp_resume|attn_cudagraph|selective|offloading|tp4_ep2|proxy"
PADDED_TO = {"gpt3_mcore_te_tp2_pp2_ep4_etp1_memory_speed": 3232}  # --make-vocab-size-divisible-by, where not 128


def golden(data):
    for r in rows_of(data, "training", "megatron_golden_memory.csv"):
        def skip(why):
            left_out["golden", why] += 1
        if r["family"] == "hybrid" or not r["layers"] or not r["hidden"] or not r["heads"]:
            skip("shape not said"); continue
        if r["fp16"] or r["optimizer"] == "muon" or r["fp8"]:
            skip("fp16, fp8 or Muon"); continue
        if r["uneven_first"] or r["uneven_last"] or r["pp_layout"] or r["sharding"] or r["megatron_fsdp"]:
            skip("stages or shards of its own"); continue
        if r["moe_layer_freq"] and "[0]" in r["moe_layer_freq"] and not re.fullmatch(r"\(\[0\]\*(\d+)\+\[1\]\*(\d+)\)", r["moe_layer_freq"]):
            skip("layers in another order"); continue
        if r["layers"] == "24" and hidden_of(r) == 1152:
            skip("holds seven times its states: something else is in it"); continue
        gpus = int(r["gpus"] or 8)
        tp, pp, cp, ep = (int(r[k] or 1) for k in ("tp", "pp", "cp", "ep"))
        if gpus % (tp * pp * cp):
            skip("degrees do not divide the chips"); continue
        vocab = int(r["vocab"] or 50257)
        unit = PADDED_TO.get(r["test"], 128) * tp
        padded = -(-vocab // unit) * unit
        hidden = int(r["hidden"])
        words = dict(layers=r["layers"], hidden=hidden, heads=r["heads"], kv=r["kv_groups"] or 0, head_dim=r["kv_channels"] or 0,
                     ffn=r["ffn"] or 4 * hidden, gated=r["swiglu"] == "True", vocab=padded, tied=r["untied"] != "True")
        first = dict(words, vocab=-(-vocab // (128 * tp)) * 128 * tp)  # as it was read first: the hash that chose its half must not move
        if not r["ffn"] and words["gated"]:
            words["ffn"] = int(4 * hidden * 2 / 3 / 64) * 64  # Megatron-LM's arguments.py
        if not r["mla"] and r["family"] == "gpt" and "rope" not in r["test"]:
            words["positions"] = r["seq"]
            if r["tokenizer"] == "":
                first["positions"] = r["seq"]
        if r["mla"]:
            words.update(q_rank=r["q_lora"], kv_rank=r["kv_lora"], nope=r["qk_head"], rope=r["qk_rope"], value=r["v_head"])
        if r["experts"]:
            words.update(experts=r["experts"], top=r["topk"], expert_ffn=r["moe_ffn"] or r["ffn"] or 4 * hidden)
            if r["shared_ffn"]:
                words.update(shared_ffn=r["shared_ffn"])
            found = re.match(r"\(\[0\]\*(\d+)", r["moe_layer_freq"] or "")
            if found:
                words.update(dense_layers=found.group(1))
        if r["mtp"]:
            words.update(mtp=r["mtp"])
        rest = {k: v for k, v in words.items() if k not in first and k != "positions"}
        words, first = ({k: (int(v) if not isinstance(v, bool) else v) for k, v in w.items()} for w in (words, {**first, **rest}))
        dp = gpus // (tp * pp * cp)
        batch, micro = int(r["global_batch"] or 32), int(r["micro_batch"] or 1)
        if batch % (dp * micro):
            skip("batch does not divide"); continue
        vp = 1
        if r["layers_per_virtual_stage"]:
            vp = int(r["layers"]) // pp // int(r["layers_per_virtual_stage"])
        elif r["virtual_stages"]:
            vp = int(r["virtual_stages"])
        if pp == 1:
            vp = 1
        modules = "+".join(re.findall(r"[a-z_]+", r["recompute_modules"] or ""))
        recompute = "full" if r["recompute_granularity"] == "full" else modules or ("selective" if r["recompute_granularity"] else "none")
        machine = machine_of(r["platform"])
        # CUBLAS_WORKSPACE_CONFIG=:4096:8 of the deterministic tests: 32 MiB for each of two threads, and TransformerEngine's own,
        # which experts have under the local implementation too, and in four streams where they are grouped products
        engine = 4194304 if machine == "hgx-a100" else 33554432
        grouped = bool(r["experts"] and re.search(GROUPED, r["test"]))
        if r["transformer_impl"] == "local" and not r["experts"]:
            engine = 0
        unfused = r["attention_backend"] == "unfused" or r["transformer_impl"] == "local"
        usual = re.search(USUAL_WORKSPACES, r["test"]) and not r["test"].startswith("gpt3_mcore_cp2_pp2_ep2")
        products = 2 * 8519680 if usual and machine == "hgx-a100" else 2 * 33554432
        yield dict(set="train-golden", model=shape(**words), first=dict(model=shape(**first), framework="megatron-2022" if unfused else "bridge-26.06",
                                                                                expert_tensor=int(r["etp"] or (tp if r["experts"] else 1))), machine=machine, kind="moe" if r["experts"] else "dense", recipe="bf16",
                   workspace_bytes="" if usual and grouped == bool(r["experts"]) else products + engine * (5 if grouped else 1),
                   gathers_tokens=int(bool(r["experts"]) and not re.search(EXCHANGED, r["test"])) or "",
                   last_stage=1,  # the last rank writes the log (Megatron-LM's global_vars.py)
                   shard_group=dp * cp // 2 if "multi_dist_optimizer_instances" in r["test"] else "",  # --num-distributed-optimizer-instances 2
                   framework="megatron-2022" if r["transformer_impl"] == "local" else "megatron-te-unfused" if unfused else "bridge-26.06",
                   recompute=recompute, chips=gpus, global_batch=batch, micro_batch=micro, sequence=int(r["seq"]), tensor=tp, pipeline=pp, context=cp,
                   expert=ep if r["experts"] else 1, expert_tensor=int(r["etp"] or tp) if r["experts"] else 1, virtual_stages=vp, zero=1 if r["dist_optimizer"] == "True" else 0,
                   sequence_parallel=int(r["sequence_parallel"] == "True"), state_bytes=r["mem_allocated_bytes"], peak_bytes=r["mem_max_allocated_bytes"])


def published_memory(data):
    for r in rows_of(data, "training", "measured_training_memory.csv"):
        def skip(why):
            left_out["published memory", why] += 1
        key = r["model"].lower()
        model, kind = CATALOG.get(key, (SHAPES.get(key), "dense"))
        machine = machine_of(r["hardware"])
        if model is None or machine is None or not r["gpus"] or r["unit"] not in ("GiB", "GB"):
            skip("model, machine, chips or unit not said"); continue
        if "peak" not in r["memory_kind"] and "max" not in r["memory_kind"]:
            skip("not a peak"); continue
        if not r["micro_batch"].isdigit() or not r["global_batch"].isdigit() or not r["seq"].isdigit():
            skip("batch not said"); continue
        tp, pp, cp, ep, vp = (int(r[k] or 1) if (r[k] or "1").isdigit() else 0 for k in ("tp", "pp", "cp", "ep", "vp"))
        chips = int(r["gpus"])
        if 0 in (tp, pp, cp, ep, vp) or chips % (tp * pp * cp):
            skip("degrees do not divide the chips"); continue
        dp = chips // (tp * pp * cp)
        if int(r["global_batch"]) % (dp * int(r["micro_batch"])):
            skip("batch does not divide"); continue
        zero = 3 if r["dp_or_fsdp"].startswith("fsdp") else 1
        words = r["recompute"].lower()
        titan = "torchtitan" in r["source"]
        if titan and words.startswith("selective"):
            recompute = "full:%d" % (layers_of(model) // (2 * pp))
        else:
            known = {"mla_up_proj", "mlp", "moe_act", "moe", "layernorm", "core_attn"}
            recompute = "full" if words.startswith("full") else "+".join(m for m in re.findall(r"[a-z_]+", words) if m in known) or "none"
        recipe = recipe_of(r["precision"], "torchtitan" if titan else "")
        yield dict(set="train-memory", model=model, machine=machine, kind=kind, recipe=recipe,
                   framework="torchtitan-2024" if titan else "bridge-26.06", recompute=recompute, chips=chips, global_batch=int(r["global_batch"]),
                   micro_batch=int(r["micro_batch"]), sequence=int(r["seq"]), tensor=tp, pipeline=pp, context=cp, expert=ep if kind != "dense" else 1, expert_tensor=1,
                   virtual_stages=vp, zero=zero, sequence_parallel=int(tp > 1), peak_bytes="%.6g" % (float(r["memory"]) * (2**30 if r["unit"] == "GiB" else 1e9)),
                   reserved=int(titan) or "")  # torchtitan's log line is reserved_bytes.all.peak (torchtitan/components/metrics.py)


# of each set: in so many rows one is chosen for the catalog, and of the chosen so large a share is fitted; the others judge
CHOICE = {"train-vtrain": (6, 0.5), "train-ultrascale": (8, 0.5), "train-golden": (2, 0.5), "train-memory": (1, 0.0)}


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    data = os.environ.get("RIDGE_DATA")
    if len(arguments) != 1 or not data:
        sys.exit(__doc__)
    out = []
    seen = set()
    for make in (measured_steps, h200, vtrain, ultrascale, golden, published_memory):
        for row in make(data):
            first = row.get("first", {})
            text = "|".join(str(first.get(c, row.get(c, ""))) for c in COLUMNS if c not in ("id", "half", "shard_group", "workspace_bytes", "scale_out_gb_s", "memory_gb_s", "captured",
                                                                                       "gathers_tokens", "last_stage", "reserved", "first_stage"))
            digest = hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
            if digest in seen:
                left_out[row["set"], "the same row again"] += 1
                continue
            seen.add(digest)
            number = int(digest, 16)
            every, share = CHOICE.get(row["set"], (1, 0.6))
            row["id"] = digest
            row["half"] = "fit" if (number >> 20) % 1000 < 1000 * share else "judge"
            row["chosen"] = number % every == 0
            if not row["chosen"] or (row["set"] == "train-vtrain" and row["chips"] > 8):  # several nodes are never fitted
                row["half"] = "judge"
            row.setdefault("failed", 0)
            out.append(row)
    if "--rest" in sys.argv:
        out = [row for row in out if not row["chosen"]]
    elif "--all" not in sys.argv:
        out = [row for row in out if row["chosen"]]
    os.makedirs(arguments[0], exist_ok=True)
    with open(os.path.join(arguments[0], "training.csv"), "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for row in out:
            writer.writerow([row.get(c, "") for c in COLUMNS])
    with open(os.path.join(arguments[0], "training_sets.csv" if os.path.exists(os.path.join(arguments[0], "sets.csv")) else "sets.csv"), "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow("set title source licence date note".split())
        for name in sorted(SETS):
            writer.writerow((name,) + SETS[name])
    for (source, why), count in sorted(left_out.items()):
        print("%6d left out of %s: %s" % (count, source, why), file=sys.stderr)
    print(collections.Counter((row["set"], row["half"]) for row in out), file=sys.stderr)


if __name__ == "__main__":
    main()
