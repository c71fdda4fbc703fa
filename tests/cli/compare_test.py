"""ridge compare from the outside: every figure beside its prediction, odd files named, charts drawn."""

import json
import tempfile
import unittest
from pathlib import Path

from ridge_run import ANSWERED, BAD_INPUT, ROOT, ridge

SWEEP = ROOT / "examples" / "09-your-results" / "sweep.jsonl"
SETTING = ["--on", "mi300x", "--tp", "1"]
RUNS = [json.loads(line) for line in SWEEP.read_text().splitlines()]


class Compare(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name, *runs):
        path = self.folder / name
        path.write_text("\n".join(json.dumps(run) for run in runs))
        return str(path)

    def test_tables_stay_within_a_screen_whatever_a_file_is_called(self):
        run = {**RUNS[-1], "model_id": "openai/gpt-oss-120b"}  # with experts: the most columns
        path = self.write("h100x2_gpt-oss-120b_a-name-that-people-really-give-to-their-files_c64.json", run)
        shown = ridge("compare", path, "--on", "hgx-h100", "--tp", "2")
        self.assertEqual(shown.code, ANSWERED, str(shown))
        self.assertIn("What one change would bring", shown.out)
        for line in shown.out.splitlines():
            self.assertLessEqual(len(line), 80, line)

    def test_figures_are_those_of_why_under_the_same_load(self):
        found = ridge("compare", str(SWEEP), *SETTING, "--json").json()
        self.assertEqual(found["schema"], "ridge.compare/1")
        for one, run in zip(found["runs"], RUNS, strict=True):
            figures = {figure["figure"]: figure for figure in one["figures"]}
            why = ridge("why", "llama-3.1-8b", "--weights", "bf16", *SETTING, "--isl", "1000", "--osl", "250", "--concurrency",
                        str(run["max_concurrency"]), "--json").json()
            self.assertAlmostEqual(figures["tpot"]["predicted"], why["tpot"], delta=1e-9)
            self.assertAlmostEqual(figures["ttft"]["predicted"], why["ttft"], delta=1e-9)
            self.assertAlmostEqual(figures["output_tok_s"]["predicted"], why["output_tok_s"], delta=1e-6)
            self.assertAlmostEqual(figures["ttft"]["measured"], run["median_ttft_ms"] / 1e3)
            self.assertAlmostEqual(figures["tpot"]["error"], figures["tpot"]["predicted"] / figures["tpot"]["measured"] - 1)
            self.assertAlmostEqual(one["bound"], why["bound"]["tpot"], delta=1e-12)
            self.assertAlmostEqual(one["times_bound"] * one["bound"], run["mean_tpot_ms"] / 1e3)
            self.assertAlmostEqual(sum(one["time"].values()), run["mean_tpot_ms"] / 1e3)
        trend = found["trend"]
        self.assertEqual(trend["runs"], 4)
        self.assertGreater(trend["constant"], 0)

    def test_a_model_with_experts_is_as_far_from_the_roofline_as_why_says(self):
        path = self.write("experts.json", {**RUNS[-1], "model_id": "openai/gpt-oss-120b"})
        one = ridge("compare", path, *SETTING, "--json").json()["runs"][0]
        why = ridge("why", "gpt-oss-120b", *SETTING, "--isl", "1000", "--osl", "250", "--concurrency",
                    str(RUNS[-1]["max_concurrency"]), "--json").json()
        self.assertAlmostEqual(one["bound"], why["bound"]["tpot"], delta=1e-12)
        self.assertLess(one["bound_best_routing"], one["bound"])  # where all tokens pick the same experts

    def test_what_is_missing_is_said_in_the_first_lines(self):
        shown = ridge("compare", self.write("nowhere.json", RUNS[0]))
        self.assertIn("nothing could be predicted (--on: the file does not name it): say it beside the file",
                      " ".join(shown.out.split()))

    def test_changes_are_the_answers_of_why(self):
        found = ridge("compare", str(SWEEP), *SETTING, "--json").json()
        run = found["runs"][-1]
        change = next(one for one in run["changes"] if one["change"].startswith("--concurrency 128"))
        common = ["why", "llama-3.1-8b", "--weights", "bf16", *SETTING, "--isl", "1000", "--osl", "250", "--json"]
        now, then = ridge(*common, "--concurrency", "64").json(), ridge(*common, "--concurrency", "128").json()
        self.assertAlmostEqual(change["tpot"], then["tpot"] / now["tpot"], delta=1e-9)

    def test_a_command_says_what_the_file_does_not(self):
        pasted = ridge("compare", str(SWEEP), "--on", "mi300x", "--from", "vllm serve meta-llama/Llama-3.1-8B-Instruct -tp 1", "--json").json()
        self.assertIn("TP1", pasted["runs"][0]["setting"])
        twice = ridge("compare", str(SWEEP), "--on", "mi300x", "--from", "vllm serve meta-llama/Llama-3.1-8B-Instruct -tp 2", "--json").json()
        self.assertIn("TP2", twice["runs"][0]["setting"])
        self.assertNotEqual(ridge("compare", str(SWEEP), "--on", "mi300x", "--from", "frobnicate").code, ANSWERED)

    def test_odd_files_are_named_and_take_no_part_in_the_trend(self):
        failed = {**RUNS[1], "failed": 7}
        total = {**RUNS[2], "output_throughput": RUNS[2]["total_token_throughput"]}
        cached = {**RUNS[3], "mean_ttft_ms": 0.5, "median_ttft_ms": 0.5, "p99_ttft_ms": 0.6}
        run = ridge("compare", self.write("odd.jsonl", RUNS[0], failed, total, cached), *SETTING)
        self.assertEqual(run.code, ANSWERED)
        text = " ".join(run.out.split())
        for words in ("7 of 47 requests failed", "count input tokens, too", "prompts were in the prefix cache"):
            self.assertIn(words, text)
        self.assertNotIn("x predicted", text)  # one run is left: no trend

    def test_what_is_no_result_is_refused_and_does_not_hold_up_the_others(self):
        bad = self.write("bad.json", {"a": 1})
        run = ridge("compare", bad, str(SWEEP), *SETTING)
        self.assertEqual(run.code, BAD_INPUT)
        self.assertIn("refused", run.out)
        self.assertIn("line 4", run.out)
        self.assertEqual(ridge("compare", bad).code, BAD_INPUT)

    def test_a_chart_is_drawn_where_there_is_something_to_draw(self):
        chart = self.folder / "compare.svg"
        self.assertEqual(ridge("compare", str(SWEEP), *SETTING, "--svg", str(chart)).code, ANSWERED)
        svg = chart.read_text()
        self.assertIn("TPOT", svg)
        self.assertIn("TTFT", svg)
        run = ridge("compare", str(SWEEP), "--svg", str(self.folder / "none.svg"))
        self.assertEqual(run.code, BAD_INPUT)
        self.assertIn("nothing to draw", run.err)

    def test_one_run_shows_every_metric(self):
        out = ridge("compare", self.write("one.json", RUNS[2]), *SETTING).out
        for title in ("TPOT (mean)", "ITL (median)", "TTFT (median)", "output tok/s", "total tok/s", "requests/s"):
            self.assertIn(title, out)


if __name__ == "__main__":
    unittest.main()
