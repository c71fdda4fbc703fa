"""One chip's step: the operations that a layout gives it and what each takes (docs/theory/serving.md).

Layouts here: tensor parallelism inside one scale-up domain, or attention data parallelism with the experts spread over all chips.
"""

import math
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist

from . import facts, model as models


@dataclass(frozen=True)
class Deployment:
    model: models.Model
    machine: str
    engine: str
    tensor: int = 1
    data: int = 1  # attention groups; the experts are spread over all chips where there is more than one
    kv_width: float = 2.0
    borrowed: str = ""  # the chip whose calibration is taken, where this one has none


@dataclass(frozen=True)
class Load:
    """What a step has: sequences that decode at a context, and prefills of so many tokens each."""
    sequences: float
    context: float
    prefills: float = 0.0
    tokens: float = 0.0  # of each prefill

    def rows(self):
        return self.sequences + self.prefills * self.tokens


@cache
def calibration(d):
    """serving.md, "Where the numbers come from": a chip's own numbers times those of step.toml; kernels as inside a step."""
    chip = facts.numbers(f"calibration/{d.borrowed or facts.entry(f'machine/{d.machine}')['chip']}")
    factors = facts.numbers("calibration/step")
    return {**facts.numbers("calibration/kernels-in-step"), **{name: value * factors[name] for name, value in chip.items()}}


def engine(d):
    return facts.numbers(f"calibration/{d.engine}")


def composed_early(d):
    """Whether the engine puts a step together while the one before it runs."""
    fact = facts.entry(f"engine/{d.engine}")["scheduler"]["composed_early"]
    return fact["value"] if isinstance(fact, dict) else fact


def overlapped(a, b):
    return (a**4 + b**4) ** 0.25


def half_overlapped(a, b):
    return math.hypot(a, b)


@cache
def kinds(d):
    """Each kind of layer with how many there are."""
    entry = facts.entry(f"model/{d.model.name}")
    order = models.written_out(entry["architecture"]["order"])
    return [(entry["layer"][name], order.count(name)) for name in dict.fromkeys(order)]


@cache
def width(d, part):
    """Bytes of a weight: released bytes of its part over the part's parameters (models.md, "Bytes")."""
    return models.released(d.model, part) / models.part(d.model, part)


def is_narrow(d, part):
    """8 bit: all but embedding, router, head and norms of a model whose weights are released in fp8."""
    precision = facts.entry(f"model/{d.model.name}")["precision"]
    return part not in ("router", "head") and precision["weights"].startswith("fp8")


def is_block_scaled(d, part):
    """A scale for each block of 128."""
    precision = facts.entry(f"model/{d.model.name}")["precision"]
    format_of = precision.get("experts", precision["weights"]) if part == "routed_experts" else precision["weights"]
    return is_narrow(d, part) and format_of == "fp8-block128"


def product(d, part, inner, outer, rows):
    """ "Products"."""
    c, W = calibration(d), facts.bandwidth(d.machine)
    narrow = is_narrow(d, part)
    bits, peak, input_width = ("8bit", facts.peak(d.machine, "fp8"), 1) if narrow else ("16bit", facts.peak(d.machine, "bf16"), 2)
    work = 2 * inner * outer * rows
    moved = inner * outer * width(d, part) + (inner * input_width + outer * 2) * rows
    quantized = inner * (2 + input_width) * rows if narrow else 0
    return (c["product_time"] + c[f"depth_{bits}"] * inner / 1000
            + half_overlapped(work / (peak * c[f"matrix_{bits}"]), moved / (W * c["memory"])) + c["quantize_passes"] * quantized / W)


def projections(d, kind):
    """Shapes of the products around attention, on one chip: matrices with the same input are one, but for the two ranks of a
    latent, which have kernels of their own."""
    h, tp, a = d.model.hidden, d.tensor, kind["attention"]
    if a["type"] == "grouped":
        heads, kv_heads = a["query_heads"] / tp, max(1, a["kv_heads"] / tp)
        return [(h, heads * a["head_dim"] + kv_heads * (a["head_dim"] + a["value_dim"])), (heads * a["value_dim"], h)]
    heads = a["query_heads"] / tp
    return [(h, a["query_rank"]), (a["query_rank"], heads * (a["nope_dim"] + a["rope_dim"])), (h, a["kv_rank"] + a["rope_dim"]),
            (a["kv_rank"], heads * (a["nope_dim"] + a["value_dim"])), (heads * a["value_dim"], h)]


