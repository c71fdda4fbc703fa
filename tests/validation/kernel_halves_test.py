"""Kernels by the half of their rows that no fit saw: is the table of docs/theory/serving.md what is found? Whole files take a minute: `make soak` asks
them, where RIDGE_DATA is set."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

RIDGE = os.environ["RIDGE"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED, OWN = "fitted to one half, judged on the other", "fitted to one half, each library by itself"


def table():
    """class -> the cells of its row: whole files (rows, shared, own), goal, compiled in (rows, shared, own)."""
    lines = (ROOT / "docs/theory/serving.md").read_text().splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("| | whole files: rows"))
    rows = {}
    for line in lines[first + 2 :]:
        if not line.startswith("|"):
            return rows
        name, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        rows[name] = [float(cell.replace(",", "").rstrip(" %")) if cell else None for cell in cells]


class Table(unittest.TestCase):
    def compare(self, columns, *arguments):
        run = subprocess.run([RIDGE, "validate", "--leave-one-out", "kernels", "--json", *arguments], capture_output=True, text=True, check=True)
        found = {(line["group"], line["name"]): line for line in json.loads(run.stdout)["lines"]}
        for name, cells in table().items():
            with self.subTest(name):
                rows, shared, own = (cells[column] for column in columns)
                self.assertEqual(found[SHARED, name]["rows"], rows)
                self.assertEqual(f"{100 * found[SHARED, name]['mean_error']:.1f}", f"{shared:.1f}")
                self.assertEqual(f"{100 * found[OWN, name]['mean_error']:.1f}", f"{own:.1f}")

    def test_there_is_a_row_for_each_class(self):
        self.assertEqual(len(table()), 7)

    def test_goals_are_met_on_whole_files(self):
        for name, (_, _, own, goal, *_) in table().items():
            if goal is not None:
                self.assertLessEqual(own, goal, name)

    def test_the_sample_is_off_by_what_the_table_says(self):
        self.compare((4, 5, 6))

    def whole_files_are_off_by_what_the_table_says(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, ROOT / "tools/import_evidence.py", "--all", folder], check=True, capture_output=True)
            self.compare((0, 1, 2), "--evidence", folder)

    if "RIDGE_SOAK" in os.environ and "RIDGE_DATA" in os.environ:
        test_whole_files = whole_files_are_off_by_what_the_table_says


if __name__ == "__main__":
    unittest.main()
