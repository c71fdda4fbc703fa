"""Engines' commands from the outside: what is shown can be pasted back, what stands beside it wins, nothing is hidden."""

import subprocess
import tempfile
import unittest
from pathlib import Path

from ridge_run import ANSWERED, BAD_INPUT, ENVIRONMENT, RIDGE, WRONG_USAGE, ridge

MOE = ["why", "deepseek-v3", "--on", "hgx-b200", "--dp", "8", "--isl", "2k", "--osl", "500", "--concurrency", "256"]
DENSE = ["why", "llama-3.1-70b", "--on", "hgx-h100", "--tp", "4", "--isl", "2k", "--osl", "500", "--concurrency", "48"]
PASTED = "vllm serve meta-llama/Llama-3.1-70B-Instruct --tensor-parallel-size 4 --max-num-seqs 32 --max-model-len 8192 --frobnicate 3"


def answer(*arguments):
    run = ridge(*arguments, "--json")
    assert run.code == ANSWERED, str(run)
    return run.json()


def fed(text, *arguments):
    return subprocess.run([RIDGE, *arguments], input=text, env=ENVIRONMENT, capture_output=True, timeout=60)


class RoundTrip(unittest.TestCase):
    def test_a_shown_command_pasted_back_is_the_same_question(self):
        for asked in (MOE, DENSE, [*DENSE, "--weights", "fp8", "--kv", "fp8", "--speculative-tokens", "2"]):
            first = answer(*asked, "--commands")
            self.assertEqual([one["engine"] for one in first["commands"]], ["vllm", "sglang", "trtllm"])
            for one in first["commands"]:
                with self.subTest(one["engine"], asked=asked):
                    self.assertTrue(one["exact"])
                    beside = ["--weights", "fp8"] if "fp8" in asked and one["engine"] == "trtllm" else []
                    pasted = ["why", "--from", one["command"], "--on", asked[3], "--isl", "2k", "--osl", "500", *beside]
                    again = answer(*pasted, "--engine", first["engine"])
                    self.assertEqual(again["layout"], first["layout"])
                    self.assertEqual(again["concurrency"], first["concurrency"])
                    self.assertEqual(again["ignored_flags"], [])
                    self.assertAlmostEqual(again["tpot"], first["tpot"], places=12)
                    # the share of memory is written with three digits, rounded down; each engine by its own rule
                    lost = 1 - answer(*pasted)["memory"]["kv_cache"] / first["memory"]["kv_cache"]
                    self.assertTrue(-1e-9 <= lost < 0.005, lost)

    def test_a_checkpoint_keeps_its_name_and_its_format(self):
        for name in ("neuralmagic/Meta-Llama-3.1-70B-Instruct-FP8", "meta-llama/Llama-3.1-70B-Instruct"):
            run = answer("why", "--from", f"vllm serve {name} -tp 4", "--on", "hgx-h100", "--commands")
            for one in run["commands"]:
                self.assertIn(name + " ", one["command"])
                self.assertNotIn("--quantization", one["command"])

    def test_commands_are_shown_as_text_too(self):
        run = ridge(*MOE, "--commands")
        self.assertEqual(run.code, ANSWERED)
        for words in ("vllm serve deepseek-ai/DeepSeek-V3", "sglang.launch_server", "trtllm-serve", "enable_attention_dp: true"):
            self.assertIn(words, run.out)


