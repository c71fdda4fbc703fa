"""The catalog's facts as numbers in base units: s, B, FLOP, token, param, $, J, W."""

import os
import re
import tomllib
from functools import cache
from pathlib import Path

ROOT = Path(os.environ.get("RIDGE_ROOT", Path(__file__).resolve().parents[3]))

HOUR, DAY, YEAR = 3600.0, 86400.0, 365.25 * 86400.0
PREFIX = {"": 1.0, "n": 1e-9, "u": 1e-6, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "Mi": 2.0**20, "Gi": 2.0**30}
UNIT = {"B": 1.0, "FLOP": 1.0, "s": 1.0, "W": 1.0, "Wh": HOUR, "h": HOUR, "min": 60.0, "d": DAY, "day": DAY, "days": DAY, "year": YEAR,
        "tok": 1.0, "token": 1.0, "param": 1.0, "params": 1.0, "Bparams": 1e9, "Tparams": 1e12, "%": 0.01, "$": 1.0}


@cache
def entry(path):
    with open(ROOT / "catalog" / f"{path}.toml", "rb") as file:
        return tomllib.load(file)


def unit(word):
    """ "TB" is 1e12, "kWh" 3.6e6: the unit itself, or a prefix before one."""
    for name, size in UNIT.items():
        if word == name:
            return size
    for name, size in UNIT.items():
        if word.endswith(name) and word[: -len(name)] in PREFIX:
            return PREFIX[word[: -len(name)]] * size
    raise ValueError(f"no unit {word!r}")


def number(fact):
    """A fact's value: {value = "80 GB", source = ...}, "0.5967 ± 3.1 %", "$1.30/h" or a plain number."""
    if isinstance(fact, dict):
        return number(fact["value"])
    if isinstance(fact, (int, float)):
        return float(fact)
    text = fact.partition("±")[0].strip().replace(" params", "params")
    figure, words = re.fullmatch(r"\$?([-+0-9.e]+)\s*(.*)", text).groups()
    above, *below = words.split("/") if words else ("",)
    value = float(figure) * (unit(above) if above else 1.0)
    for word in below:
        value /= unit(word)
    return value


def chip_of(machine):
    return entry(f"chip/{entry(f'machine/{machine}')['chip']}")


def bandwidth(machine):
    return number(chip_of(machine)["hbm"]["bandwidth"])


def capacity(machine):
    """What the driver shows where the catalog knows it, else the nameplate (decode.md, "Money, capacity, latency")."""
    memory = chip_of(machine)["hbm"]
    return number(memory.get("capacity_visible", memory["capacity"]))


def peak(machine, name):
    return number(chip_of(machine)["matmul"][name])


def rental(machine):
    return contract_price(entry(f"machine/{machine}"), "reserved_3y")


def contract_price(machine, contract):
    """money.md, "One price basis": what is listed, else a price without a stated contract, else a listed one by the shares."""
    prices, shares = machine["price"], entry("contract/rental")["number"]
    for key in (contract, "rental"):
        if key in prices:
            return number(prices[key])
    known = next(key for key in ("on_demand", "reserved_1y", "reserved_3y") if key in prices)
    return number(prices[known]) * (number(shares[contract]) / number(shares[known]))


@cache
def numbers(path, table="number"):
    """All plain numbers of a table, such as those of a calibration."""
    return {key: number(value) for key, value in entry(path)[table].items() if key != "source" and not _is_words(value)}


def _is_words(value):
    try:
        number(value)
    except (ValueError, AttributeError, KeyError, TypeError):
        return True
    return False
