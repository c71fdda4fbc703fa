"""Where context waits, long contexts and demand (docs/theory/tiers.md)."""

from . import facts, model as models, money


def hbm_hold(m, machine, price, kv_width=2.0):
    """Memory of the chip: v x p / M, with all of the chip's price."""
    return models.kv_per_token(m) * kv_width * price / facts.capacity(machine)


def device_price(tier):
    return money.owned_price(facts.entry(f"tier/{tier}"))


def wear(tier):
    """The device's price over all the bytes that it can be written in its life."""
    entry = facts.entry(f"tier/{tier}")
    return facts.number(entry["owned"]["capex"]) / (facts.number(entry["device"]["capacity"]) * facts.number(entry["device"]["rewrites"]))


def drain(tier):
    device = facts.entry(f"tier/{tier}")["device"]
    return facts.number(device["capacity"]) / facts.number(device["read"])


def reuse_points(curve):
    return [(0.0, 0.0)] + sorted((facts.number(time), share) for time, share in facts.entry(f"reuse/{curve}")["within"].items() if time != "source")


def held(curve, keep):
    """ "A fleet": H(T), the integral of 1 - h from 0 to T, with h straight between its points and nothing before the first second."""
    area = 0.0
    points = reuse_points(curve)
    for (start, low), (end, high) in zip(points, points[1:]):
        if end <= keep:
            area += (end - start) * (1 - (low + high) / 2)
    return area


def prefill_seconds(m, machine, context, mfu, peak="bf16"):
    """Chip-seconds of an input token of a session of `context`: weights, and attention to half the input on average."""
    weights = 2 * (models.active(m) - models.lookup(m)) / facts.peak(machine, peak)
    attention = models.attention_flops(m, context) / 2 / facts.peak(machine, "bf16")
    return (weights + attention) / mfu


def recompute_mfu():
    return facts.number(facts.entry("tier/recompute")["mfu"])


def tariff(short, short_price, long, long_price, input_price):
    """ "Reading a tariff": b for holding, a for writing."""
    hold = (long_price - short_price) / (long - short)
    return hold, short_price - input_price - hold * short


def users(batch, step, per_user):
    """ "Demand": a batch B with step T is full while users ask for B/T tokens a second."""
    return batch / step / per_user
