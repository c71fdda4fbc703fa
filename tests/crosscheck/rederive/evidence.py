"""How far predictions are from the evidence's own rows (docs/theory/serving.md, "Where the numbers come from"): all-reduce."""

import csv

from . import facts, served_step

MACHINE = {"a100-sxm-80gb": "hgx-a100", "h100-sxm": "hgx-h100", "b200": "hgx-b200", "gb200": "gb200-nvl72"}
LARGEST = 64e6  # bytes; larger ones are not judged


def rows():
    """Replayed from a graph; launched one by one they hold the host."""
    with open(facts.ROOT / "catalog/evidence/collective.csv", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file)
                if row["op"] == "all_reduce" and row["mode"] == "graph" and float(row["bytes"]) <= LARGEST]


def predicted(row):
    """A kernel timed alone: the chip's own numbers, and how its program starts it."""
    chip, kernels = facts.numbers(f"calibration/{row['chip']}"), facts.numbers("calibration/kernels")
    harness = {name: facts.number(value) for name, value in facts.entry("calibration/harness")["number"]["all-reduce"][row["kernel"]].items()}
    n, volume = int(row["chips"]), float(row["bytes"])
    rate = facts.number(facts.entry(f"machine/{MACHINE[row['chip']]}")["scale_up"]["bandwidth"]) * chip["link"]
    start = chip["reduce_time"] + kernels["reduce_per_chip"] * (n - 2)
    one_shot = start + volume * (n - 1) / rate
    two_shot = start + kernels["reduce_phase"] * chip["reduce_time"] + volume * 2 * (n - 1) / n / rate
    return served_step.overlapped(min(one_shot, two_shot) + harness["extra"], harness["launch"])


def errors():
    return [predicted(row) / (float(row["us"]) * 1e-6) - 1 for row in rows()]


def bias():
    found = errors()
    return sum(found) / len(found)


def mean_error():
    found = errors()
    return sum(abs(error) for error in found) / len(found)


def p90_error():
    found = sorted(abs(error) for error in errors())
    return found[int(0.9 * (len(found) - 1))]
