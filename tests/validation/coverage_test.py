"""What the fit has not seen: how far off it is there, and whether intervals made from the errors of other runs alone hold."""

import csv
import functools
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

RIDGE = os.environ["RIDGE"]
ROOT = pathlib.Path(__file__).resolve().parents[2]

LEVELS = {"inside_50": (0.45, 0.57), "inside_80": (0.73, 0.87), "inside_95": (0.90, 0.98)}
WIDEST = 3.5


@functools.cache
def the_run():
    folder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(folder.cleanup)
    run = subprocess.run([RIDGE, "validate", "--leave-one-out", "all", "--coverage", "--decisions", "--json", "--page", "--svg", f"{folder.name}/validation.svg"],
                         capture_output=True, text=True)
    return folder, run, json.loads(run.stdout)


class LeftOut(unittest.TestCase):
    """One run for all: it fits some fifty times, which takes a minute or two."""

    @classmethod
    def setUpClass(cls):
        cls.folder, cls.run_, cls.found = the_run()


class Gate(LeftOut):
    """What the project promises for models, chips and kernels that no fit has seen. A change that makes predictions worse fails here."""

    def line(self, group, name):
        return next(line for line in self.found["lines"] + self.found["held_out"] if (line["group"], line["name"]) == (group, name))

    def mean(self, group, name):
        return self.line(group, name)["mean_error"]

    def test_kernels_whose_other_half_was_fitted(self):
        """Left out of their fit; goals, and whole files of measurements, stand in docs/validation.md and docs/theory/serving.md."""
        for name, shared, apart in (("matrix products", 0.12, 0.09), ("all-reduce", 0.13, 0.10), ("decode attention", 0.19, 0.155), ("prefill attention", 0.19, 0.17),
                                    ("latent decode", 0.145, 0.12), ("latent prefill", 0.20, 0.19), ("expert layers", 0.26, 0.18)):
            self.assertLessEqual(self.mean("fitted to one half, judged on the other", name), shared, name)
            self.assertLessEqual(self.mean("fitted to one half, each library by itself", name), apart, name)

    def test_out_of_sample(self):
        self.assertLessEqual(self.mean("leaving out one model", "dense"), 0.09)
        self.assertLessEqual(self.mean("leaving out one model", "mixture of experts"), 0.13)
        self.assertLessEqual(self.mean("leaving out one chip's runs", "prefill not disaggregated"), 0.11)

    def test_whole_steps(self):
        old = self.line("fitted to one half, judged on the other", "trtllm-overview trtllm v0.9")
        self.assertLessEqual(old["mean_error"], 0.12)
        line = self.line("fitted to one half, judged on the other", "h200-torch whole steps")
        self.assertLessEqual(line["mean_error"], 0.06)
        self.assertLessEqual(line["p90_error"], 0.15)


class Coverage(LeftOut):
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

    def test_decisions_keep_what_a_plan_promises(self):
        decisions = self.found["decisions"]
        lines = {(line["left_out"], line["predictor"], line["confidence"]): line for line in decisions["lines"]}
        print(f"\ndecisions over {decisions['groups']} groups of {decisions['configurations']} configurations")
        for (left_out, predictor, confidence), line in lines.items():
            print(f"  {left_out:16} {predictor:26} {confidence:.0%} offers {line['offered']:4} missed {line['missed_share']:6.1%} regret {line['regret']:6.1%} "
                  f"loss {line['loss']:6.1%} none {line['not_offered']:4} layout {line['layout_regret']:6.1%}")
        for left_out in ("model", "chip"):
            with self.subTest(left_out):
                own = lines[left_out, "calibrated", 0.9]
                for goal in ("missed_share", "regret", "loss"):
                    self.assertLessEqual(own[goal], decisions["goals"][goal], goal)
                self.assertLessEqual(own["loss_with_not_offered"], decisions["goals"]["loss"])
                self.assertLessEqual(own["layout_regret"], decisions["goals"]["layout_regret"])
                for (other, predictor, _), line in lines.items():
                    if other == left_out and predictor != "calibrated":
                        self.assertGreater(line["loss_with_not_offered"], own["loss_with_not_offered"], predictor)

    def test_decisions_are_judged_on_all_public_configurations(self):
        """By fits that see half of the runs of other models and chips; among that half alone a layout has half of the loads to be tuned to."""
        decisions, seen = self.found["decisions"], self.found["seen_decisions"]
        rows = {}
        for name in ("serving.csv", "judged.csv"):
            with open(ROOT / "catalog" / "evidence" / name, newline="") as file:
                rows[name] = {row["id"] for row in csv.DictReader(file)}
        self.assertFalse(rows["serving.csv"] & rows["judged.csv"])
        self.assertEqual(decisions["runs"], seen["runs"] + decisions["never_seen"])
        self.assertEqual(seen["never_seen"], 0)
        self.assertGreater(decisions["never_seen"], 0.95 * len(rows["judged.csv"]))
        self.assertGreater(decisions["configurations"], 1.4 * seen["configurations"])
        for line in seen["lines"]:
            if line["predictor"] == "calibrated" and line["left_out"] in ("model", "chip"):
                self.assertLessEqual(line["layout_regret"], 0.045, line)

    def test_levels_nest(self):
        for line in self.found["coverage"]:
            self.assertLessEqual(line["inside_50"], line["inside_80"], line)
            self.assertLessEqual(line["inside_80"], line["inside_95"], line)

    def test_the_page_is_fresh(self):
        self.assertEqual((ROOT / "docs" / "validation.md").read_text(), self.found["page"], "write it again: see the page's first lines")

    def test_the_charts_are_fresh(self):
        for chart in ("tpot", "prefill", "kernels"):
            with self.subTest(chart):
                fresh = (pathlib.Path(self.folder.name) / f"validation-{chart}.svg").read_text()
                kept = ROOT / "docs" / f"validation-{chart}.svg"
                self.assertLess(kept.stat().st_size, 150_000)
                self.assertIn(f"({kept.name})", self.found["page"])
                self.assertTrue(kept.read_text() == fresh, "write it again: see the first lines of docs/validation.md")

    def test_a_cause_is_of_something_that_fails(self):
        simulated = json.loads(subprocess.run([RIDGE, "validate", "--simulate", "--json"], capture_output=True, text=True, check=True).stdout)
        failing = {(one["group"], one["name"]) for one in self.found["failures"] + simulated["failures"]}
        with open(ROOT / "catalog" / "evidence" / "causes.csv", newline="") as file:
            for row in csv.DictReader(file):
                self.assertIn((row["group"], row["name"]), failing, "what is mended is no failure any more")

    def test_failures_are_all_that_is_off_by_a_fifth(self):
        lines = self.found["lines"] + self.found["held_out"]
        wanted = {(line["group"], line["name"]) for line in lines if line["mean_error"] > 0.2}
        self.assertLessEqual(wanted, {(one["group"], one["name"]) for one in self.found["failures"]})

    def test_what_numbers_bought_is_of_this_fit(self):
        numbers = json.loads(subprocess.run([RIDGE, "validate", "--numbers", "--json"], capture_output=True, text=True, check=True).stdout)
        left = {(line["group"], line["name"]): line["mean_error"] for line in self.found["held_out"]}
        self.assertAlmostEqual(numbers["fitted"]["tpot"], left["leaving out one model", "prefill not disaggregated"], delta=2e-5)
        self.assertAlmostEqual(numbers["fitted"]["ttft"], left["TTFT, leaving out one model", "all"], delta=2e-4)


if __name__ == "__main__":
    unittest.main()
