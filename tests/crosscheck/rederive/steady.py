"""Serving in the steady state: prefill between decode steps, memory, rates, money, energy (docs/theory/serving.md).

One replica of one pipeline stage, no speculative tokens, prefill beside decode, inputs no longer than the token budget.
"""

from dataclasses import dataclass

from . import facts, model as models, served_step as steps


@dataclass(frozen=True)
class Question:
    deployment: steps.Deployment
    isl: float
    osl: float
    concurrency: float
    token_budget: float = 8192

    def chips(self):
        return self.deployment.tensor * self.deployment.data


# "Memory of a chip"


def weights(q):
    """Matrices and tables on one chip, without norms and other vectors; tensor parallelism divides all but a latent's ranks and
    the router, the experts lie spread."""
    d, m = q.deployment, q.deployment.model
    bytes_held = 0.0
    for kind, times in steps.kinds(d):
        bytes_held += times * steps.width(d, "attention") * sum(inner * outer for inner, outer in steps.projections(d, kind))
        if "feed_forward" in kind:
            bytes_held += times * 3 * m.hidden * kind["feed_forward"]["size"] / d.tensor * steps.width(d, "dense_ffn")
        if "experts" in kind:
            e = kind["experts"]
            bytes_held += times * 3 * m.hidden * e["count"] * e["size"] / q.chips() * steps.width(d, "routed_experts")
            bytes_held += times * 3 * m.hidden * e["shared_size"] / d.tensor * steps.width(d, "shared_experts")
            bytes_held += times * m.hidden * e["count"] * steps.width(d, "router")
    tables = sum(m.hidden * m.vocabulary / d.tensor * steps.width(d, name) for name in ("embedding", "head"))
    return bytes_held + tables


def activations(q):
    """The widest place of a step of `token_budget` tokens, in 16 bit."""
    d = q.deployment
    widest = 0.0
    for kind, _ in steps.kinds(d):
        a = kind["attention"]
        if a["type"] == "grouped":
            inside = (2 * a["query_heads"] * a["head_dim"] + a["kv_heads"] * (a["head_dim"] + a["value_dim"])) / d.tensor
        else:
            inside = a["query_rank"] + a["kv_rank"] + a["rope_dim"]
            inside += a["query_heads"] * (2 * a["nope_dim"] + a["rope_dim"] + 2 * a["value_dim"]) / d.tensor
        widest = max(widest, inside)
        if "feed_forward" in kind:
            widest = max(widest, 3 * kind["feed_forward"]["size"] / d.tensor)
        if "experts" in kind:
            e = kind["experts"]
            widest = max(widest, e["per_token"] / q.chips() * (d.model.hidden + 3 * e["size"]))
    return q.token_budget * 2 * (2 * d.model.hidden + widest)


def process(q):
    return facts.numbers("calibration/reserve")["process"]


def kv_cache(q):
    """What the engine's rule leaves (docs/engines.md): vLLM counts everything inside its share, SGLang only weights and cache."""
    d = q.deployment
    share = facts.number(facts.entry(f"engine/{d.engine}")["memory"]["utilization"])
    capacity = facts.capacity(d.machine)
    beside = activations(q) + process(q)
    usable = {"vllm": share * capacity, "sglang": min(capacity, share * capacity + beside)}[d.engine]
    return usable - weights(q) - beside


def kv_cache_tokens(q):
    """Tokens of context on one chip's cache; where tensor parallelism divides the kv heads, each chip keeps its share."""
    d = q.deployment
    kept = 0.0
    for kind, times in steps.kinds(d):
        a = kind["attention"]
        one = max(1, a["kv_heads"] / d.tensor) * (a["head_dim"] + a["value_dim"]) if a["type"] == "grouped" else a["kv_rank"] + a["rope_dim"]
        kept += times * one * d.kv_width
    return kv_cache(q) / kept


def sequences(q):
    """How many fit at once, at their mean length, over all attention groups."""
    return kv_cache_tokens(q) / (q.isl + q.osl / 2) * q.deployment.data


# "Serving: prefill between decode steps"


def batch(q):
    return max(1, min(q.concurrency, sequences(q)) / q.deployment.data)


def prefills(q):
    return batch(q) / q.osl


def decoding(q):
    return steps.kernels(q.deployment, steps.Load(batch(q), q.isl + q.osl / 2))


def decode_step(q):
    return decoding(q) + steps.overhead(q.deployment, batch(q))


def added(q):
    d, load = q.deployment, steps.Load(batch(q), q.isl + q.osl / 2, max(1, prefills(q)), q.isl)
    mixed = steps.launched(d, load, steps.kernels(d, load))
    as_many = max(1, max(1, prefills(q)) * q.isl / q.token_budget)  # steps: no one holds more than the budget
    pieces = max(1, prefills(q)) * max(1, q.isl / q.token_budget)
    return steps.engine(d)["prefill_factor"] * (mixed - decoding(q)) + steps.prefill_step(d, load) * as_many + steps.prompt_overhead(d, pieces)


