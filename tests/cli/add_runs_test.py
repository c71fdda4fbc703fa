"""Does `tools/add_runs.py` judge new runs by today's fit, say what a fit with them would move, and touch the evidence only when told to?

Everything happens in a copy of the evidence. A fit takes minutes, so that a program that fits something known in advance stands for `ridge` there.
"""

import csv
import json
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from ridge_run import RIDGE, ROOT

COLUMNS = ("model", "machine", "engine", "mode", "format", "chips", "tensor", "isl", "osl", "concurrency", "tpot_ms")
NAMED = ("--set", "acme", "--title", "Acme's runs", "--source", "acme/bench at 1a2b3c")

# `validate` gives the catalog's own errors, and others under --catalog; `calibrate` moves one number by 10 %, another by 0.5 %
FITS = """#!{python}
import json, pathlib, shutil, sys
words = sys.argv[1:]
if words[0] == "calibrate":
    out = pathlib.Path(words[words.index("--out") + 1])
    shutil.copytree({calibration!r}, out)
    chip = out / "chip.toml"
    chip.write_text(chip.read_text().replace('"0.5 ', '"0.55 ').replace("2.000 us", "2.010 us"))
else:
    after = "--catalog" in words
    print(json.dumps({{"lines": [{{"group": "TPOT", "name": "inferencex", "rows": 7, "mean_error": 0.05 if after else 0.08}},
                               {{"group": "TPOT", "name": "dynamo", "rows": 9, "mean_error": 0.06}}]}}))
"""
CHIP = '[number]\nsource = "x"\nmemory = "0.5 ± 3 %"\nlaunch_time = "2.000 us ± 9 %"\n'


def public_runs(count):
    """Runs that nothing was fitted to."""
    with open(ROOT / "tests" / "data" / "held_out" / "serving.csv", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["set"] == "dynamo" and row["mode"] == "aggregated" and row["expert"] == "1" and row["tpot_ms"] and not row["wrong"]]
    assert len(rows) >= count
    return [{name: row[name] for name in COLUMNS} for row in rows[:count]]


