"""Does `ridge plan` answer an operator: whole nodes, what users see, what it costs, how sure; and does its line give the same again?
"""

import math
import random
import shlex
import tempfile
import unittest
from pathlib import Path

from ridge_run import ANSWERED, BAD_INPUT, DOES_NOT_FIT, SANITIZED, WRONG_USAGE, ridge

SMALL = ["llama-3.1-8b", "--on", "hgx-h100", "--isl", "1k", "--osl", "200", "--quiet"]


def fleet(*words, code=ANSWERED):
    run = ridge("plan", *words, "--json")
    assert run.code == code, str(run)
    return run.json()


class Fleets(unittest.TestCase):
    @unittest.skipIf(SANITIZED, "millions of simulated requests")
    def test_whole_nodes_and_what_they_cost(self):
        answer = fleet(*SMALL, "--rate", "150", "--slo", "ttft=500ms,tpot=20ms")
        best = answer["best"]
        for key in ("nodes", "replicas", "prefill_replicas", "chips"):
            self.assertEqual(best[key], math.floor(best[key]))
        self.assertEqual(best["chips"], 8 * best["nodes"])
        used = best["replicas"] * best["layout"]["chips"]
        used += best["prefill_replicas"] * best["prefill_layout"]["chips"] if best["disaggregated"] else 0
        self.assertLessEqual(used, best["chips"])
        # $1.30 an hour and GPU is the catalog's three-year price; a month has 730 hours
        self.assertAlmostEqual(best["dollars_per_hour"], 1.30 * best["chips"], places=9)
        self.assertAlmostEqual(best["dollars_per_month"], 730 * best["dollars_per_hour"], places=6)
        self.assertAlmostEqual(best["cost"], best["dollars_per_hour"] / 3600 / (150 * 200), places=15)
        self.assertGreaterEqual(best["odds"], 0.9)
        self.assertAlmostEqual(best["odds"], math.prod(one["odds"] for one in best["slo"]), places=12)
        for one in best["slo"]:
            self.assertLess(one["value"], one["limit"])
            self.assertLess(one["interval"]["80"][0], one["value"])

    @unittest.skipIf(SANITIZED, "millions of simulated requests")
    def test_the_printed_line_gives_the_same_figures_again(self):
        draw = random.Random(20)
        models = ["llama-3.1-8b", "gpt-oss-120b", "qwen3-30b-a3b", "llama-3.3-70b"]
        for _ in range(8):
            model, machine = draw.choice(models), draw.choice(["hgx-h100", "hgx-h200", "hgx-b200"])
            words = [model, "--on", machine, "--isl", str(draw.choice([500, 2000, 8000])), "--osl",
                     str(draw.choice([100, 400])), "--rate", str(draw.choice([5, 20, 60])), "--slo", "ttft=4s,tpot.p90=60ms",
                     "--quiet", "--spare", str(draw.choice([0, 1])), "--engine", draw.choice(["vllm", "sglang", "trtllm"])]
            with self.subTest(" ".join(words)):
                answer = fleet(*words)
                line = shlex.split(answer["again"])
                self.assertEqual(line[:2], ["ridge", "simulate"])
                run = ridge(*line[1:], "--json", "--quiet")
                self.assertEqual(run.code, ANSWERED, str(run))
                again = run.json()["steady"]
                self.assertEqual(again["ttft"]["p99"], answer["best"]["slo"][0]["value"])
                self.assertEqual(again["tpot"]["p90"], answer["best"]["slo"][1]["value"])

    def same_again(self, words, statistics=("p99", "p90")):
        """The figures of a plan, and of the line that it prints."""
        answer = fleet(*words)
        line = shlex.split(answer["again"])
        self.assertEqual(line[:2], ["ridge", "simulate"])
        run = ridge(*line[1:], "--json", "--quiet")
        self.assertEqual(run.code, ANSWERED, str(run))
        again = run.json()
        for one in answer["best"]["slo"]:
            self.assertEqual(again["steady"][one["metric"].lower()][one["statistic"]], one["value"], line)
        # $ of whole nodes are paid for what is idle as well
        self.assertLessEqual(again["chips"], answer["best"]["chips"])
        return answer["best"], again

    @unittest.skipIf(SANITIZED, "millions of simulated requests")
    def test_mixes_traces_and_prefixes_are_the_same_again(self):
        draw = random.Random(21)
        for _ in range(3):
            share = draw.choice([20, 50, 80])
            mix = (f"chat: {share}% {draw.choice([300, '1k'])}/{draw.choice([50, 200])}, "
                   f"it's long: {100 - share}% {draw.choice(['4k', '8k'])}/100@{draw.choice([0, 50, 90])}%")
            words = [draw.choice(["llama-3.1-8b", "qwen3-30b-a3b"]), "--on", "hgx-h100", "--rate", str(draw.choice([10, 30])),
                     "--mix", mix, "--slo", "ttft=4s,tpot.p90=60ms", "--quiet"]
            with self.subTest(" ".join(words)):
                best, again = self.same_again(words)
                self.assertEqual(again["prefix_hit_rate"] > 0, "@0%" not in mix)
        with self.subTest("a shared prefix"):
            _, again = self.same_again([*SMALL, "--rate", "40", "--cached", "0.5", "--slo", "ttft=2s,tpot.p90=40ms"])
            self.assertGreater(again["prefix_hit_rate"], 0.4)
        with self.subTest("a trace"), tempfile.TemporaryDirectory() as folder:
            trace = Path(folder) / "my trace.csv"
            rows = [f"{0.05 * i:.3f},{draw.choice([200, 1000, 3000])},{draw.choice([20, 100])}" for i in range(600)]
            trace.write_text("sent_s,prompt_tokens,output_tokens\n" + "\n".join(rows) + "\n")
            self.same_again(["llama-3.1-8b", "--on", "hgx-h100", "--trace", str(trace), "--rate", "40", "--slo",
                             "ttft=2s,tpot.p90=40ms", "--quiet"])

    @unittest.skipIf(SANITIZED, "millions of simulated requests")
    def test_pools_of_different_machines(self):
        words = ["llama-3.3-70b", "--prefill-on", "hgx-h100", "--decode-on", "hgx-h200", "--isl", "4k", "--osl", "300", "--rate", "10",
                 "--slo", "ttft=4s,tpot.p90=60ms", "--quiet"]
        best, again = self.same_again(words)
        self.assertEqual((best["prefill_machine"], best["machine"]), ("hgx-h100", "hgx-h200"))
        self.assertEqual(best["chips"], 8 * (best["nodes"] + best["prefill_nodes"]))
        self.assertLessEqual(best["prefill_replicas"] * best["prefill_layout"]["chips"], 8 * best["prefill_nodes"])
        self.assertEqual(again["prefill_machine"], "hgx-h100")
        # the bill is the sum of what the catalog asks for a node of each
        prices = {one: fleet("llama-3.1-8b", "--on", one, "--nodes", "1", "--tpot", "50ms", "--no-simulation", "--quiet")["best"]
                  for one in ("hgx-h100", "hgx-h200")}
        bill = sum(nodes * prices[one]["dollars_per_hour"] for one, nodes in
                   (("hgx-h100", best["prefill_nodes"]), ("hgx-h200", best["nodes"])))
        self.assertAlmostEqual(best["dollars_per_hour"], bill, places=6)
        text = ridge("plan", *words, "--no-simulation", "--commands")
        self.assertEqual(text.code, ANSWERED, str(text))
        for said in ("of hgx-h100 and", "slower scale-out link", "on nodes of", "pools of different machines"):
            self.assertIn(said, " ".join(text.out.split()))

    def test_overlap_is_tried_where_the_engine_has_it(self):
        tried = {}
        for engine in ("vllm", "trtllm"):
            plan = ridge("plan", "qwen3-30b-a3b", "--on", "hgx-h100", "--engine", engine, "--tpot", "40ms", "--json")
            self.assertEqual(plan.code, ANSWERED, str(plan))
            tried[engine] = plan.json()["searched"]["layouts"]
            self.assertIn(plan.json()["best"]["overlap"], ("none", "two-batch"))
            held = ridge("plan", "qwen3-30b-a3b", "--on", "hgx-h100", "--engine", engine, "--tpot", "40ms", "--overlap", "none", "--json")
            more = tried[engine] - held.json()["searched"]["layouts"]
            self.assertEqual(more > 0, engine == "vllm", "facts of vllm have a flag for it, those of trtllm none")

    def test_what_an_engine_cannot_start_is_not_offered(self):
        words = ["llama-3.1-8b", "--on", "hgx-h100", "--engine", "llama.cpp", "--rate", "5", "--osl", "200", "--slo", "ttft=5s,tpot=60ms", "--no-simulation"]
        answer = fleet(*words)
        self.assertFalse(any(one["disaggregated"] for one in [answer["best"], *answer["others"]]))
        asked = fleet(*words, "--disaggregated")
        self.assertTrue(asked["best"]["disaggregated"])
        self.assertTrue(any("no disaggregated prefill" in note for note in asked["notes"]), asked["notes"])

    def test_the_closed_form_agrees_with_why(self):
        answer = fleet(*SMALL, "--rate", "150", "--ttft", "500ms", "--tpot", "20ms", "--no-simulation")
        line = shlex.split(answer["again"])
        self.assertEqual(line[:2], ["ridge", "why"])
        why = ridge(*line[1:], "--json").json()
        by_metric = {one["metric"]: one for one in answer["best"]["slo"]}
        self.assertAlmostEqual(why["tpot"], by_metric["TPOT"]["value"], delta=1e-9 * why["tpot"])
        self.assertAlmostEqual(why["ttft"], by_metric["TTFT"]["value"], delta=1e-9 * why["ttft"])
        self.assertEqual([one["statistic"] for one in answer["best"]["slo"]], ["mean", "mean"])

    @unittest.skipIf(SANITIZED, "millions of simulated requests")
    def test_nodes_and_a_budget_give_a_rate(self):
        nodes = fleet(*SMALL, "--nodes", "2", "--slo", "ttft=500ms,tpot=20ms")["best"]
        self.assertLessEqual(nodes["nodes"], 2)
        # $20,000 a month are $27.40 an hour: two nodes of $10.40
        budget = fleet(*SMALL, "--budget", "$20k/month", "--slo", "ttft=500ms,tpot=20ms")["best"]
        self.assertEqual(budget["nodes"], 2)
        self.assertEqual(budget["requests_per_s"], nodes["requests_per_s"])
        back = fleet(*SMALL, "--rate", str(0.97 * nodes["requests_per_s"]), "--slo", "ttft=500ms,tpot=20ms")["best"]
        self.assertLessEqual(back["nodes"], 2)

    def test_what_is_wrong_is_named(self):
        for words, code, says in (
                (["--rate", "10"], BAD_INPUT, "--slo ttft=2s,tpot=30ms"),
                (["--rate", "10", "--slo", "ttft"], BAD_INPUT, "has no ="),
                (["--rate", "10", "--slo", "latency=2s"], BAD_INPUT, "is no latency that is promised"),
                (["--rate", "-1", "--slo", "ttft=2s"], BAD_INPUT, "--rate"),
                (["--rate", "10", "--nodes", "2", "--slo", "ttft=2s"], BAD_INPUT, "or the nodes, or the budget"),
                (["--budget", "50", "--slo", "ttft=2s"], BAD_INPUT, "$50k/month"),
                (["--rate", "10", "--slo", "ttft=2s", "--ttft", "1s"], BAD_INPUT, "ttft.mean"),
                (["--rate", "10", "--slo", "ttft=2s", "--confidence", "100%"], BAD_INPUT, "--confidence"),
                (["--rate", "10", "--slo", "ttft=2s", "--objective", "chips"], BAD_INPUT, "by its bill"),
                (["--rate", "0", "--slo", "ttft=2s"], BAD_INPUT, "--rate"),
                (["--prefill-on", "hgx-h10", "--rate", "10", "--slo", "ttft=2s"], BAD_INPUT, "hgx-h100"),
                (["--prefill-on", "hgx-h200", "--aggregated", "--rate", "10", "--slo", "ttft=2s"], BAD_INPUT, "--aggregated"),
                (["--decode-on", "hgx-h200", "--rate", "10", "--slo", "ttft=2s"], BAD_INPUT, "--decode-on"),
                (["--nodes", "0", "--slo", "ttft=2s"], BAD_INPUT, "--nodes")):
            with self.subTest(words):
                run = ridge("plan", *SMALL, *words)
                self.assertIn(run.code, (code, WRONG_USAGE), str(run))
                self.assertIn(says, run.err)

    def test_what_cannot_be_kept_is_an_answer(self):
        run = ridge("plan", *SMALL, "--rate", "10", "--slo", "tpot=200us")
        self.assertEqual(run.code, DOES_NOT_FIT, str(run))
        self.assertIn("Nothing keeps the SLO", run.out)
        self.assertIn("would hold: --tpot", run.out)


if __name__ == "__main__":
    unittest.main()
