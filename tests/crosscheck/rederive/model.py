"""A model's tensors, parameters and context, counted from its dimensions (docs/theory/models.md)."""

import re
from dataclasses import dataclass, field
from functools import cache

from . import facts


@dataclass
class Layer:
    """Parameters of one layer by part, and what its attention needs for a token of context, in elements and FLOP."""
    parts: dict
    kept: float = 0.0  # elements kept for each token of context
    flops: float = 0.0  # for each token of context
    window: float = float("inf")
    state: float = 0.0  # elements of a recurrent state, in fp32
    inputs: float = 0.0  # elements of a short convolution's last inputs, in the cache's format
    taps: float = 1.0  # of that convolution: it keeps one input less than it has
    state_flops: float = 0.0
    vectors: float = 0.0  # of the parts: norms inside attention, biases of a router (no matrices)


@dataclass(eq=False)
class Model:
    name: str
    hidden: int
    vocabulary: int
    tied: bool
    layers: list
    mtp: list = field(default_factory=list)
    mtp_extra: float = 0.0


def written_out(order):
    """ "3 dense, 58 expert" and "12 (3 linear, full)" as a list of kinds."""
    kinds = []
    for times, group, kind in re.findall(r"(\d*)\s*(?:\(([^)]*)\)|([a-z_]+))", order):
        kinds += (written_out(group) if group else [kind]) * int(times or 1)
    return kinds


def grouped(hidden, a):
    """models.md, "Tensors": queries, keys, values and output; biases, sinks, norms and a gate where there are some."""
    query, key, value = a["query_heads"] * a["head_dim"], a["kv_heads"] * a["head_dim"], a["kv_heads"] * a["value_dim"]
    out = a["query_heads"] * a["value_dim"]
    parameters = hidden * (query + key + value + a.get("gate", 0)) + out * hidden
    vectors = a.get("query_norm", 0) + a.get("key_norm", 0)
    vectors += (query + key + value) * a.get("qkv_bias", False) + hidden * a.get("output_bias", False)
    vectors += a["query_heads"] * a.get("sinks", False)
    return Layer({"attention": parameters + vectors}, kept=key + value, flops=2 * a["query_heads"] * (a["head_dim"] + a["value_dim"]),
                 window=a.get("window", float("inf")), vectors=vectors)


def latent(hidden, a):
    """Queries through a rank, keys and values through another with the rotary part beside it; decoded in absorbed form."""
    heads, rank, rope = a["query_heads"], a["kv_rank"], a["rope_dim"]
    queries = hidden * a["query_rank"] + a["query_rank"] * heads * (a["nope_dim"] + rope)
    keys = hidden * (rank + rope) + rank * heads * (a["nope_dim"] + a["value_dim"])
    vectors = a["query_rank"] + rank  # norms of both ranks
    return Layer({"attention": queries + keys + heads * a["value_dim"] * hidden + vectors}, kept=rank + rope,
                 flops=2 * heads * (2 * rank + rope), vectors=vectors)


def delta(hidden, a):
    """The gated delta rule: queries, keys, values, an output gate, two gates a head, a short convolution, decay, norm, output."""
    keys, values = a["key_heads"] * a["key_dim"], a["value_heads"] * a["value_dim"]
    convolved = 2 * keys + values
    parameters = hidden * (convolved + values + 2 * a["value_heads"]) + a["kernel"] * convolved + values * hidden
    vectors = 2 * a["value_heads"] + a["value_dim"]
    return Layer({"attention": parameters + vectors}, state=a["value_heads"] * a["key_dim"] * a["value_dim"],
                 inputs=(a["kernel"] - 1) * convolved, taps=a["kernel"], state_flops=6 * a["value_heads"] * a["key_dim"] * a["value_dim"], vectors=vectors)


MIXERS = {"grouped": grouped, "latent": latent, "delta": delta}


