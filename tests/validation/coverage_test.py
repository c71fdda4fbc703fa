"""Whether intervals hold: runs left out of the fit, in intervals made from the errors of other runs alone."""

import json
import os
import pathlib
import subprocess
import unittest

RIDGE = os.environ["RIDGE"]
ROOT = pathlib.Path(__file__).resolve().parents[2]

LEVELS = {"inside_50": (0.45, 0.57), "inside_80": (0.73, 0.87), "inside_95": (0.90, 0.98)}
WIDEST = 3.5


class Coverage(unittest.TestCase):
    """One run for all: it fits some fifty times, which takes a minute or two."""

    @classmethod
    def setUpClass(cls):
        cls.run_ = subprocess.run([RIDGE, "validate", "--leave-one-out", "all", "--coverage", "--json", "--page"], capture_output=True, text=True)
        cls.found = json.loads(cls.run_.stdout)

    def lines(self, group):
        return [line for line in self.found["coverage"] if line["group"] == group]

    def test_all_runs_of_a_figure_lie_in_their_intervals(self):
        self.assertEqual({line["figure"] for line in self.lines("all")}, {"tpot", "ttft", "prefill", "throughput"})
        for line in self.lines("all"):
            for key, (least, most) in LEVELS.items():
                with self.subTest(figure=line["figure"], level=key):
                    self.assertTrue(least <= line[key] <= most, line)
            self.assertLessEqual(line["log_width_80"], WIDEST * line["log_error"], line)

    def test_the_exit_code_says_so(self):
        self.assertEqual(self.found["coverage_failures"], [])
        self.assertEqual(self.run_.returncode, 0, self.run_.stderr)

    def test_groups_are_published_with_their_number(self):
        print("\nin the 50, 80 and 95 % intervals of TPOT")
        for line in self.found["coverage"]:
            if line["figure"] == "tpot":
                print(f"  {line['group']:18} {line['name']:24} {line['runs']:6} runs {line['inside_50']:6.1%} {line['inside_80']:6.1%} {line['inside_95']:6.1%}")
        for group in ("left out", "kind", "layout", "model", "chip", "chip and kernels", "engine", "load", "combination", "rows"):
            self.assertTrue(self.lines(group), group)
        # every run is left out once in each of these ways
        counts = {line["name"]: line["runs"] for line in self.lines("left out") if line["figure"] == "tpot"}
        self.assertEqual(len({counts[way] for way in ("model", "chip", "engine", "combination", "rows")}), 1, counts)

    def test_levels_nest(self):
        for line in self.found["coverage"]:
            self.assertLessEqual(line["inside_50"], line["inside_80"], line)
            self.assertLessEqual(line["inside_80"], line["inside_95"], line)

    def test_the_page_is_fresh(self):
        self.assertEqual((ROOT / "docs" / "validation.md").read_text(), self.found["page"], "write it again: see the page's first line")


if __name__ == "__main__":
    unittest.main()