class AddRuns(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.evidence = self.root / "catalog" / "evidence"
        shutil.copytree(ROOT / "catalog" / "evidence", self.evidence)
        (self.root / "tools").mkdir()
        shutil.copy(ROOT / "tools" / "add_runs.py", self.root / "tools")
        (self.root / "catalog" / "calibration").mkdir()
        (self.root / "catalog" / "calibration" / "chip.toml").write_text(CHIP)
        self.before = self.written()

    def written(self):
        return {path.name: path.read_text() for path in self.evidence.iterdir()}

    def run_tool(self, rows, *words, ridge=RIDGE, columns=COLUMNS):
        runs = self.root / "runs.csv"
        with open(runs, "w", newline="") as file:
            writer = csv.DictWriter(file, columns)
            writer.writeheader()
            writer.writerows(rows)
        return subprocess.run([sys.executable, self.root / "tools" / "add_runs.py", runs, *NAMED, "--ridge", ridge, *words], capture_output=True, text=True)

    def judged(self, rows):
        run = self.run_tool(rows, "--dry-run")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(self.written(), self.before)
        return {group: (int(count), float(error) / 100) for group, count, error in re.findall(r"^  (\w+): (\d+) rows, mean error ([\d.]+) %$", run.stdout, flags=re.M)}

    def test_new_runs_are_judged_by_the_fit_that_has_not_seen_them(self):
        rows = public_runs(8)
        count, error = self.judged(rows)["TPOT"]
        self.assertEqual(count, len(rows))
        self.assertLess(error, 0.25)
        # had they taken ten times as long, the prediction would be a tenth of them, give or take a tenth of the error
        count, error = self.judged([{**row, "tpot_ms": 10 * float(row["tpot_ms"])} for row in rows])["TPOT"]
        self.assertEqual(count, len(rows))
        self.assertAlmostEqual(error, 0.9, delta=0.03)

    def test_what_is_wrong_with_rows_is_said_for_each(self):
        good = public_runs(3)
        other = next(row for row in csv.DictReader(self.before["serving.csv"].splitlines()) if row["tpot_ms"])
        for rows, columns, words in (
                ([{**good[0], "tpot_ms": ""}], COLUMNS, "runs.csv:2: tpot_ms is empty"),
                ([good[0], {**good[1], "isl": "many"}], COLUMNS, "runs.csv:3: isl is no number above 0: many"),
                ([{**good[0], "concurrency": "-4"}], COLUMNS, "runs.csv:2: concurrency is no number above 0: -4"),
                ([{**good[0], "color": "red"}], (*COLUMNS, "color"), "there is no column color in catalog/evidence/serving.csv"),
                ([], tuple(name for name in COLUMNS if name != "engine"), "column engine is missing"),
                ([good[0], {name: other[name] for name in COLUMNS}], COLUMNS, f"runs.csv:3: the same run is in the evidence already, or above (row {other['id']}"),
                ([*good, {**good[1], "tpot_ms": good[1]["tpot_ms"] + "0"}], COLUMNS, "runs.csv:5: the same run is in the evidence already, or above (line 3)")):
            with self.subTest(words):
                run = self.run_tool(rows, "--dry-run", columns=columns)
                self.assertEqual(run.returncode, 3, run.stdout)
                self.assertIn(words, run.stderr)
                self.assertEqual(run.stdout, "")
                self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)
        self.assertEqual(self.written(), self.before)

    def test_what_a_fit_would_move_is_shown_and_nothing_is_kept(self):
        fits = self.root / "fits"
        fits.write_text(FITS.format(python=sys.executable, calibration=str(self.root / "catalog" / "calibration")))
        fits.chmod(fits.stat().st_mode | stat.S_IXUSR)
        run = self.run_tool(public_runs(2), ridge=fits)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("move by more than 1 %: 1\n  chip.toml number.memory: 0.5 -> 0.55 (+10.0 %)\n", run.stdout)
        self.assertTrue(run.stdout.endswith("how well it remembers):\n  TPOT: inferencex: 7 rows, 8.0 -> 5.0 %\n"), run.stdout)
        self.assertIn("launch_time: 2 -> 2.01 (+0.5 %)", self.run_tool(public_runs(2), "--least", "0.001", ridge=fits).stdout)
        self.assertEqual(self.written(), self.before)

    def test_kept_rows_are_added_and_nothing_else_changes(self):
        rows = public_runs(3)
        run = self.run_tool(rows, "--dry-run", "--keep", "--date", "2026-11")
        self.assertEqual(run.returncode, 0, run.stderr)
        after = self.written()
        for name, text in self.before.items():
            with self.subTest(name):
                self.assertTrue(after[name].startswith(text))
                self.assertEqual(after[name] == text, name not in ("serving.csv", "sets.csv"))
        added = list(csv.DictReader(after["serving.csv"].splitlines()))[-3:]
        self.assertEqual([{name: row[name] for name in COLUMNS} for row in added], rows)
        self.assertEqual({(row["set"], row["pipeline"], row["length_mean"], row["speculative"]) for row in added}, {("acme", "1", "1", "0")})
        self.assertEqual(len({row["id"] for row in added}), 3)
        self.assertEqual(list(csv.DictReader(after["sets.csv"].splitlines()))[-1]["source"], "acme/bench at 1a2b3c")
        again = self.run_tool(public_runs(4)[3:], "--dry-run", "--keep")
        self.assertEqual(again.returncode, 3)
        self.assertIn("--set acme: there is such a set already", again.stderr)
        # and the program reads what was kept
        lines = json.loads(subprocess.run([RIDGE, "validate", "--evidence", self.evidence, "--json"], capture_output=True, check=True).stdout)["lines"]
        self.assertGreater(len(lines), 10)


if __name__ == "__main__":
    unittest.main()
