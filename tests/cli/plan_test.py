"""A plan is the same with any number of threads; what it cannot take is refused; its chips for prompts are those of ridge why."""

import json
import unittest

from ridge_run import ANSWERED, BAD_INPUT, SANITIZED, WRONG_USAGE, ridge

PLAN = ("plan", "gpt-oss-120b", "--on", "hgx-h100,hgx-b200", "--isl", "2k", "--osl", "500", "--ttft", "90ms", "--tpot", "12ms", "--confidence", "50%",
        "--speculative-tokens", "0,2", "--max-chips", "4" if SANITIZED else "8")


class Plans(unittest.TestCase):
    def plan(self, *more, code=ANSWERED):
        done = ridge(*PLAN, *more)
        self.assertEqual(done.code, code, done.err)
        return done

    def test_threads_find_what_one_does(self):
        whole = self.plan("--json", "--threads", "1").out
        answer = json.loads(whole)
        self.assertGreater(len(answer["frontier"]), 10)
        self.assertIsNotNone(answer["best"])
        for threads in ("2", "3"):
            self.assertEqual(self.plan("--json", "--threads", threads).out, whole)

    def test_lists_that_hold_nothing_are_explained(self):
        for flag, text, said in (("--kv", "fp8,bogus", "unknown format"), ("--speculative-tokens", "1,x", "--speculative-tokens"), ("--token-budget", ",", "--token-budget"), ("--kv", "fp9", "fp8"),
                                 ("--speculative-tokens", "0,99", "up to 64"), ("--prefill-layout", "tp", "TP4")):
            done = ridge("plan", "llama-3.1-8b", "--on", "hgx-h100", flag, text)
            self.assertEqual(done.code, BAD_INPUT, done.out)
            self.assertIn(said, done.err)

    def test_what_a_plan_would_ignore_is_refused(self):
        self.assertIn("--aggregated", self.plan("--disaggregated", "--aggregated", code=BAD_INPUT).err)
        for flag, text in (("--shard", "1/2"), ("--parts", "a.plan"), ("--out", "x.plan")):  # it could be spread over processes once
            refused = self.plan(flag, text, code=WRONG_USAGE).err
            self.assertIn(flag + ": is gone", refused)
        held = json.loads(self.plan("--disaggregated", "--prefill-layout", "tp2", "--json").out)
        self.assertEqual({point["prefill_layout"]["name"] for point in held["frontier"]}, {"TP2"})
        twice = json.loads(self.plan("--kv", "fp8,fp8", "--json").out)
        self.assertEqual(twice["searched"], json.loads(self.plan("--kv", "fp8", "--json").out)["searched"])

    def test_chips_for_prompts_are_those_of_the_answer(self):
        best = json.loads(self.plan("--json", "--disaggregated", "--overlap", "none").out)["best"]
        layout = best["layout"]
        done = ridge("why", "gpt-oss-120b", "--on", best["machine"], "--isl", "2k", "--osl", "500", "--disaggregated", "--json",
                   "--prefill-layout", best["prefill_layout"]["name"], "--concurrency", str(best["concurrency"]),
                   "--speculative-tokens", str(best["speculative_tokens"]), "--tp", str(layout["tensor"]), "--dp", str(layout["attention_data"]),
                   "--ep", str(layout["expert"]), "--redundant-experts", str(layout["redundant_experts"]), "--pp", str(layout["pipeline"]), "--cp", str(layout["context"]))
        self.assertEqual(done.code, ANSWERED, done.err)
        answer = json.loads(done.out)
        self.assertEqual(answer["tpot"], best["tpot"])
        self.assertEqual(answer["ttft"], best["ttft"])
        self.assertEqual(answer["chips"], best["chips"])
        self.assertEqual(answer["prefill_layout"], best["prefill_layout"])


if __name__ == "__main__":
    unittest.main()
