"""A plan is the same whoever searches it: threads, processes, or parts put together; and parts that are no whole are named."""

import json
import subprocess
import tempfile
import unittest
from pathlib import Path

from ridge_run import ANSWERED, BAD_INPUT, MPI_ENVIRONMENT, MPIRUN, NO_MPI, RIDGE, SANITIZED, ridge

PLAN = ("plan", "gpt-oss-120b", "--on", "hgx-h100,hgx-b200", "--isl", "2k", "--osl", "500", "--ttft", "90ms", "--tpot", "12ms",
        "--speculative-tokens", "0,2", "--max-chips", "4" if SANITIZED else "8")


class Plans(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def plan(self, *more, code=ANSWERED):
        done = ridge(*PLAN, *more, cwd=self.folder)
        self.assertEqual(done.code, code, done.err)
        return done

    def parts(self, count):
        names = [f"{i}-of-{count}.plan" for i in range(1, count + 1)]
        for i, name in enumerate(names, 1):
            self.plan("--shard", f"{i}/{count}", "--out", name)
        return names

    def test_threads_and_parts_find_what_one_does(self):
        whole = self.plan("--json", "--threads", "1").out
        answer = json.loads(whole)
        self.assertGreater(len(answer["frontier"]), 10)
        self.assertIsNotNone(answer["best"])
        for threads in ("2", "3"):
            self.assertEqual(self.plan("--json", "--threads", threads).out, whole)
        for count in (1, 2, 5):
            self.assertEqual(self.plan("--json", "--parts", *reversed(self.parts(count))).out, whole)

    @unittest.skipIf(SANITIZED, "Open MPI leaks by itself")
    @unittest.skipIf(NO_MPI, "no mpirun, or ridge was built without Open MPI")
    def test_two_and_three_processes_find_what_one_does(self):
        whole = self.plan("--json").out
        for count in (2, 3):
            done = subprocess.run([MPIRUN, "-n", str(count), RIDGE, *PLAN, "--json"], cwd=self.folder, env=MPI_ENVIRONMENT,
                                  stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
            self.assertEqual(done.returncode, ANSWERED, done.stderr.decode())
            self.assertEqual(done.stdout.decode(), whole)
        wrong = subprocess.run([MPIRUN, "-n", "2", RIDGE, *PLAN, "--engine", "vlm"], cwd=self.folder, env=MPI_ENVIRONMENT,
                               stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        self.assertEqual(wrong.returncode, BAD_INPUT)
        self.assertEqual(wrong.stderr.count(b"unknown engine"), 1)

    def test_parts_that_are_no_whole_are_named(self):
        one, two, three = self.parts(3)
        (self.folder / "cut.plan").write_bytes((self.folder / two).read_bytes()[:-9])
        (self.folder / "other.plan").write_text("not a part\n")
        whole = (self.folder / two).read_bytes()
        (self.folder / "line.plan").write_bytes(whole[:30])
        (self.folder / "flipped.plan").write_bytes(whole[:200] + bytes([whole[200] ^ 64]) + whole[201:])
        (self.folder / "empty.plan").write_bytes(b"")
        for name in ("line.plan", "flipped.plan", "empty.plan"):
            self.assertIn(name, self.plan("--parts", one, name, three, code=BAD_INPUT).err)
        self.plan("--shard", "2/3", "--out", "again.plan")
        self.assertEqual((self.folder / "again.plan").read_bytes(), whole)
        self.plan("--cached", "0.5", "--shard", "2/3", "--out", "changed.plan")
        self.plan("--memory-utilization", "0.91", "--shard", "2/3", "--out", "narrower.plan")
        self.assertIn("another plan", self.plan("--parts", one, "narrower.plan", three, code=BAD_INPUT).err)
        self.plan("--shard", "2/4", "--out", "fourth.plan")
        for files, said in (((one, three), "2/3 is missing"), ((one, two, one), "same part"), ((one, "cut.plan", three), "cut.plan"),
                            ((one, "other.plan"), "other.plan"), ((one, "changed.plan", three), "another plan"),
                            ((one, "fourth.plan"), "others are of 3"), ((one, "none.plan"), "none.plan")):
            self.assertIn(said, self.plan("--parts", *files, code=BAD_INPUT).err)
        self.assertIn("--out", self.plan("--shard", "1/2", code=BAD_INPUT).err)
        self.assertIn("I/N", self.plan("--shard", "3/2", "--out", "x.plan", code=BAD_INPUT).err)

    def test_lists_that_hold_nothing_are_explained(self):
        for flag, text, said in (("--kv", "fp8,bogus", "unknown format"), ("--speculative-tokens", "1,x", "--speculative-tokens"), ("--token-budget", ",", "--token-budget"), ("--kv", "fp9", "fp8"),
                                 ("--speculative-tokens", "0,99", "up to 64"), ("--prefill-layout", "tp", "TP4")):
            done = ridge("plan", "llama-3.1-8b", "--on", "hgx-h100", flag, text)
            self.assertEqual(done.code, BAD_INPUT, done.out)
            self.assertIn(said, done.err)

    def test_what_a_plan_would_ignore_is_refused(self):
        for more, said in ((("--disaggregated", "--aggregated"), "--aggregated"), (("--out", "x.plan"), "--shard"),
                           (("--shard", "1/2", "--out", "x.plan", "--json"), "--parts")):
            self.assertIn(said, self.plan(*more, code=BAD_INPUT).err)
        held = json.loads(self.plan("--disaggregated", "--prefill-layout", "tp2", "--json").out)
        self.assertEqual({point["prefill_layout"]["name"] for point in held["frontier"]}, {"TP2"})
        twice = json.loads(self.plan("--kv", "fp8,fp8", "--json").out)
        self.assertEqual(twice["searched"], json.loads(self.plan("--kv", "fp8", "--json").out)["searched"])

    def test_chips_for_prompts_are_those_of_the_answer(self):
        best = json.loads(self.plan("--json", "--disaggregated").out)["best"]
        layout = best["layout"]
        done = ridge("why", "gpt-oss-120b", "--on", best["machine"], "--isl", "2k", "--osl", "500", "--disaggregated", "--json",
                   "--prefill-layout", best["prefill_layout"]["name"], "--concurrency", str(best["concurrency"]),
                   "--speculative-tokens", str(best["speculative_tokens"]), "--tp", str(layout["tensor"]), "--dp", str(layout["attention_data"]),
                   "--ep", str(layout["expert"]), "--pp", str(layout["pipeline"]), "--cp", str(layout["context"]))
        self.assertEqual(done.code, ANSWERED, done.err)
        answer = json.loads(done.out)
        self.assertEqual(answer["tpot"], best["tpot"])
        self.assertEqual(answer["ttft"], best["ttft"])
        self.assertEqual(answer["chips"], best["chips"])
        self.assertEqual(answer["prefill_layout"], best["prefill_layout"])


if __name__ == "__main__":
    unittest.main()