def layer_of(hidden, kind):
    layer = MIXERS[kind["attention"]["type"]](hidden, kind["attention"])
    layer.parts["norms"] = kind.get("norms", 2) * hidden
    if "feed_forward" in kind:
        layer.parts["dense_ffn"] = 3 * hidden * kind["feed_forward"]["size"]
    if "experts" in kind:
        e = kind["experts"]
        biases = 2 * e["size"] + hidden if e.get("bias") else 0
        layer.parts["routed_experts"] = e["count"] * (3 * hidden * e["size"] + biases)
        layer.parts["shared_experts"] = 3 * hidden * e.get("shared_size", 0) * e.get("shared", 0) + hidden * e.get("shared_gate", False)
        layer.parts["router"] = (hidden + (e.get("routing_bias", False) or e.get("router_bias", False))) * e["count"]
    return layer


@cache
def model(name):
    entry = facts.entry(f"model/{name}")
    a = entry["architecture"]
    kinds = {kind: layer_of(a["hidden_size"], table) for kind, table in entry["layer"].items() if kind != "source"}
    extra = sum(t["in"] * t["out"] * t.get("count", 1) for t in entry.get("mtp_extra", {}).values() if isinstance(t, dict))
    return Model(name, a["hidden_size"], a["vocab_size"], a["tied_embeddings"], [kinds[kind] for kind in written_out(a["order"])],
                 [kinds[kind] for kind in written_out(a.get("mtp", ""))], extra)


def part(m, name):
    """Parameters of one part over all layers; tables of the ends, and the last norm."""
    table = m.vocabulary * m.hidden
    ends = {"embedding": table, "head": 0 if m.tied else table, "norms": m.hidden}
    return ends.get(name, 0) + sum(layer.parts.get(name, 0) for layer in m.layers)


PARTS = ("embedding", "attention", "dense_ffn", "routed_experts", "shared_experts", "router", "norms", "head")


def total(m):
    return sum(part(m, name) for name in PARTS)


def experts_of(m):
    """Experts in a layer and those a token uses: 1 and 1 where there are none."""
    for kind in facts.entry(f"model/{m.name}")["layer"].values():
        if isinstance(kind, dict) and "experts" in kind:
            return kind["experts"]["count"], kind["experts"]["per_token"]
    return 1, 1


def active(m):
    """models.md: the total less the routed experts that a token does not choose."""
    count, used = experts_of(m)
    return total(m) - part(m, "routed_experts") * (1 - used / count)


def stored(m):
    """Everything in the released files: the language model and its prediction modules."""
    return total(m) + sum(sum(layer.parts.values()) for layer in m.mtp) + m.mtp_extra


def lookup(m):
    """The table that is stored and only looked up; a tied one is the head as well, and is read."""
    return 0 if m.tied else m.vocabulary * m.hidden


def dense(m):
    """decode.md, "Memory": every parameter that all tokens read."""
    return total(m) - part(m, "routed_experts") - lookup(m)


def kept_elements(m, context):
    """models.md, "Context": elements of keys and values kept of `context` tokens."""
    return sum(layer.kept * min(context, layer.window) for layer in m.layers)


def state_bytes(m):
    """A sequence's recurrent states in fp32, and the convolutions' last inputs in 16 bit."""
    return sum(4 * layer.state + 2 * layer.inputs for layer in m.layers)


def state_read(m):
    """A state is read and written back at every step; of a convolution's inputs one is written."""
    return sum(2 * 4 * layer.state + 2 * layer.inputs * layer.taps / max(1, layer.taps - 1) for layer in m.layers)


def kv_per_token(m):
    """Elements that grow with every token: layers without a window."""
    return sum(layer.kept for layer in m.layers if layer.window == float("inf"))


def attention_flops(m, context):
    return sum(layer.flops * min(context, layer.window) + layer.state_flops for layer in m.layers)


def released(m, *names):
    """Bytes in the released files, a fact of the catalog, of these parts or of the whole language model."""
    table = facts.entry(f"model/{m.name}")["released"]
    return sum(facts.number(table[name]) for name in (names or PARTS) if name in table)
