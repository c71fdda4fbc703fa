"""The life of a model: scaling laws, one bill, the best size (docs/theory/lifecycle.md)."""

import math
from dataclasses import dataclass

from . import facts


@dataclass
class Life:
    params: float
    tokens: float
    rl_tokens: float
    served: float
    law: dict
    n: dict  # numbers of catalog/lifecycle
    flop_price: float  # a chip's price over its peak


def frontier(params, tokens, rl_tokens):
    n = facts.numbers("lifecycle/frontier")
    use = facts.entry("lifecycle/frontier")["use"]
    return Life(params, tokens, rl_tokens, n["served"] * n["life"], facts.numbers(f"scaling_law/{use['law']}"), n,
                facts.rental(use["machine"]) / facts.peak(use["machine"], use["format"]))


def work(life):
    """ "What a token costs": w_p, w_r and w_i, FLOP a parameter and token over the share of the peak."""
    n = life.n
    decode, train, prefill, s = n["mfu.decode"], n["mfu.training"], n["mfu.prefill"], n["prompts"]
    return (6 / train, 2 / decode + n["rl.trained"] * 6 / train + n["rl.references"] * 2 / prefill,
            n["serving.cost"] * (2 * (1 - s) / decode + 2 * s / prefill))


def costs(life, params=None, tokens=None):
    w_p, w_r, w_i = work(life)
    size = (params or life.params) * life.flop_price
    return size * w_p * (tokens or life.tokens), size * w_r * life.rl_tokens, size * w_i * life.served


def loss(life, params=None, tokens=None):
    a = life.law
    return a["E"] + a["A"] / (params or life.params) ** a["alpha"] + a["B"] / (tokens or life.tokens) ** a["beta"]


def least_training(life):
    """u = v at the loss of this plan: N_0 and D_0 ("What a token is worth")."""
    a, R = life.law, loss(life) - life.law["E"]
    both = a["alpha"] + a["beta"]
    return (a["A"] * both / (R * a["beta"])) ** (1 / a["alpha"]), (a["B"] * both / (R * a["alpha"])) ** (1 / a["beta"])


def law_tokens(life):
    """Tokens at which u = v for this size."""
    a = life.law
    return (a["beta"] * a["B"] * life.params ** a["alpha"] / (a["alpha"] * a["A"])) ** (1 / a["beta"])


def other_tokens(life):
    """D_o: rollouts and served tokens as pre-training tokens of the same cost."""
    w_p, w_r, w_i = work(life)
    return (w_r * life.rl_tokens + w_i * life.served) / w_p


def balance(c, m, q):
    """The root of x (1 + m x)^q = c, by halving."""
    low, high = 0.0, max(c, 1.0)
    while high - low > 1e-15 * high:
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if middle * (1 + m * middle) ** q < c else (low, middle)
    return (low + high) / 2


def best(life):
    """ "The optimum": x, N and D of the least bill at the same loss."""
    a, R = life.law, loss(life) - life.law["E"]
    least = least_training(life)[1]
    m = a["beta"] / (a["alpha"] + a["beta"])
    x = balance(other_tokens(life) / least, m, 1 / a["beta"])
    params = (a["A"] * (1 + a["alpha"] / (a["beta"] * (1 + x))) / R) ** (1 / a["alpha"])
    return x, params, least * (1 + m * x) ** (1 / a["beta"])


def compute_optimal(life, flops):
    """N and D of the least loss with 6 N D FLOP."""
    a = life.law
    both = a["alpha"] + a["beta"]
    scale = (a["alpha"] * a["A"] / (a["beta"] * a["B"])) ** (1 / both)
    return scale * (flops / 6) ** (a["beta"] / both), (flops / 6) ** (a["alpha"] / both) / scale


def best_of_budget(life):
    """At the whole bill of this plan: the size and tokens of the least loss."""
    a = life.law
    flops = sum(costs(life)) / life.flop_price * life.n["mfu.training"]
    alone = compute_optimal(life, flops)[1]
    q = (1 / a["alpha"] - 1) / (1 + a["beta"] / a["alpha"])
    tokens = alone * (1 + balance(other_tokens(life) / alone, 1, q)) ** q
    return flops / (6 * (tokens + other_tokens(life))), tokens


def dense_equivalent(law, params, experts):
    """Clark's law: the dense model that is as good. More experts saturate from E_start to E_max."""
    c = facts.numbers(f"scaling_law/{law}")

    def saturated(e):
        return 1 / (1 / (e - 1 + 1 / (1 / c["E_start"] - 1 / c["E_max"])) + 1 / c["E_max"])

    many, one, size = math.log10(saturated(experts)), math.log10(saturated(1)), math.log10(params)
    return 10 ** ((size * (c["a"] + c["c"] * many) + c["b"] * (many - one)) / (c["a"] + c["c"] * one))
