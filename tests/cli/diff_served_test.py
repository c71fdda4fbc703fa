"""ridge diff with a machine: both models served, by the same functions as ridge why."""

import unittest

from ridge_run import ANSWERED, BAD_INPUT, DOES_NOT_FIT, SANITIZED, ridge


class Served(unittest.TestCase):
    def test_diff_serves_both_as_why_does(self):
        found = ridge("diff", "llama-3.1-70b", "qwen2.5-72b", "--on", "hgx-h100", "--tp", "4", "--isl", "2k", "--osl", "500", "--concurrency", "16", "--json").json()
        figures = found["served"]["figures"]
        for side, model in (("a", "llama-3.1-70b"), ("b", "qwen2.5-72b")):
            why = ridge("why", model, "--on", "hgx-h100", "--tp", "4", "--isl", "2k", "--osl", "500", "--concurrency", "16", "--json").json()
            self.assertAlmostEqual(figures["tpot"][side], why["tpot"], delta=1e-9)
            self.assertAlmostEqual(figures["output_cost"][side], why["output_cost"], delta=1e-15)
            self.assertEqual(figures["layout"][side], "TP4")
        self.assertAlmostEqual(figures["tpot"]["ratio"], figures["tpot"]["b"] / figures["tpot"]["a"])

    def test_a_rate_is_served_within_the_slo(self):
        words = ("diff", "llama-3.3-70b", "qwen3-32b", "--on", "hgx-h100", "--isl", "4k", "--osl", "500", "--rate", "50", "--json")
        nodes = {}
        for tpot in ("20ms", "50ms"):
            figures = ridge(*words, "--tpot", tpot).json()["served"]["figures"]
            for side in ("a", "b"):
                self.assertLess(figures["tpot"][side], float(tpot[:-2]) / 1e3)
                self.assertEqual(figures["nodes"][side], int(figures["nodes"][side]))
            nodes[tpot] = figures["nodes"]["a"]
        self.assertLess(nodes["50ms"], nodes["20ms"])
        # a layout that is named has no load left to choose
        self.assertEqual(ridge(*words, "--tpot", "20ms", "--tp", "4").code, BAD_INPUT)

    @unittest.skipIf(SANITIZED, "millions of simulated requests")
    def test_a_rate_and_an_slo_compare_what_a_plan_buys(self):
        words = ["--on", "hgx-h100", "--isl", "1k", "--osl", "200", "--rate", "600/min", "--slo", "ttft=1s,tpot=40ms", "--spare", "1"]
        found = ridge("diff", "llama-3.1-8b", "qwen3-32b", *words, "--json")
        self.assertEqual(found.code, ANSWERED, str(found))
        figures = found.json()["served"]["figures"]
        for side, model in (("a", "llama-3.1-8b"), ("b", "qwen3-32b")):
            plan = ridge("plan", model, *words, "--json", "--quiet").json()["best"]
            for key in ("nodes", "chips", "replicas", "odds", "dollars_per_hour", "dollars_per_month", "cost"):
                self.assertEqual(figures[key][side], plan[key], key)
            self.assertEqual(figures["ttft_p99"][side], plan["slo"][0]["value"])
            self.assertEqual(figures["tpot_p99"][side], plan["slo"][1]["value"])
        text = ridge("diff", "llama-3.1-8b", "qwen3-32b", *words).out
        self.assertLessEqual(max(len(line) for line in text.splitlines()), 80)
        never = ridge("diff", "llama-3.1-8b", "qwen3-32b", *words[:-4], "--slo", "tpot=100us", "--no-simulation")
        self.assertEqual(never.code, DOES_NOT_FIT, str(never))
        self.assertIn("ridge plan qwen3-32b says what would", " ".join(never.out.split()))
        for more, says in ((["--slo", "ttft=1s"], "requests a second?"), (["--spare", "1"], "--spare: stands without --slo"),
                           (["--rate", "5", "--slo", "ttft=1s", "--concurrency", "4"], "--concurrency: stands beside --slo")):
            refused = ridge("diff", "llama-3.1-8b", "qwen3-32b", "--on", "hgx-h100", *more)
            self.assertEqual(refused.code, BAD_INPUT, str(refused))
            self.assertIn(says, refused.err)

    def test_chips_and_nodes_are_whole(self):
        # without a rate 5.494 chips were printed: one replica that decodes, and its share of the prefill pool
        for more in ([], ["--rate", "50"], ["--rate", "3", "--tp", "8"], ["--disaggregated", "--tp", "4", "--concurrency", "32"]):
            figures = ridge("diff", "llama-3.1-8b", "qwen3-32b", "--on", "hgx-h100", *more, "--json").json()["served"]["figures"]
            for side in ("a", "b"):
                for key in ("chips", "replicas", "prefill_replicas", "nodes"):
                    value = figures.get(key, {}).get(side)
                    self.assertTrue(value is None or value == int(value), (more, key, value))
                hourly = figures["dollars_per_hour"][side]
                per_chip = 8 * figures["nodes"][side] if "nodes" in figures else figures["chips"][side]
                self.assertAlmostEqual(hourly, 1.30 * per_chip, places=6)
            self.assertEqual("nodes" in figures, "--rate" in more)

    def test_only_models_are_served(self):
        run = ridge("diff", "hgx-h100", "hgx-h200", "--on", "hgx-h100")
        self.assertEqual(run.code, BAD_INPUT)
        self.assertIn("no models", run.err)
        self.assertIn("which machine", ridge("diff", "llama-3.1-70b", "qwen2.5-72b", "--isl", "2k").err)


if __name__ == "__main__":
    unittest.main()
