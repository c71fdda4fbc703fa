#!/usr/bin/env python3
"""Adds rows of public benchmarks to the evidence, and shows what the fit would change.

    tools/add_runs.py RUNS.csv --set acme --title "Acme's vLLM runs" --source "acme/bench at 1a2b3c" [--keep] [--ridge build/release/ridge]

RUNS.csv has the columns of catalog/evidence/serving.csv (its README says what they mean); those that are left out are empty, `set` and
`id` are filled in. A copy of the evidence gets the rows, `ridge calibrate` fits to it into a folder of its own, and what moved is printed: each
fitted number, and the mean error of every set of runs before and after, that of the new rows before the fit being the honest one. Nothing
in catalog/ is touched without --keep, which writes the rows and the set, and leaves the refit to you (docs/how_to_add.md).
"""

import argparse
import csv
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EVIDENCE = ROOT / "catalog" / "evidence"
FITTED_AS = "inferencex"  # a set whose rows have a TPOT under a stated load (serving_cases in src/calibrate/fit/calibrate.cpp)
NEEDED = ("model", "machine", "engine", "mode", "chips", "isl", "osl", "concurrency", "tpot_ms")


NUMBERS = ("chips", "isl", "osl", "concurrency", "tpot_ms")


def positive(text):
    try:
        return 0 < float(text) < float("inf")
    except ValueError:
        return False


def read_rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        return reader.fieldnames or [], list(reader)


def new_rows(path, columns, set_name):
    """The user's rows with every column; what is wrong with them as a list of sentences."""
    given, rows = read_rows(path)
    wrong = [f"{path}: there is no column {name} in catalog/evidence/serving.csv" for name in given if name not in columns]
    wrong += [f"{path}: column {name} is missing" for name in NEEDED if name not in given]
    out = []
    for number, row in enumerate(rows, 2):
        wrong += [f"{path}:{number}: {name} is empty" for name in NEEDED if name in given and not row.get(name)]
        wrong += [f"{path}:{number}: {name} is no number above 0: {row[name]}" for name in NUMBERS if row.get(name) and not positive(row[name])]
        full = {name: row.get(name) or "" for name in columns}
        full["set"] = set_name
        text = ",".join(f"{name}={full[name]}" for name in columns if full[name])
        full["id"] = hashlib.blake2b(text.encode(), digest_size=5).hexdigest()
        for name, usual in (("tensor", "1"), ("pipeline", "1"), ("attention_data", "1"), ("moe_tensor", "1"), ("expert", "1"), ("length_mean", "1"), ("cached", "0"), ("speculative", "0")):
            full[name] = full[name] or usual
        out.append(full)
    return out, wrong


def said(row):
    """What was run and what came out, whoever tells it: equal for a run that is told twice."""
    numbers = (f"{float(row[name]):g}" if positive(row[name]) else row[name] for name in NUMBERS)
    return (*(row[name] for name in ("model", "machine", "engine", "mode")), *numbers)