def qkv_and_output(d, load):
    return sum(times * product(d, "attention", *shape, load.rows()) for kind, times in kinds(d) for shape in projections(d, kind))


def decode_attention(d, kind, load):
    """ "Attention of new tokens": one layer, one new token a sequence."""
    c, W, a = calibration(d), facts.bandwidth(d.machine), kind["attention"]
    heads = a["query_heads"] / d.tensor
    if a["type"] == "grouped":
        kv_heads = max(1, a["kv_heads"] / d.tensor)
        kept, flops = kv_heads * (a["head_dim"] + a["value_dim"]) * d.kv_width, 2 * heads * (a["head_dim"] + a["value_dim"])
        group, blocks, score = heads / kv_heads, load.sequences * kv_heads, 2 * (a["head_dim"] + a["value_dim"])
    else:
        kept, flops = (a["kv_rank"] + a["rope_dim"]) * d.kv_width, 2 * heads * (2 * a["kv_rank"] + a["rope_dim"])
        group, blocks, score = heads, load.sequences, 2 * (2 * a["kv_rank"] + a["rope_dim"])
    seen = min(load.context, a.get("window", math.inf))
    read = load.sequences * (kept * seen + kept)  # the new token's own is written
    work = load.sequences * flops * seen
    launch = c["attention_time"] * (1 + c["join_share"] * load.context / (load.context + c["join_context"]))
    return launch + half_overlapped(
        overlapped(read / (W * c["attention_memory"]),
                   work * (1 + c["decode_rows"] / group) / (facts.peak(d.machine, "bf16") * c["attention_matrix"])),
        c["block_time"] * score / 512 * (1 + c["block_root"] * math.sqrt(group)) * blocks)


def prefill_attention(d, kind, load):
    """ "Attention of prefill": one layer, nothing cached, no window shorter than the input."""
    c, W, a = calibration(d), facts.bandwidth(d.machine), kind["attention"]
    heads = a["query_heads"] / d.tensor
    if a["type"] == "grouped":
        kv_heads = max(1, a["kv_heads"] / d.tensor)
        score = 2 * (a["head_dim"] + a["value_dim"])
        written = kv_heads * (a["head_dim"] + a["value_dim"]) * d.kv_width
        queries, keys, values = heads * a["head_dim"], kv_heads * a["head_dim"], kv_heads * a["value_dim"]
    else:
        score = 2 * (a["nope_dim"] + a["rope_dim"] + a["value_dim"])
        written = (a["kv_rank"] + a["rope_dim"]) * d.kv_width
        queries = keys = heads * (a["nope_dim"] + a["rope_dim"])
        values = heads * a["value_dim"]
    seen = load.tokens * load.tokens / 2
    worked = heads * seen * load.prefills + c["prefill_rows"] * load.prefills * load.tokens * heads
    moved = (written + 2 * (queries + keys + values + heads * a["value_dim"])) * load.prefills * load.tokens
    return (c["prefill_time"] + c["prefill_block_time"] * score / 512 * load.prefills * heads
            + half_overlapped(score * worked / (facts.peak(d.machine, "bf16") * c["attention_matrix"]), worked / c["softmax_rate"])
            + c["prefill_passes"] * moved / W)


def attention(d, load):
    time = sum(times * decode_attention(d, kind, load) for kind, times in kinds(d))
    if load.prefills:
        time += sum(times * prefill_attention(d, kind, load) for kind, times in kinds(d))
    return time


