"""Do the figures of `ridge ... --json` follow from docs/theory and the catalog's facts alone?

tests/crosscheck/rederive works each out again; it was written from the documents, not from the program. One line a figure with both numbers.
Fails where they differ by more than 1e-9, where a figure is not in the answer, and where a command of `ridge --help` is asked nothing.
"""

import json
import os
import subprocess
import sys
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Callable

sys.path.insert(0, str(Path(__file__).resolve().parent))
from rederive import (activations, evidence, facts, lifecycle, model as models, money, racks, roofline, served_step, sheet,  # noqa: E402
                      steady, tiers)

RIDGE = os.environ.get("RIDGE", str(facts.ROOT / "build" / "release" / "ridge"))
TOLERANCE = 1e-9
WITHOUT_FIGURES = {"import", "merge", "list", "calibrate", "probe", "results", "simulate", "compare", "chips", "schedule", "goodput", "train",
                   "board", "completions", "lecture", "man", "report-bad-prediction"}
# they write or read files, fit or measure; predictions of results are those of why; tests/simulate holds simulations against theory,
# as tests/train does schedules, goodput and training; tests/cli/chips_test.py works the ratios of chips out again


@dataclass
class Figure:
    """`path` leads through the answer: keys, numbers of a list, or key=value for the first of a list that has it."""
    command: str
    path: str
    ours: Callable[[dict], float]
    read_in: str  # document and section


@cache
def asked(command):
    """The answer of a command, run once. What stands behind < is its standard input; JSON Lines become {"rows": [...]}."""
    words, _, text = command.partition(" < ")
    done = subprocess.run([RIDGE, *words.split(), "--json"], input=text, capture_output=True, text=True, timeout=60, check=False,
                          env={"NO_COLOR": "1", "LANG": "C.UTF-8", "PATH": os.environ.get("PATH", "")})
    if done.returncode != 0:
        raise LookupError(f"exit {done.returncode}: {done.stderr.strip()}")
    if words.startswith("sweep"):
        return {"rows": [json.loads(line) for line in done.stdout.splitlines()]}
    return json.loads(done.stdout)


def found(answer, path):
    for word in path.split("/"):
        key, equals, value = word.partition("=")
        if isinstance(answer, list):
            answer = next(one for one in answer if str(one[key]) == value) if equals else answer[int(word)]
        else:
            answer = answer[word]
    if not isinstance(answer, (int, float)):
        raise LookupError("no number")
    return float(answer)


# What is asked. Everything that could be chosen is said: layout, load, price.

LLAMA, DEEPSEEK, GPT, GEMMA, QWEN = (models.model(name) for name in
                                     ("llama-3.1-70b", "deepseek-v3", "gpt-oss-120b", "gemma-3-1b", "qwen3-next-80b-a3b"))

WHY = "why deepseek-v3 --on gb200-nvl72 --chips 72 --batch 2048 --context 8000 --kv fp8 --price $3/h --utilization 0.5"
FRONTIER = "plan llama-3.1-70b --on hgx-h100 --isl 1000 --osl 500 --kv bf16"
FRONTIER_STEP = roofline.Step(LLAMA, "hgx-h100", 8, 1, 1000 + 500 / 2)
FULLEST = roofline.batch_limit(FRONTIER_STEP)
WHY_STEP = roofline.Step(DEEPSEEK, "gb200-nvl72", 72, 2048, 8000, peak="fp8", kv_width=1.0)
WHY_PRICE = 3 / facts.HOUR
FIT = "fit llama-3.1-70b --on hgx-h100 --chips 4 --batch 8 --context 32000"
FIT_STEP = roofline.Step(LLAMA, "hgx-h100", 4, 8, 32000)
CURVE = "curve batch llama-3.1-70b --on hgx-h100 --chips 8 --context 4000 --min 1 --max 256 --points 5 --price $2/h"
CURVE_STEP = roofline.Step(LLAMA, "hgx-h100", 8, 64, 4000)
SWEEP = ('sweep - < scenario = 1\nmodel = "gpt-oss-120b"\nmachine = "hgx-h200"\nprice = "$2/h"\n'
         'columns = ["batch", "context", "step_time", "cost", "kv_time"]\n[sweep]\nbatch = [1, 64]\ncontext = [1000, 8000]\n')
