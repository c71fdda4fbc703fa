"""A chip's hour, days, margins and lists of prices (docs/theory/money.md)."""

from . import facts


def owned(entry):
    """ "A chip's hour": depreciation, interest on half the capital, energy; dollars a second."""
    o = {key: facts.number(value) for key, value in entry["owned"].items()}
    return {"depreciation": o["capex"] / o["life"], "interest": o["capex"] * o["cost_of_capital"] / 2 / facts.YEAR,
            "energy": o["power"] * o["pue"] * o["electricity"]}


def owned_price(entry):
    return sum(owned(entry).values())


def memory_share(entry, share):
    """Of the capital alone."""
    parts = owned(entry)
    return share * (parts["depreciation"] + parts["interest"])


def payback(entry):
    """Rent, less energy, has bought the chip."""
    return facts.number(entry["owned"]["capex"]) / (facts.contract_price(entry, "reserved_3y") - owned(entry)["energy"])


def day():
    return facts.numbers("day/deepseek-2025-02")


def day_cost():
    d = day()
    return d["nodes"] * d["chips"] * d["time"] * d["rental"]


def day_sheet():
    """The sheet that the day names."""
    named = facts.entry("day/deepseek-2025-02")["use"]["sheet"]
    sheet = facts.entry(f"price/{named.partition('/')[0]}")[named]
    return {kind: facts.number(sheet[kind]) for kind in ("input", "cached", "output")}


def day_revenue():
    d, p = day(), day_sheet()
    return (d["input"] - d["cached"]) * p["input"] + d["cached"] * p["cached"] + d["output"] * p["output"]


def price_of_mix(sheet, computed, output):
    """ "Against a list of prices": what a token of such requests is sold for, with nothing cached."""
    return (computed * facts.number(sheet["input"]) + output * facts.number(sheet["output"])) / (computed + output)
