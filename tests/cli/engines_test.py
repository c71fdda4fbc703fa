"""Engines from the outside: a made-up one in files of one's own is listed, named, read and written like the built-in ones."""

import tempfile
import unittest
from pathlib import Path

from ridge_run import ANSWERED, BAD_INPUT, ROOT, ridge

WHY = ["why", "llama-3.1-70b", "--on", "hgx-h100", "--tp", "4", "--isl", "2k", "--osl", "500", "--concurrency", "48"]


def answer(*arguments):
    run = ridge(*arguments, "--json")
    assert run.code == ANSWERED, str(run)
    return run.json()


def notes(run):
    return " ".join(run["notes"])


class Rules(unittest.TestCase):
    def test_each_engine_counts_memory_by_its_own_rule(self):
        memory = {name: answer(*WHY, "--engine", name)["memory"] for name in ("vllm", "sglang", "trtllm")}
        there = memory["vllm"]["capacity"]
        self.assertAlmostEqual(memory["vllm"]["usable"] / there, 0.92, places=9)
        inside = memory["sglang"]["weights"] + memory["sglang"]["kv_cache"]
        self.assertAlmostEqual(inside / there, 0.88, places=9)
        left = there - sum(memory["trtllm"][part] for part in ("weights", "activations", "process"))
        self.assertAlmostEqual(memory["trtllm"]["kv_cache"] / left, 0.9, places=9)

    def test_an_answer_and_a_pasted_command_of_the_same_engine_have_the_same_room(self):
        for name, command in (("sglang", "python3 -m sglang.launch_server --model meta-llama/Llama-3.1-70B --tp 4"),
                              ("trtllm", "trtllm-serve meta-llama/Llama-3.1-70B --tp_size 4")):
            asked = answer(*WHY, "--engine", name)
            pasted = answer("why", "--from", command, *WHY[2:4], *WHY[6:])
            self.assertEqual(pasted["engine"], name)
            self.assertEqual(pasted["memory"]["kv_cache"], asked["memory"]["kv_cache"])

    def test_what_is_assumed_is_said(self):
        run = answer("why", "deepseek-r1", "--on", "mi355x-8", "--tp", "8", "--engine", "atom")
        self.assertIn("assumed of ATOM", notes(run))
        self.assertNotIn("assumed of", notes(answer(*WHY)))

    def test_a_plan_has_the_room_of_its_answer(self):
        plan = answer("plan", "llama-3.1-70b", "--on", "hgx-h100", "--max-chips", "4", "--engine", "sglang", "--tpot", "30ms")
        self.assertTrue(plan)  # the planner refuses to answer where its room and the answer's differ


class Shown(unittest.TestCase):
    def test_engines_are_listed_with_their_memory(self):
        rows = {row["name"]: row for row in answer("list", "engines")["rows"]}
        self.assertEqual(set(rows), {"vllm", "sglang", "trtllm", "trtllm-1.0", "atom", "llama.cpp"})
        self.assertEqual(rows["sglang"]["memory"], "0.88 (weights and cache)")

    def test_an_engine_is_shown_with_its_facts_and_what_was_fitted(self):
        text = ridge("show", "vllm").out
        for words in ("engine vllm", "memory.utilization", "[vllm-docs]", "calibration vllm", "sequence_time"):
            self.assertIn(words, text)
        self.assertEqual(answer("show", "engine", "trtllm")["category"], "engine")
        self.assertEqual(answer("show", "calibration", "trtllm")["category"], "calibration")


class MadeUp(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        mine, template = Path(cls.folder.name), ROOT / "catalog" / "template"
        for name, to in (("your-engine.toml", "engine/acme-serve.toml"), ("your-sources.toml", "sources.toml")):
            (mine / to).parent.mkdir(exist_ok=True)
            (mine / to).write_text((template / name).read_text())
        cls.catalog = ["--catalog", str(mine)]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_it_can_be_named(self):
        run = answer(*WHY, "--engine", "acme-serve", *self.catalog)
        self.assertEqual(run["engine"], "acme-serve")
        self.assertAlmostEqual(run["memory"]["usable"] / run["memory"]["capacity"], 0.9, places=9)
        self.assertIn("the mean of", notes(run))  # nobody measured it
        self.assertEqual(ridge(*WHY, "--engine", "acme-serve").code, BAD_INPUT)

    def test_it_is_listed_and_shown(self):
        self.assertIn("acme-serve", [row["name"] for row in answer("list", "engines", *self.catalog)["rows"]])
        self.assertIn("Acme Serve", ridge("show", "acme-serve", *self.catalog).out)

    def test_its_commands_are_read(self):
        pasted = "acme-serve meta-llama/Llama-3.1-70B --tensor-ways 4 --max_running 32 --cache-format eight --port 1 --eager --odd 3"
        run = answer("why", "--from", pasted, "--on", "hgx-h100", *self.catalog)
        self.assertEqual((run["engine"], run["layout"]["tensor"], run["concurrency"]), ("acme-serve", 4, 32))
        self.assertEqual(run["ignored_flags"], ["--odd 3"])
        self.assertIn("understood, but not modeled: --eager", notes(run))
        self.assertIn("--memory 0.85", notes(run))  # of older versions, for the command does not say which it is of

    def test_its_commands_are_written_and_read_back(self):
        first = answer(*WHY, "--kv", "fp8", "--engine", "acme-serve", "--commands", *self.catalog)
        command = {one["engine"]: one for one in first["commands"]}["acme-serve"]
        self.assertTrue(command["exact"])
        self.assertIn("--cache-format eight", command["command"])
        again = answer("why", "--from", command["command"], "--on", "hgx-h100", "--isl", "2k", "--osl", "500", *self.catalog)
        self.assertEqual(again["layout"], first["layout"])
        self.assertAlmostEqual(again["tpot"], first["tpot"], places=12)
        self.assertEqual(again["ignored_flags"], [])

    def test_a_calibration_without_facts_borrows_the_general_rule_and_says_so(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "calibration").mkdir()
            text = (ROOT / "catalog" / "calibration" / "vllm.toml").read_text()
            (Path(folder) / "calibration" / "unheard-of.toml").write_text(text)
            run = answer(*WHY, "--engine", "unheard-of", "--catalog", folder)
        self.assertIn("no facts about the engine unheard-of: memory and KV cache are counted as vLLM does", notes(run))
        self.assertEqual(run["memory"], answer(*WHY)["memory"])


if __name__ == "__main__":
    unittest.main()