class Pasted(unittest.TestCase):
    def test_the_same_by_argument_file_and_standard_input(self):
        by_argument = ridge("why", "--from", PASTED, "--on", "hgx-h100")
        self.assertEqual(by_argument.code, ANSWERED, str(by_argument))
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "start.sh"
            file.write_text("#!/bin/bash\nset -e\n" + PASTED.replace(" --", " \\\n  --") + "\n")
            self.assertEqual(ridge("why", "--from", f"@{file}", "--on", "hgx-h100").out, by_argument.out)
        piped = fed(PASTED.encode(), "why", "--from", "-", "--on", "hgx-h100")
        self.assertEqual(piped.stdout.decode(), by_argument.out)

    def test_what_was_assumed_and_ignored_is_said(self):
        run = answer("why", "--from", PASTED, "--on", "hgx-h100")
        self.assertEqual(run["ignored_flags"], ["--frobnicate 3"])
        notes = "\n".join(run["notes"])
        for words in ("the same architecture", "--max-num-seqs 32", "--gpu-memory-utilization 0.9", "--max-model-len 8192",
                      "not understood, and ignored: --frobnicate 3"):
            self.assertIn(words, notes)

    def test_what_stands_beside_wins_and_is_said(self):
        run = answer("why", "--from", PASTED, "--on", "hgx-h100", "--tp", "8", "--concurrency", "64", "--kv", "fp8", "--isl", "8k")
        self.assertEqual(run["layout"]["name"], "TP8")
        self.assertEqual(run["concurrency"], 64)
        notes = "\n".join(run["notes"])
        for words in ("--tp 8 wins over the command's 4", "--concurrency 64 wins over the command's 32", "--kv fp8 wins",
                      "its limit is 8192", "32 of 64 requests wait (a replica runs 32 at once)"):
            self.assertIn(words, notes)

    def test_experts_everywhere_stay_everywhere(self):
        command = "vllm serve deepseek-ai/DeepSeek-V3 -tp 8 --enable-expert-parallel"
        self.assertEqual(answer("why", "--from", command, "--on", "hgx-b200", "--tp", "4")["layout"]["expert"], 4)

    def test_a_model_beside_the_command(self):
        run = answer("why", "qwen3-32b", "--from", "vllm serve /models/ours -tp 2", "--on", "hgx-h100")
        self.assertEqual(run["model"], "qwen3-32b")
        self.assertIn("qwen3-32b wins over the command's", "\n".join(run["notes"]))

    def test_a_shortfall_says_it_too(self):
        run = ridge("fit", "--from", "vllm serve meta-llama/Llama-3.1-405B-Instruct -tp 2", "--on", "hgx-h100")
        self.assertEqual(run.code, 4)
        self.assertIn("the same architecture", run.out)


class Hostile(unittest.TestCase):
    BAD = {
        "no engine": ("ls", "no engine"),
        "unbalanced": ("vllm serve 'x", "never closed"),
        "lone backslash": ("\\", "no engine"),
        "no model": ("vllm serve", "no model"),
        "unknown model": ("vllm serve a/b", "unknown model"),
        "a variable": ("vllm serve deepseek-r1 -tp $TP", "not a number"),
        "one megabyte": ("vllm serve " + "x" * 2**20, "more than a command line has"),
        "nothing": ("", "an empty command"),
        "bytes": ("vllm serve \0\x1b[2J\xff", "unknown model"),
    }

    def test_every_refusal_has_a_place_and_a_remedy(self):
        for name, (text, words) in self.BAD.items():
            with self.subTest(name):
                run = fed(text.encode("latin-1"), "why", "--from", "-", "--on", "hgx-h100")
                self.assertEqual(run.returncode, BAD_INPUT, run.stderr[:500])
                self.assertEqual(run.stdout, b"")
                error = run.stderr.decode()
                self.assertIn("--from", error)
                self.assertIn(words, error)
                self.assertIn("hint:", error)
                self.assertLess(len(error), 2000)
                self.assertNotIn("\x1b", error)

    def test_hostile_words_in_an_answer_are_harmless(self):
        text = b"vllm serve deepseek-r1 -tp 8 --x\x1b[2J \xff\xfe" + b" --y" * 30000
        run = fed(text, "why", "--from", "-", "--on", "hgx-b200", "--json")
        self.assertEqual(run.returncode, ANSWERED, run.stderr[:500])
        self.assertNotIn(b"\x1b", run.stdout)

    def test_a_missing_file_and_an_empty_word(self):
        self.assertEqual(ridge("why", "--from", "@/does/not/exist", "--on", "hgx-h100").code, BAD_INPUT)
        self.assertEqual(ridge("why", "--from", "", "--on", "hgx-h100").code, WRONG_USAGE)
        self.assertEqual(ridge("why", "--from", PASTED).code, BAD_INPUT)  # no machine


if __name__ == "__main__":
    unittest.main()
