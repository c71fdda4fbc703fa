"""Result files from the outside: read, refused in words, held against predictions, and used as anchors."""

import json
import tempfile
import unittest
from pathlib import Path

from ridge_run import ANSWERED, BAD_INPUT, ROOT, ridge

SWEEP = ROOT / "examples" / "09-your-results" / "sweep.jsonl"
SETTING = ["--on", "mi300x", "--tp", "1"]
RUNS = [json.loads(line) for line in SWEEP.read_text().splitlines()]


class Scratch(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return str(path)


class Reading(Scratch):
    def test_a_prediction_stands_beside_what_is_known(self):
        found = ridge("results", str(SWEEP), *SETTING, "--json").json()
        self.assertEqual(found["schema"], "ridge.results/1")
        for one, run in zip(found["results"], RUNS, strict=True):
            self.assertAlmostEqual(one["tpot"]["mean"], run["mean_tpot_ms"] / 1e3)
            prediction = one["prediction"]
            self.assertAlmostEqual(prediction["error"], prediction["predicted"] / prediction["measured"] - 1)
            self.assertLess(prediction["bound"], prediction["predicted"])
            # the same answer as that of ridge why under the same load
            why = ridge("why", "llama-3.1-8b", "--weights", "bf16", *SETTING, "--isl", "1000", "--osl", "250", "--concurrency",
                        str(run["max_concurrency"]), "--json").json()
            self.assertAlmostEqual(why["tpot"], prediction["predicted"], delta=1e-9)

    def test_what_is_missing_is_asked_for_by_its_flag(self):
        text = ridge("results", str(SWEEP)).out
        self.assertIn("no prediction: --on: the file does not name it", text)
        self.assertIn("no prediction: --tp: the file does not say on how many chips", ridge("results", str(SWEEP), "--on", "mi300x").out)

    def test_one_bad_file_does_not_hold_up_the_others(self):
        bad = self.write("bad.json", {"a": 1})
        run = ridge("results", bad, str(SWEEP))
        self.assertEqual(run.code, BAD_INPUT)
        self.assertIn("refused: no result of a known benchmark", run.out)
        self.assertIn("line 4", run.out)
        self.assertEqual(ridge("results", bad).code, BAD_INPUT)

    def test_hostile_files_are_refused_in_words(self):
        for name, content in (("empty", b""), ("deep", b"[" * 100000), ("bytes", bytes(range(256)) * 50), ("nul", b"\0" * 1000),
                              ("quote", b'Metric,avg\n"Time'), ("huge", b'{"mean_ttft_ms": 1e999, "completed": 1}'),
                              ("half", SWEEP.read_bytes()[:900]), ("twice", b'{"completed": 1, "completed": 2, "mean_ttft_ms": 1}')):
            with self.subTest(name):
                run = ridge("results", self.write(name, content))
                self.assertEqual(run.code, BAD_INPUT, str(run))
                self.assertIn("hint", run.err)
        run = ridge("results", self.write("escape.json", {**RUNS[0], "model_id": "m\x1b[2J\n$(x)"}))
        self.assertEqual(run.code, ANSWERED)
        self.assertNotIn("\x1b[2J", run.out)
        for wrong in (str(self.folder), str(self.folder / "none")):
            self.assertEqual(ridge("results", wrong).code, BAD_INPUT)

    def test_a_time_that_cannot_be_is_called_so(self):
        fast = self.write("fast.json", {**RUNS[0], "mean_tpot_ms": 1.0, "median_tpot_ms": 1.0, "p99_tpot_ms": 1.0})
        self.assertIn("faster than the bound", ridge("results", fast, *SETTING).out)


class Anchors(Scratch):
    def anchored(self, *files, code=ANSWERED):
        run = ridge("calibrate", "--anchor", *files, *SETTING, "--out", str(self.folder / "mine"), "--json")
        self.assertEqual(run.code, code, str(run))
        return run.json() if code == ANSWERED else run

    def test_the_folder_that_is_written_answers_as_the_fit_does(self):
        answer = self.anchored(str(SWEEP))
        self.assertTrue(answer["left_out"])
        self.assertLess(answer["after"], answer["before"])
        self.assertEqual(answer["not_absorbed"], [])
        chip = (self.folder / "mine" / "calibration" / "mi300x.toml").read_text()
        self.assertIn('kind = "measured"', chip)
        self.assertIn("sweep.jsonl", chip)
        for run, expected in zip(RUNS, answer["runs"], strict=True):
            why = ridge("why", "llama-3.1-8b", "--weights", "bf16", *SETTING, "--isl", "1000", "--osl", "250", "--concurrency",
                        str(run["max_concurrency"]), "--catalog", str(self.folder / "mine"), "--json").json()
            # entries have four digits, and factors within 1 % are not written
            self.assertAlmostEqual(why["tpot"] / expected["after"], 1, delta=0.005)

    def test_one_run_leaves_nothing_to_judge_by_and_says_so(self):
        one = self.write("one.json", RUNS[0])
        self.assertFalse(self.anchored(one)["left_out"])
        self.assertIn("nothing was left out", " ".join(ridge("calibrate", "--anchor", one, *SETTING).out.split()))

    def test_what_is_wrong_is_named_and_not_absorbed(self):
        good = self.write("good.json", RUNS[0])
        fast = self.write("fast.json", {**RUNS[0], "mean_tpot_ms": 1.0, "median_tpot_ms": 1.0, "p99_tpot_ms": 1.0})
        failed = self.write("failed.json", {**RUNS[1], "failed": 7})
        alone, together = self.anchored(good), self.anchored(good, fast, failed)
        self.assertEqual(alone["factors"], together["factors"])
        reasons = " ".join(one["why"] for one in together["not_absorbed"])
        self.assertIn("faster than physics allows", reasons)
        self.assertIn("7 of 47 requests failed", reasons)
        self.assertIn("faster than physics allows", self.anchored(fast, code=BAD_INPUT).err)

    def test_words_without_files_are_refused(self):
        for words in (["--tp", "2"], ["--model", "llama-3.1-8b"]):
            run = ridge("calibrate", *words)
            self.assertEqual(run.code, BAD_INPUT)
            self.assertIn("--anchor FILE", run.err)
        self.assertEqual(ridge("calibrate", "--anchor", str(SWEEP), "--evidence", "x").code, BAD_INPUT)


if __name__ == "__main__":
    unittest.main()