SWEEP_STEP = roofline.Step(GPT, "hgx-h200", 8, 64, 8000)
DEMAND = "demand llama-3.1-70b --on hgx-h100 --chips 8 --batch 64 --context 4000 --per-user 10ktok/d"
CONTEXT = "context llama-3.1-70b --on hgx-h100 --chips 8 --min 1000 --max 100000 --session 10000000 --price $2/h"

SERVED = "--tp 4 --isl 1000 --osl 1000 --price $2/h --engine vllm"
WHY_SERVED = f"why llama-3.1-70b --on hgx-h100 {SERVED} --concurrency 64"
FIT_SERVED = f"fit llama-3.1-70b --on hgx-h100 {SERVED} --concurrency 64"
QUESTION = steady.Question(served_step.Deployment(LLAMA, "hgx-h100", "vllm", tensor=4), 1000, 1000, 64)
PRICE = 2 / facts.HOUR
WIDE = "why deepseek-v3 --on hgx-h200 --dp 8 --ep 8 --isl 4000 --osl 1000 --concurrency 128 --engine sglang --price $2/h"
WIDE_QUESTION = steady.Question(served_step.Deployment(DEEPSEEK, "hgx-h200", "sglang", data=8, borrowed="h100-sxm"), 4000, 1000, 128)
WIDE_LOAD = served_step.Load(16, 4500)
HOST = f"host llama-3.1-70b --on hgx-h100 {SERVED} --tpot 50ms"
SHEET = "price llama-3.1-70b --on hgx-h100 --tp 4 --isl-mix 1000:100% --osl 1000 --concurrency 64 --price $2/h --margin 0.5 --utilization 0.6"
PLAN = "plan llama-3.1-70b --on hgx-h100 --tp 4 --pp 1 --cp 1 --aggregated --isl 1000 --osl 1000 --tpot 50ms --price owned"

LAYOUT = "layout deepseek-v3 gb200-nvl72 --pp 1 --dp 64 --ep 64 --batch 2048 --context 8000"
LAYOUT_QUESTION = steady.Question(served_step.Deployment(DEEPSEEK, "gb200-nvl72", "vllm", data=64), 8000, 1, 2048)
TIER = "tier llama-3.1-70b --on hgx-h100 --context 8192 --price $2/h --reuse mooncake-conversation"
LIFE = "lifecycle --params 100B --tokens 200T --rl-tokens 50T"
PLANNED = lifecycle.frontier(100e9, 200e12, 50e12)
ACTIVATIONS = "activations llama-3.1-70b --sequence 8192 --batch 1"
INFER = "infer google/gemini-2.5-pro --prior lecture --samples 1000"
HISTORY = "price history claude-opus"


def at_load(answer):
    """The question at the concurrency that the program chose: whether it is the best is the planner's own test."""
    concurrency = answer["deployment"]["concurrency"] if "deployment" in answer else answer["best"]["concurrency"]
    return steady.Question(QUESTION.deployment, 1000, 1000, concurrency)


def seller(answer):
    """The catalog's sheet of the first seller, and what a token of the mix is sold for there."""
    named = answer["providers"][0]["sheet"]
    return money.price_of_mix(sheet.catalog_sheet(named["provider"], named["model"], named["date"]), 1000, 1000)


def tokens_a_second(answer):
    return 2 * steady.output_tok_s(at_load(answer))


def gemini(answer):
    return sheet.catalog_sheet(answer["provider"], answer["model"], answer["date"])


def gemini_long(answer):
    return {key: facts.number(value) for key, value in gemini(answer)["tier"]["200k"].items()}


def new_over_old(answer):
    """A change of price, from the two sheets that it names."""
    change = next(one for one in answer["changes"] if one["input_factor"] not in (None, 1))
    old = facts.entry(f"price/{change['sheet']['provider']}")[f"{change['than']['name']}@{change['than']['date']}"]
    return facts.number(sheet.catalog_sheet(*(change["sheet"][key] for key in ("provider", "model", "date")))["input"]) / facts.number(old["input"])


