"""Price sheets, forward and back (docs/theory/prices.md): one length, one layout, one load."""

from . import facts, model as models, roofline, steady


def prior():
    return facts.numbers("prior/sheet")


def input_price(q, price, utilization, markup):
    """price = k (p / u) t: the serving engine's own cost of an input token, at full load."""
    return markup * steady.input_cost(q, price) / utilization


def output_price(q, price, utilization, markup):
    return markup * steady.output_cost(q, price) / utilization


def roofline_step(q):
    d = q.deployment
    return roofline.Step(d.model, d.machine, q.chips(), steady.batch(q), q.isl + q.osl / 2)


def decode_efficiency(q, price):
    """e_d from t_out = n T / (B e_d)."""
    output_time = steady.output_cost(q, price) / price
    return q.chips() * roofline.step_time(roofline_step(q)) / (steady.batch(q) * output_time)


def cached_price(q, price, utilization, markup):
    """t_hit = kv / F + r / (W e_d)."""
    kv = models.kv_per_token(q.deployment.model) * q.deployment.kv_width
    hit = kv / prior()["cache.fetch"] + kv / (facts.bandwidth(q.deployment.machine) * decode_efficiency(q, price))
    return markup * price / utilization * hit


def write_price(q, price, utilization, markup, keep):
    kv = models.kv_per_token(q.deployment.model) * q.deployment.kv_width
    return (input_price(q, price, utilization, markup) + markup * price / utilization * kv / prior()["cache.write"]
            + markup * kv * prior()["cache.hold"] * keep)


def catalog_sheet(provider, model, date):
    return facts.entry(f"price/{provider}")[f"{provider}/{model}@{date}"]


def longest(step, ratio):
    """ "The height of the price break": S_max = S* (2 ratio - 1)."""
    return step * (2 * ratio - 1)


def weights_of_a_step(price, speed):
    """ "Fast mode": w, the weights' share of a step, from p times the price for s times the speed."""
    return 1 - (1 - 1 / speed) / (1 - 1 / (price * speed))