def write_rows(path, columns, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def append_rows(path, columns, rows):
    """What stands there stays as it is, to the letter."""
    with open(path, "a", newline="", encoding="utf-8") as file:
        csv.DictWriter(file, columns, lineterminator="\n").writerows(rows)


def numbers_in(folder):
    """{(file, key): value} of the fitted numbers in calibration files."""
    found = {}
    for path in sorted(Path(folder).glob("*.toml")):
        table = ""
        for line in path.read_text(encoding="utf-8").splitlines():
            if match := re.match(r"\[(.+)\]", line):
                table = match[1] + "."
            elif match := re.match(r"(\S+)\s*=\s*\{?\s*(?:value = )?\"?(-?[\d.]+(?:e[+-]?\d+)?)", line):
                found[path.name, table + match[1]] = float(match[2])
    return found


def moved(before, after, least):
    """(file, key, before, after) of what changed by more than a share."""
    return [(name, key, before[name, key], value) for (name, key), value in after.items()
            if (name, key) in before and before[name, key] and abs(value / before[name, key] - 1) > least]


def errors_by_set(ridge, evidence, more=()):
    """{"serving: inferencemax": (rows, mean error)}, as `ridge validate` prints them."""
    done = subprocess.run([ridge, "validate", "--evidence", str(evidence), "--json", *more], capture_output=True, text=True, check=True)
    return {f"{line['group']}: {line['name']}": (line["rows"], line["mean_error"]) for line in json.loads(done.stdout)["lines"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs")
    parser.add_argument("--set", required=True)
    parser.add_argument("--title", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--licence", default="see source (not verified)")
    parser.add_argument("--date", default="")
    parser.add_argument("--least", type=float, default=0.01, help="show numbers that move by more than this share")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--dry-run", action="store_true", help="check the rows, judge them by today's fit, and fit nothing")
    parser.add_argument("--ridge", default=str(ROOT / "build" / "release" / "ridge"))
    asked = parser.parse_args()

    columns, rows = read_rows(EVIDENCE / "serving.csv")
    set_columns, sets = read_rows(EVIDENCE / "sets.csv")
    added, wrong = new_rows(asked.runs, columns, asked.set)
    if any(row["set"] == asked.set for row in sets):
        wrong.append(f"--set {asked.set}: there is such a set already")
    known = {said(row): f"row {row['id']} of {row['set']}" for row in rows}
    for number, row in enumerate(added, 2):
        if said(row) in known:
            wrong.append(f"{asked.runs}:{number}: the same run is in the evidence already, or above ({known[said(row)]})")
        known[said(row)] = f"line {number}"
    if wrong:
        print("\n".join(wrong), file=sys.stderr)
        return 3
    entry = {name: "" for name in set_columns} | {"set": asked.set, "title": asked.title, "source": asked.source, "licence": asked.licence, "date": asked.date}
    with tempfile.TemporaryDirectory() as temporary:
        evidence = Path(temporary) / "evidence"
        shutil.copytree(EVIDENCE, evidence)
        as_fitted = [{**row, "set": FITTED_AS} for row in added]
        write_rows(evidence / "serving.csv", columns, as_fitted)
        alone = errors_by_set(asked.ridge, evidence)
        print(f"{len(added)} rows of {asked.set}, judged by today's fit (which has not seen them):")
        judged = [(name, count, mean) for name, (count, mean) in alone.items() if name.endswith(": " + FITTED_AS)]
        for name, count, mean in judged:
            print(f"  {name.partition(':')[0]}: {count} rows, mean error {100 * mean:.1f} %")
        if not judged:
            print("  none could be predicted: `ridge validate` says why of a row that it leaves out")
        before = errors_by_set(asked.ridge, EVIDENCE)
        write_rows(evidence / "serving.csv", columns, rows + as_fitted)
        if not asked.dry_run:
            fitted = Path(temporary) / "calibration"
            subprocess.run([asked.ridge, "calibrate", "--evidence", str(evidence), "--out", str(fitted)], check=True, stdout=subprocess.DEVNULL)
            changed = moved(numbers_in(ROOT / "catalog" / "calibration"), numbers_in(fitted), asked.least)
            print(f"\nnumbers that a fit with them would move by more than {100 * asked.least:g} %: {len(changed)}")
            for name, key, old, new in changed:
                print(f"  {name} {key}: {old:g} -> {new:g} ({100 * (new / old - 1):+.1f} %)")
            catalog = Path(temporary) / "catalog" / "calibration"
            shutil.copytree(fitted, catalog)
            after = errors_by_set(asked.ridge, evidence, ["--catalog", str(catalog.parent)])
            print("\nmean error, before and after (the rows of the fit are in it: how well it remembers):")
            for name, (count, mean) in after.items():
                if name in before and abs(mean - before[name][1]) > 0.0005:
                    print(f"  {name}: {count} rows, {100 * before[name][1]:.1f} -> {100 * mean:.1f} %")
    if asked.keep:
        append_rows(EVIDENCE / "serving.csv", columns, added)
        append_rows(EVIDENCE / "sets.csv", set_columns, [entry])
        print("\nwrote catalog/evidence; next: docs/how_to_add.md, \"A calibration, or evidence\"; a set of a new name is fitted once serving_cases names it")
    return 0


if __name__ == "__main__":
    sys.exit(main())