def best_bill(_):
    _, params, tokens = lifecycle.best(PLANNED)
    return sum(lifecycle.costs(PLANNED, params, tokens))


def ridge_of(chip, name, width):
    """C b / (2 W): multiply-adds that a chip does while it reads one weight."""
    entry = facts.entry(f"chip/{chip}")
    return facts.number(entry["matmul"][name]) * width / (2 * facts.number(entry["hbm"]["bandwidth"]))


def step(command, question, document="decode.md"):
    """Figures of the decode step's bound, by name."""
    return lambda *names: [Figure(command, f"figures/{name}/value", lambda _, f=getattr(roofline, name): f(question), document) for name in names]


def served(command, question, where, document):
    return lambda *names: [Figure(command, f"{where}{name}", lambda _, f=getattr(steady, name): f(question), document) for name in names]


FIGURES = [
    # parameters and context: a dense model with grouped queries; latent attention with experts; windows with experts; tied windows; a hybrid
    Figure("show model llama-3.1-70b", "parameters_total", lambda _: models.total(LLAMA), "models.md, Tensors"),
    Figure("show model llama-3.1-70b", "kv_bytes_per_token", lambda _: models.kv_per_token(LLAMA) * 2, "models.md, Context"),
    Figure("show model deepseek-v3", "parameters_total", lambda _: models.total(DEEPSEEK), "models.md, Tensors"),
    Figure("show model deepseek-v3", "parameters_active", lambda _: models.active(DEEPSEEK), "models.md, Parameters"),
    Figure("show model deepseek-v3", "parameters_stored", lambda _: models.stored(DEEPSEEK), "models.md, Parameters"),
    Figure("show model deepseek-v3", "kv_bytes_per_token", lambda _: models.kv_per_token(DEEPSEEK) * 2, "models.md, Context"),
    Figure("show model deepseek-v3", "contexts/1/attention_flops", lambda _: models.attention_flops(DEEPSEEK, 8000), "models.md, Context"),
    Figure("show model gpt-oss-120b", "parameters_total", lambda _: models.total(GPT), "models.md, Tensors"),
    Figure("show model gpt-oss-120b", "parameters_active_without_embedding", lambda _: models.active(GPT) - models.lookup(GPT), "models.md, Parameters"),
    Figure("show model gpt-oss-120b", "contexts/1/stored_bytes", lambda _: models.kept_elements(GPT, 8000) * 2, "models.md, Context"),
    Figure("show model gemma-3-1b", "parameters_total", lambda _: models.total(GEMMA), "models.md, Tensors"),
    Figure("show model gemma-3-1b", "contexts/0/attention_flops", lambda _: models.attention_flops(GEMMA, 1000), "models.md, Context"),
    Figure("show model qwen3-next-80b-a3b", "parameters_total", lambda _: models.total(QWEN), "models.md, Tensors"),
    Figure("show model qwen3-next-80b-a3b", "state_bytes", lambda _: models.state_bytes(QWEN), "models.md, Context"),
    Figure("show model qwen3-next-80b-a3b", "contexts/1/read_bytes", lambda _: models.kept_elements(QWEN, 8000) * 2 + models.state_read(QWEN), "models.md, Context"),
    Figure("diff llama-3.1-70b qwen3-32b", "differences/parameters.total/ratio",
           lambda _: models.total(models.model("qwen3-32b")) / models.total(LLAMA), "models.md, Tensors"),

    # the bound of a frontier: at the fullest batch, and at a batch of one
    *[Figure(FRONTIER, f"frontier_bounds/0/points/{at}/{key}", ours, "planning.md, The bound of a frontier") for at, batch in ((0, FULLEST), (-1, 1))
      for key, ours in (("output_tok_s_per_chip", lambda _, b=batch: roofline.frontier_rate(replace(FRONTIER_STEP, batch=b), 1000, 500)),
                        ("tok_s_per_user", lambda _, b=batch: 1 / roofline.step_time(replace(FRONTIER_STEP, batch=b))))],

    # the bound of a decode step
    *step(WHY, WHY_STEP)("weights_time", "kv_time", "compute_time", "step_time", "step_kv_serial", "step_no_overlap", "step_best_routing",
                         "floor_all", "sweep_time", "ridge_weights", "ridge", "balance_context", "weights_stored", "batch_limit", "mfu"),
    Figure(WHY, "figures/cost/value", lambda _: roofline.cost(WHY_STEP, WHY_PRICE, 0.5), "decode.md, Money"),
    Figure(WHY, "figures/cost_floor/value", lambda _: roofline.cost_floor(WHY_STEP, WHY_PRICE) / 0.5, "decode.md, Money"),
    Figure(WHY, "figures/cost_alone/value", lambda _: roofline.cost_alone(WHY_STEP, WHY_PRICE) / 0.5, "decode.md, Money"),
    *step(FIT, FIT_STEP)("memory_needed", "batch_limit", "context_limit"),
    Figure(CURVE, "figures/step_time/values/3", lambda _: roofline.step_time(CURVE_STEP), "decode.md"),
    Figure(CURVE, "figures/cost/values/3", lambda _: roofline.cost(CURVE_STEP, PRICE), "decode.md, Money"),
    Figure(SWEEP, "rows/3/step_time", lambda _: roofline.step_time(SWEEP_STEP), "decode.md"),
    Figure(SWEEP, "rows/3/kv_time", lambda _: roofline.kv_time(SWEEP_STEP), "decode.md, Memory"),
    Figure(SWEEP, "rows/3/cost", lambda _: roofline.cost(SWEEP_STEP, PRICE), "decode.md, Money"),
    Figure(DEMAND, "point/output_tok_s", lambda _: 64 / roofline.step_time(CURVE_STEP), "tiers.md, Demand"),
    Figure(DEMAND, "point/users", lambda _: tiers.users(64, roofline.step_time(CURVE_STEP), 1e4 / facts.DAY), "tiers.md, Demand"),
    Figure(DEMAND, "sparsity/dense_equivalent", lambda answer: lifecycle.dense_equivalent(  # the model that the curve has at twice its active
        "clark-2022", answer["sparsity"]["curves"][0]["active"][8], answer["sparsity"]["curves"][0]["total_over_active"][8]), "lifecycle.md, experts"),
    Figure(CONTEXT, "models/0/points/0/batch", lambda _: roofline.batch_limit(roofline.Step(LLAMA, "hgx-h100", 8, 1, 1000)) // 1, "tiers.md, Long contexts"),
    Figure(CONTEXT, "models/0/points/0/cost", lambda answer: roofline.cost(roofline.Step(LLAMA, "hgx-h100", 8, answer["models"][0]["points"][0]["batch"], 1000), PRICE),
           "tiers.md, Long contexts"),
    Figure(CONTEXT, "models/0/session/prefill_cost", lambda _: 1e7 * PRICE * tiers.prefill_seconds(LLAMA, "hgx-h100", 1e7, tiers.recompute_mfu()), "tiers.md, Long contexts"),

    # a served step and its deployment, calibrated: tensor parallelism
    *served(FIT_SERVED, QUESTION, "memory/", "serving.md, Memory of a chip")("weights", "activations", "kv_cache", "kv_cache_tokens", "sequences"),
    *[Figure(WHY_SERVED, f"decode_step/parts/{part.__name__}", lambda _, part=part: part(QUESTION.deployment, served_step.Load(64, 1500)), "serving.md")
      for part in (served_step.qkv_and_output, served_step.attention, served_step.dense_ffn, served_step.lm_head, served_step.small_kernels, served_step.all_reduce)],
    *served(WHY_SERVED, QUESTION, "decode_step/", "serving.md, A served step")("bound_compute", "bound_memory", "bound_network"),
    *served(WHY_SERVED, QUESTION, "", "serving.md, Serving")("tpot", "ttft", "prefill_share", "requests_per_s", "output_tok_s",
                                                             "total_tok_s_per_chip", "energy_per_output_token", "mfu", "mbu"),
    Figure(WHY_SERVED, "prefill_time", lambda _: steady.prefill_alone(QUESTION), "serving.md, Serving"),
    Figure(WHY_SERVED, "ttft_queue", lambda _: steady.behind(QUESTION), "serving.md, Serving"),
    Figure(WHY_SERVED, "output_cost", lambda _: steady.output_cost(QUESTION, PRICE), "serving.md, Rates, money and energy"),
    Figure(WHY_SERVED, "input_cost", lambda _: steady.input_cost(QUESTION, PRICE), "serving.md, Rates, money and energy"),
    # and latent attention over data-parallel groups with spread experts
    *[Figure(WIDE, f"decode_step/parts/{part.__name__}", lambda _, part=part: part(WIDE_QUESTION.deployment, WIDE_LOAD), "serving.md")
      for part in (served_step.qkv_and_output, served_step.attention, served_step.routed_experts, served_step.small_kernels, served_step.all_to_all)],
    *served(WIDE, WIDE_QUESTION, "memory/", "serving.md, Memory of a chip")("weights", "activations", "kv_cache", "sequences"),
    *served(WIDE, WIDE_QUESTION, "", "serving.md, Serving")("tpot", "ttft", "output_tok_s"),
    Figure(PLAN, "best/tpot", lambda answer: steady.tpot(at_load(answer)), "serving.md, Serving"),
    Figure(PLAN, "best/cost", lambda answer: 4 * money.owned_price(facts.entry("machine/hgx-h100")) / steady.output_tok_s(at_load(answer)), "planning.md, What is kept"),
    Figure(PLAN, "best/energy_per_output_token", lambda answer: steady.energy_per_output_token(at_load(answer)), "serving.md, Rates, money and energy"),

    # experts over racks
    Figure(LAYOUT, "stages/0/weights", lambda _: steady.weights(LAYOUT_QUESTION), "serving.md, Memory of a chip"),
    Figure(LAYOUT, "stages/0/kv_cache_per_sequence", lambda _: models.kept_elements(DEEPSEEK, 8000) * 2, "models.md, Context"),
    Figure(LAYOUT, "traffic/0/scale_up", lambda _: racks.dispatch_bytes(DEEPSEEK.hidden, 8, 64, 1), "racks.md, A layer over several racks"),
    Figure(LAYOUT, "network_time", lambda _: 58 * 32 * sum(racks.dispatch_bytes(DEEPSEEK.hidden, 8, 64, width) for width in (1, 2))
           / served_step.link(LAYOUT_QUESTION.deployment), "racks.md, A layer over several racks"),
    Figure(LAYOUT, "spans/1/every_copy", lambda _: racks.every_copy(18, 2), "racks.md, A layer over several racks"),
    Figure(LAYOUT, "spans/1/merged", lambda _: racks.merged(18, 2, 8, 64), "racks.md, A layer over several racks"),
    Figure(LAYOUT, "largest_layer/by_latency", lambda _: racks.by_latency(72, facts.bandwidth("gb200-nvl72"), 0.02, len(DEEPSEEK.layers)), "racks.md, What one rack bounds"),

    # money
    Figure("cost hgx-h100", "owned/total/value", lambda _: money.owned_price(facts.entry("machine/hgx-h100")), "money.md, A chip's hour"),
    Figure("cost hgx-h100 --memory-cost-share 0.3", "owned/memory/value", lambda _: money.memory_share(facts.entry("machine/hgx-h100"), 0.3), "money.md, A chip's hour"),
    Figure("cost gb200-nvl72", "payback/value", lambda _: money.payback(facts.entry("machine/gb200-nvl72")), "money.md, A chip's hour"),
    Figure("day", "cost", lambda _: money.day_cost(), "money.md, DeepSeek's day"),
    Figure("day", "revenue/total", lambda _: money.day_revenue(), "money.md, DeepSeek's day"),
    Figure("day", "profit_over_cost", lambda _: money.day_revenue() / money.day_cost() - 1, "money.md, DeepSeek's day"),
    Figure(HOST, "deployment/tpot/value", lambda answer: steady.tpot(at_load(answer)), "serving.md, Serving"),
    Figure(HOST, "cost/mix/value", lambda answer: 4 * PRICE / tokens_a_second(answer), "money.md, What a token costs"),
    Figure(HOST, "cost/output/value", lambda answer: steady.output_cost(at_load(answer), PRICE), "money.md, What a token costs"),
    Figure(HOST, "providers/0/mix/value", seller, "money.md, Against a list of prices"),
    Figure(HOST, "providers/0/break_even_tokens_per_day", lambda answer: 4 * PRICE / seller(answer) * facts.DAY, "money.md, Against a list of prices"),
    Figure(HOST, "providers/0/margin", lambda answer: 1 - 4 * PRICE / (seller(answer) * tokens_a_second(answer)), "money.md, Against a list of prices"),
    Figure(SHEET, "sheet/input", lambda _: sheet.input_price(QUESTION, PRICE, 0.6, 2), "prices.md, Forward"),
    Figure(SHEET, "sheet/output", lambda _: sheet.output_price(QUESTION, PRICE, 0.6, 2), "prices.md, Forward"),
    Figure(SHEET, "sheet/cached", lambda _: sheet.cached_price(QUESTION, PRICE, 0.6, 2), "prices.md, Forward"),
    Figure(SHEET, "sheet/writes/0/price", lambda answer: sheet.write_price(QUESTION, PRICE, 0.6, 2, answer["sheet"]["writes"][0]["keep"]), "prices.md, Forward"),
    Figure(INFER, "identifiable/key=active_cost/value", lambda answer: facts.number(gemini(answer)["input"]) / 2, "prices.md, What stands on a sheet"),
    Figure(INFER, "identifiable/key=output_over_input/value",
           lambda answer: facts.number(gemini(answer)["output"]) / facts.number(gemini(answer)["input"]), "prices.md, What stands on a sheet"),
    Figure(INFER, "identifiable/key=longest/value",
           lambda answer: sheet.longest(2e5, gemini_long(answer)["output"] / facts.number(gemini(answer)["output"])), "prices.md, What stands on a sheet"),
    Figure(HISTORY, "changes/date=2025-12-31/input_factor", new_over_old, "money.md, How a family moved"),

    # where context waits
    Figure(TIER, "tiers/name=hbm/hold", lambda _: tiers.hbm_hold(LLAMA, "hgx-h100", PRICE), "tiers.md, What a place costs"),
    Figure(TIER, "tiers/name=dram/device/price", lambda _: tiers.device_price("dram"), "tiers.md, What a place costs"),
    Figure(TIER, "tiers/name=flash/device/wear", lambda _: tiers.wear("flash"), "tiers.md, What a place costs"),
    Figure(TIER, "tiers/name=disk/drain", lambda _: tiers.drain("disk"), "tiers.md, When to move"),
    Figure(TIER, "fleet/best/held", lambda answer: tiers.held("mooncake-conversation", answer["fleet"]["best"]["keep"]), "tiers.md, A fleet"),

    # the life of a model
    Figure(LIFE, "figures/loss/value", lambda _: lifecycle.loss(PLANNED), "lifecycle.md, What a token is worth"),
    Figure(LIFE, "figures/cost_rl/value", lambda _: lifecycle.costs(PLANNED)[1], "lifecycle.md, What a token costs"),
    Figure(LIFE, "figures/cost/value", lambda _: sum(lifecycle.costs(PLANNED)), "lifecycle.md, What a token costs"),
    Figure(LIFE, "figures/share_pretraining/value", lambda _: lifecycle.costs(PLANNED)[0] / sum(lifecycle.costs(PLANNED)), "lifecycle.md, What a token costs"),
    Figure(LIFE, "figures/over_law/value", lambda _: PLANNED.tokens / lifecycle.law_tokens(PLANNED), "lifecycle.md, What a token is worth"),
    Figure(LIFE, "figures/least_params/value", lambda _: lifecycle.least_training(PLANNED)[0], "lifecycle.md, What a token is worth"),
    Figure(LIFE, "figures/best_excess/value", lambda _: lifecycle.best(PLANNED)[0], "lifecycle.md, The optimum"),
    Figure(LIFE, "figures/best_params/value", lambda _: lifecycle.best(PLANNED)[1], "lifecycle.md, The optimum"),
    Figure(LIFE, "figures/best_tokens/value", lambda _: lifecycle.best(PLANNED)[2], "lifecycle.md, The optimum"),
    Figure(LIFE, "figures/best_cost/value", best_bill, "lifecycle.md, The optimum"),
    Figure(LIFE, "figures/budget_params/value", lambda _: lifecycle.best_of_budget(PLANNED)[0], "lifecycle.md, The optimum"),
    Figure(LIFE, "figures/budget_loss/value", lambda _: lifecycle.loss(PLANNED, *lifecycle.best_of_budget(PLANNED)), "lifecycle.md, The optimum"),
    *[Figure(ACTIVATIONS, f"policies/policy={policy}/total", lambda _, f=f: f(LLAMA, 8192), "lifecycle.md, Activations")
      for policy, f in (("keep all", activations.keep_all), ("selective", activations.selective), ("full recomputation", activations.full),
                        ("every sqrt(L)", activations.every_root), ("reversible", activations.reversible))],
    Figure(ACTIVATIONS, "policies/policy=selective/compute", lambda _: activations.selective_compute(LLAMA, 8192), "lifecycle.md, Activations"),

    # the lecture's statements, and how good the predictions are
    Figure("claims C02", "claims/0/figures/key=h100/value", lambda _: ridge_of("h100-sxm", "bf16", 2), "decode.md, The ridge"),
    Figure("claims C18", "claims/0/figures/key=s_base/value", lambda _: lifecycle.dense_equivalent("clark-2022", 370e6, 64), "lifecycle.md, experts"),
    Figure("claims C21", "claims/0/figures/key=h100/value", lambda _: racks.every_copy(9, 2), "racks.md, A layer over several racks"),
    Figure("claims C46", "claims/0/figures/key=hold/value", lambda _: tiers.tariff(300, 6.25e-6, 3600, 10e-6, 5e-6)[0] * facts.HOUR, "tiers.md, Reading a tariff"),
    Figure("claims C48", "claims/0/figures/key=time/value", lambda _: 2 * 37e9 / (1979e12 * 0.4) * 80e9 / 70272, "tiers.md, When to move"),
    Figure("claims C15", "claims/0/figures/key=weight_share/value", lambda _: sheet.weights_of_a_step(6, 2.5), "prices.md, What stands on a sheet"),
    Figure("validate", "lines/name=all-reduce/bias", lambda _: evidence.bias(), "serving.md, Where the numbers come from"),
    Figure("validate", "lines/name=all-reduce/mean_error", lambda _: evidence.mean_error(), "serving.md, Where the numbers come from"),
    Figure("validate", "lines/name=all-reduce/p90_error", lambda _: evidence.p90_error(), "serving.md, Where the numbers come from"),
]


def compare(figure):
    """What is wrong with a figure, or nothing; prints its line."""
    try:
        answer = asked(figure.command)
        theirs, ours = found(answer, figure.path), float(figure.ours(answer))
    except (LookupError, StopIteration, ValueError, TypeError, AttributeError) as problem:
        print(f"FAIL {figure.path}: {type(problem).__name__} {problem}")
        return "not found"
    apart = abs(ours - theirs) / max(abs(theirs), 1e-300)
    agrees = apart <= TOLERANCE
    print(f"{'ok  ' if agrees else 'FAIL'} {figure.command.split()[0]:11} {figure.path:50} {ours:.15g} {theirs:.15g} {apart:.1e}")
    return "" if agrees else f"differs by {apart:.2g}"


def commands():
    """As `ridge --help` lists them."""
    listed = subprocess.run([RIDGE, "--help"], capture_output=True, text=True, check=True).stdout.partition("\nExamples:")[0]
    return {line.split()[0] for line in listed.splitlines() if line.startswith("  ")}


def main():
    failed = [(figure, problem) for figure in FIGURES if (problem := compare(figure))]
    for figure, problem in failed:
        print(f"\nridge {figure.command} --json\n  {figure.path}: {problem}; read in docs/theory/{figure.read_in}")
    unasked = commands() - WITHOUT_FIGURES - {figure.command.split()[0] for figure in FIGURES}
    if unasked:
        print(f"\nnothing is asked of: {', '.join(sorted(unasked))}")
    print(f"\n{len(FIGURES) - len(failed)} of {len(FIGURES)} figures agree to {TOLERANCE:g}")
    return 1 if failed or unasked else 0


if __name__ == "__main__":
    sys.exit(main())
