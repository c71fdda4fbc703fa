"""This machine, measured for a few seconds: entries that can be asked about, and nothing written unasked."""

import json
import os
import stat
import tempfile
import unittest
from pathlib import Path

from ridge_run import ANSWERED, BAD_INPUT, ENVIRONMENT, SANITIZED, ridge

GPU = {"name": "Acme G", "vendor": "NVIDIA", "devices": 2, "memory": 80e9, "software": "PyTorch 2", "read": [2.9e12, 3e12, 2.8e12],
       "bf16": [7e14, 6e14], "fp8": [1.2e15], "int8": [1.1e15], "fp32": [5e13], "missing": []}


class Probe(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def python(self, text):
        """An environment whose python3 prints this."""
        script = self.folder / "bin" / "python3"
        script.parent.mkdir(exist_ok=True)
        script.write_text(f"#!/bin/sh\n{text}\n")
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        return {**ENVIRONMENT, "PATH": f"{script.parent}:{ENVIRONMENT['PATH']}"}

    def test_five_seconds_give_a_machine_that_can_be_asked_about(self):
        mine = self.folder / "mine"
        run = ridge("probe", "--seconds", "5", "--cpu-only", "--out", str(mine), "--json")
        self.assertEqual(run.code, ANSWERED, str(run))
        answer = run.json()
        self.assertEqual(answer["schema"], "ridge.probe/1")
        self.assertEqual([one["path"] for one in answer["entries"]], ["chip/this-machine-cpu.toml", "machine/this-machine.toml"])
        for one in answer["entries"]:
            self.assertEqual((mine / one["path"]).read_text(), one["toml"])
        self.assertIn('kind = "measured"', answer["entries"][0]["toml"])
        rates = answer["cpu"]["rates"]
        threads = [one["threads"] for one in rates["read"]]
        self.assertEqual(threads[0], 1)
        self.assertEqual(threads[-1], answer["cpu"]["threads"])
        for key in ("read", "fp32", "int8", "blocks"):
            for one in rates[key]:
                self.assertGreaterEqual(one["best"], one["median"])
                self.assertGreaterEqual(one["passes"], 3)
        if not SANITIZED:
            self.assertGreater(max(one["best"] for one in rates["read"]), 2e8)
        why = ridge("why", "llama-3.1-8b", "--on", "this-machine", "--catalog", str(mine), "--engine", "llama.cpp", "--weights", "Q4_K_M", "--concurrency", "1")
        self.assertIn(why.code, (ANSWERED, 4), str(why))  # 4: it does not fit in this memory
        self.assertEqual([line for line in why.out.splitlines() if len(line) > 80], [])
        shown = ridge("show", "this-machine-cpu", "--catalog", str(mine)).out
        self.assertIn("measured", shown)

    def test_a_gpu_is_this_machine_and_its_cpu_another(self):
        env = self.python(f"echo a library speaks first\necho '{json.dumps(GPU)}'")
        mine = self.folder / "mine"
        run = ridge("probe", "--seconds", "2", "--out", str(mine), "--quiet", env=env)
        self.assertEqual(run.code, ANSWERED, str(run))
        self.assertNotIn("ridge:", run.err)
        found = sorted(str(path.relative_to(mine)) for path in mine.rglob("*.toml"))
        self.assertEqual(found, ["chip/this-machine-cpu.toml", "chip/this-machine-gpu.toml", "machine/this-machine-cpu.toml", "machine/this-machine.toml"])
        self.assertIn('bf16 = { value = "700 TFLOP/s"', (mine / "chip" / "this-machine-gpu.toml").read_text())
        why = ridge("why", "llama-3.1-8b", "--on", "this-machine", "--catalog", str(mine))
        self.assertEqual(why.code, ANSWERED, str(why))

    def test_nothing_is_written_unasked_and_what_is_missing_is_said(self):
        for says, words in (("exit 3", "exit code 3"), ("kill -9 $$", "signal 9"), ("""echo '{"none": "PyTorch finds no GPU"}'""", "PyTorch finds no GPU")):
            with self.subTest(says):
                run = ridge("probe", "--seconds", "2", cwd=self.folder, env=self.python(says))
                self.assertEqual(run.code, ANSWERED, str(run))
                self.assertIn(words, " ".join(run.out.split()))
                self.assertIn("would write chip/this-machine-cpu.toml", run.out)
                self.assertEqual([line for line in run.out.splitlines() if len(line) > 80], [])
                self.assertEqual(os.listdir(self.folder), ["bin"])
        run = ridge("probe", "--seconds", "2", env=self.python("echo nonsense"))
        self.assertEqual(run.code, BAD_INPUT, str(run))

    def test_wrong_words_are_refused_before_anything_is_measured(self):
        for words, flag in ((["--seconds", "1"], "--seconds"), (["--seconds", "111"], "--seconds"), (["--seconds", "x"], "--seconds"), (["--name", "a/b"], "--name"),
                            (["--price", "cheap"], "--price"), (["--price", "$0/h"], "--price")):
            with self.subTest(words):
                run = ridge("probe", *words)
                self.assertEqual(run.code, BAD_INPUT, str(run))
                self.assertIn(flag, run.err)
                self.assertLess(run.seconds, 1.5)


if __name__ == "__main__":
    unittest.main()