def dense_ffn(d, load):
    """Dense feed-forward networks and shared experts: gate and up in one product, then down."""
    time = 0.0
    for kind, times in kinds(d):
        sizes = [("dense_ffn", kind["feed_forward"]["size"])] if "feed_forward" in kind else []
        if kind.get("experts", {}).get("shared"):
            sizes.append(("shared_experts", kind["experts"]["shared_size"]))
        for part, size in sizes:
            size /= d.tensor
            time += times * (product(d, part, d.model.hidden, 2 * size, load.rows()) + product(d, part, size, d.model.hidden, load.rows()))
    return time


def largest_of(n):
    """Harter's z(n): how many standard deviations the largest of n normal numbers lies above their mean ("The busiest chip")."""
    if n <= 1:
        return 0.0
    alpha = 0.3151 + 0.058 * math.log10(n) - 0.0098 * math.log10(n) ** 2
    return NormalDist().inv_cdf((n - alpha) / (n + 1 - 2 * alpha))


def expert_layer(d, experts, load):
    """ "Experts": routed experts of one layer, spread over all chips."""
    c, W, ep = calibration(d), facts.bandwidth(d.machine), d.data * d.tensor
    E, k, local, T = experts["count"], experts["per_token"], experts["count"] / ep, load.rows() * d.data
    z, skew = largest_of(ep), c["balanced_skew" if experts.get("routing_bias") else "expert_skew"]
    spread = skew * (E / k - 1)
    chosen = local * (1 - (1 + T * ((1 - k / E) ** -spread - 1)) ** (-1 / spread))
    touched = min(local, chosen + z * math.sqrt(chosen * (1 - chosen / local)))
    mean = T * k / ep
    rows = mean + z * math.sqrt(mean + spread * mean**2 / local)
    parameters = 3 * d.model.hidden * experts["size"]
    values = 2 * (2 * d.model.hidden + 3 * experts["size"]) * rows
    return (c["experts_time"] + c["expert_token_time"] * T
            + overlapped((rows + c["expert_rows"] * touched) * 2 * parameters
                         / (facts.peak(d.machine, "fp8") * c["matrix_8bit"] * c["expert_matrix"] * c["expert_blocks"]),
                         touched * parameters * width(d, "routed_experts") / (W * c["memory"] * c["expert_memory"]))
            + c["expert_passes"] * values / W)


def routed_experts(d, load):
    """The router's product, 16 bit, and the experts."""
    return sum(times * (product(d, "router", d.model.hidden, kind["experts"]["count"], load.rows()) + expert_layer(d, kind["experts"], load))
               for kind, times in kinds(d) if "experts" in kind)


def lm_head(d, load):
    """Only those that need logits: decoding tokens, and one for each prefill."""
    return product(d, "head", d.model.hidden, d.model.vocabulary / d.tensor, load.sequences + load.prefills)


def block_quantizers(d, kind):
    """Inputs with a scale for each block: one before each product of such weights; routed experts one before and one between."""
    a, e, count = kind["attention"], kind.get("experts"), 0
    if is_block_scaled(d, "attention"):
        count += len(projections(d, kind))
    if "feed_forward" in kind and is_block_scaled(d, "dense_ffn"):
        count += 2
    if e and e.get("shared") and is_block_scaled(d, "shared_experts"):
        count += 2
    return count + (2 if e and is_block_scaled(d, "routed_experts") else 0)


def small_kernels_of(d, kind):
    """ "Small kernels": how many a layer has, and the numbers of 16 bit that they move for a token."""
    h, tp, a, e = d.model.hidden, d.tensor, kind["attention"], kind.get("experts")
    norms = kind.get("norms", 2)
    count, moved = norms + 2, 3 * h * norms  # two more: rotation with the write into the cache; joining the parts of an attention
    if a["type"] == "grouped":
        count += ("query_norm" in a) + ("key_norm" in a)
        moved += 2 * (a["query_heads"] * a["head_dim"] + a["kv_heads"] * (a["head_dim"] + a["value_dim"])) / tp
    else:
        count += ("query_rank" in a) + 1 + 3  # norms of the ranks; a write apart; two kinds of queries joined; the up-projection is two products
        moved += 2 * a["query_heads"] * (2 * a["nope_dim"] + a["rope_dim"] + a["value_dim"]) / tp
    if "feed_forward" in kind:
        count, moved = count + 1, moved + 4 * kind["feed_forward"]["size"] / tp
    if e:
        count += 1 + (e.get("groups", 1) > 1) + 2 * bool(e.get("shared"))  # the choice, of groups first; shared: activation and sum
        moved += 4 * e.get("shared_size", 0) * e.get("shared", 0) / tp
    return count + block_quantizers(d, kind), moved


