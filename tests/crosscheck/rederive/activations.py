"""Memory of a backward pass (docs/theory/lifecycle.md, "Activations"): a dense model with grouped attention."""

import math

from . import facts, model as models


def shapes(m):
    (kind,) = [kind for kind in facts.entry(f"model/{m.name}")["layer"].values() if isinstance(kind, dict)]
    return kind["attention"], kind["feed_forward"]["size"]


def layer(m, tokens):
    """Inputs of norms and matrices, queries, keys and values, at 2 bytes: two norms and four products of hidden width (queries, keys and
    values in one; output; gate and up in one), gate, up and what goes into down."""
    a, size = shapes(m)
    qkv = a["query_heads"] * a["head_dim"] + a["kv_heads"] * (a["head_dim"] + a["value_dim"])
    return 2 * tokens * (4 * m.hidden + qkv + a["query_heads"] * a["value_dim"] + 3 * size)


def scores(m, tokens):
    return 2 * shapes(m)[0]["query_heads"] * tokens * tokens


def keep_all(m, tokens):
    return len(m.layers) * (layer(m, tokens) + scores(m, tokens))


def selective(m, tokens):
    return len(m.layers) * layer(m, tokens) + scores(m, tokens)


def full(m, tokens):
    """Inputs of all layers, and one layer while it is computed."""
    return len(m.layers) * 2 * tokens * m.hidden + layer(m, tokens) + scores(m, tokens)


def every_root(m, tokens):
    """Pieces of as many layers as the root of L, rounded: the input of each piece, and one piece while it is computed."""
    piece = round(math.sqrt(len(m.layers)))
    return math.ceil(len(m.layers) / piece) * 2 * tokens * m.hidden + piece * (layer(m, tokens) + scores(m, tokens))


def reversible(m, tokens):
    return 2 * 2 * tokens * m.hidden + layer(m, tokens) + scores(m, tokens)


def attention_forward(m, tokens):
    """Causal: half of the sequence on average."""
    return models.attention_flops(m, tokens) / 2 * tokens


def selective_compute(m, tokens):
    forward = 2 * models.dense(m) * tokens + attention_forward(m, tokens)
    return 1 + attention_forward(m, tokens) / (3 * forward)