def tpot(q):
    b = batch(q)
    return decode_step(q) + added(q) * min(1, prefills(q)) * (b - 1) / b


def prefill_share(q):
    """ρ: prefill's share of the time."""
    spent = added(q) * min(1, prefills(q))
    return spent / (decode_step(q) + spent)


def queue(q):
    """Pollaczek and Khinchine, but never behind more than half of the others."""
    rho = prefill_share(q)
    return added(q) * min(rho / (2 * (1 - rho)), (batch(q) - 1) / max(1, prefills(q)) / 2)


def ttft(q):
    under_way = decode_step(q) + added(q) * min(1, prefills(q))
    e = steps.engine(q.deployment)
    b = batch(q)
    waits = under_way * (1.5 if steps.composed_early(q.deployment) else 0.5)
    own = decode_step(q) + added(q)
    return (e["first_time"] + e["first_token_time"] * q.isl + (waits + own) * (b - 1) / b + prefill_alone(q) / b + queue(q))


def prefill_alone(q):
    """A prefill by itself, with the engine's work around its step."""
    d = q.deployment
    load = steps.Load(0, 0, 1, q.isl)
    kernels = sum(part(d, load) for part in steps.PARTS if part is not steps.attention)
    kernels += sum(times * steps.prefill_attention(d, kind, load) for kind, times in steps.kinds(d))
    return steps.engine(d)["prefill_factor"] * steps.launched(d, load, kernels) + steps.overhead(d, 1) + steps.prompt_overhead(d, 1) + steps.prefill_step(d, load)


# "Rates, money and energy"


def behind(q):
    """What passes while others' prompts are computed."""
    p, b = prefills(q), batch(q)
    early = 1 if steps.composed_early(q.deployment) else 0
    return queue(q) + added(q) * min(1, p) * ((1 - 1 / max(1, p)) / 2 + early) * (b - 1) / b


def requests_per_s(q):
    """Little: those in flight over how long one is there, what passes behind others' prefill left out."""
    return min(q.concurrency, sequences(q)) / (ttft(q) - behind(q) + tpot(q) * (q.osl - 1))


def output_tok_s(q):
    return requests_per_s(q) * q.osl


def total_tok_s_per_chip(q):
    return requests_per_s(q) * (q.isl + q.osl) / q.chips()


def output_cost(q, price):
    return q.chips() * price * (1 - prefill_share(q)) / output_tok_s(q)


def input_cost(q, price):
    return q.chips() * price * prefill_share(q) / (requests_per_s(q) * q.isl)


def energy_per_output_token(q):
    owned = facts.entry(f"machine/{q.deployment.machine}")["owned"]
    return q.chips() * facts.number(owned["power"]) * facts.number(owned["pue"]) / output_tok_s(q)


def mfu(q):
    """Every token's two FLOP a parameter at the peak of the weights' format, against all chips' peak."""
    d = q.deployment
    work = 2 * (models.active(d.model) - models.lookup(d.model))
    return (output_tok_s(q) + requests_per_s(q) * q.isl) * work / (q.chips() * facts.peak(d.machine, "bf16"))


def mbu(q):
    return bound_memory(q) / decode_step(q) * (1 - prefill_share(q))


# "A served step": the bound


def bound_compute(q):
    d, b, context = q.deployment, batch(q), q.isl + q.osl / 2
    flops = sum(times * 2 * a["query_heads"] / d.tensor * (a["head_dim"] + a["value_dim"]) * context * b
                for kind, times in steps.kinds(d) for a in [kind["attention"]])
    matrices = sum(times * (sum(i * o for i, o in steps.projections(d, kind)) + 3 * d.model.hidden * kind["feed_forward"]["size"] / d.tensor)
                   for kind, times in steps.kinds(d)) + d.model.hidden * d.model.vocabulary / d.tensor
    return (2 * matrices * b + flops) / facts.peak(d.machine, "bf16")


def bound_memory(q):
    d, b, context = q.deployment, batch(q), q.isl + q.osl / 2
    read = weights(q) - d.model.hidden * d.model.vocabulary / d.tensor * steps.width(d, "embedding")
    read += kv_cache(q) / kv_cache_tokens(q) * context * b
    return read / facts.bandwidth(d.machine)


def bound_network(q):
    """Each all-reduce's bytes cross a link once."""
    d = q.deployment
    return 2 * len(d.model.layers) * d.model.hidden * 2 * batch(q) / steps.link(d)