def small_kernels(d, load):
    c = calibration(d)
    count = sum(times * small_kernels_of(d, kind)[0] for kind, times in kinds(d))
    moved = 2 * sum(times * small_kernels_of(d, kind)[1] for kind, times in kinds(d))
    return c["small_time"] * c["small_share"] * count + moved * load.rows() / (facts.bandwidth(d.machine) * c["memory"])


def link(d):
    return facts.number(facts.entry(f"machine/{d.machine}")["scale_up"]["bandwidth"])


def all_reduce(d, load):
    """ "Network": two a layer, after attention and after the network behind it."""
    if d.tensor == 1:
        return 0.0
    c, n = calibration(d), d.tensor
    volume, rate = d.model.hidden * 2 * load.rows(), link(d) * c["link"]
    start = c["reduce_time"] + c["reduce_per_chip"] * (n - 2)
    one_shot = start + volume * (n - 1) / rate
    two_shot = start + c["reduce_phase"] * c["reduce_time"] + volume * 2 * (n - 1) / n / rate
    return 2 * len(d.model.layers) * min(one_shot, two_shot)


def all_to_all(d, load):
    """Dispatch at the width of the experts' input, combine in 16 bit; or every token to every chip, whichever is faster."""
    if d.data == 1:
        return 0.0
    c, n = calibration(d), d.data
    rate, time = link(d) * c["link"], 0.0
    for kind, times in kinds(d):
        if "experts" in kind:
            reached = n * (1 - (1 - 1 / n) ** kind["experts"]["per_token"]) * (n - 1) / n
            for bytes_each in (1, 2):
                volume = d.model.hidden * bytes_each * load.rows()
                sent = c["all_to_all_time"] + volume * reached / rate
                gathered = c["reduce_time"] + c["reduce_per_chip"] * (n - 2) + volume * (n - 1) / rate
                time += times * min(sent, gathered)
    return time


PARTS = (qkv_and_output, attention, dense_ffn, routed_experts, lm_head, small_kernels, all_reduce, all_to_all)


@cache
def kernels(d, load):
    """ "calibrated": the sum of all operations."""
    return sum(part(d, load) for part in PARTS)


def launches(d):
    """ "Who launches": kernels of a step, one by one."""
    count = 1  # the head
    for kind, times in kinds(d):
        e = kind.get("experts")
        count += times * (small_kernels_of(d, kind)[0] + len(projections(d, kind)) + 1)
        count += times * 2 * (("feed_forward" in kind) + bool(e and e.get("shared")))
        if e:  # the router's product and the experts'; where groups share them, a dispatch and a combine
            count += times * (1 + 5 + (2 if d.data > 1 else 0))
        if d.tensor > 1:
            count += times * 2
    return count


def is_captured(d, load):
    """Whether a graph holds a step with prompts."""
    fact = facts.entry(f"engine/{d.engine}")["scheduler"].get("captured_tokens", 0)
    return load.rows() <= (fact["value"] if isinstance(fact, dict) else fact)


def launched(d, load, time):
    return time if is_captured(d, load) else overlapped(time, engine(d)["launch_time"] * launches(d))


def prefill_step(d, load):
    """What a step with prompts costs the engine above others."""
    return 0.0 if is_captured(d, load) else engine(d)["prefill_step_time"]


def prompt_overhead(d, prompts):
    """What prompts in a step cost the engine, above sequences that decode."""
    return engine(d)["prompt_time"] * prompts


def overhead(d, sequences):
    """What an engine does around a step."""
    e = engine(d)
    return e["step_time"] + e["sequence_time"] * sequences
