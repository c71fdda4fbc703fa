"""libridgeline.so answers what the program answers, byte for byte; nothing that is asked can break it."""

import ctypes
import json
import os
import re
import shlex
import subprocess
import sys
import threading
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
from ridge_run import BUILD, ENVIRONMENT, ROOT, ridge
from through_the_door import LIBRARY, ask, ask_text, library, request_of


def questions():
    """The lines that tests/wasm asks, too."""
    text = (ROOT / "tests/wasm/questions.mjs").read_text()
    return re.search(r"questions = `\n(.*?)`", text, re.S).group(1).strip().split("\n")


def without_times(text):
    return re.sub(r'"(seconds|threads)": [^,\n]*', r'"\1": 0', text)


class Answers(unittest.TestCase):
    def test_what_the_program_prints_stands_in_the_answer_byte_for_byte(self):
        for line in questions():
            with self.subTest(line=line):
                quiet = ["--quiet"] if line.startswith(("simulate", "infer")) else []
                run = ridge(*shlex.split(line), "--json", *quiet, cwd=ROOT)
                text = ask_text(request_of(line))
                answer = json.loads(text)
                self.assertEqual(answer["exit"], run.code, f"{run}\n{text[:500]}")
                if answer["ok"]:
                    self.assertTrue(without_times(text).endswith(without_times(f'"json":{run.out}}}')), f"{run}\n{text[:800]}")
                else:
                    self.assertEqual(answer["errors"], run.json()["errors"])

    def test_a_screen_is_the_programs_own(self):
        run = ridge("why", "deepseek-v3", "--on", "gb200-nvl72")
        answer = ask({"command": "why", "arguments": ["deepseek-v3"], "options": {"on": "gb200-nvl72"}, "format": "text"})
        self.assertEqual(answer["text"], run.out)

    def test_threads_that_ask_at_once_get_what_each_asked(self):
        wanted = {batch: ask_text(self.why(batch)) for batch in range(1, 9)}
        wrong = []

        def work(batch):
            for _ in range(20):
                if ask_text(self.why(batch)) != wanted[batch]:
                    wrong.append(batch)

        threads = [threading.Thread(target=work, args=(batch,)) for batch in wanted]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])
        self.assertEqual(len(set(wanted.values())), len(wanted))

    @staticmethod
    def why(batch):
        return {"command": "why", "arguments": ["llama-3-70b"], "options": {"on": "hgx-h100", "batch": batch}}


class Refusals(unittest.TestCase):
    def test_what_is_wrong_is_said_with_the_nearest_valid_choice(self):
        for request, exit_code, words in [
            (b"", 2, "not JSON"), (b"{", 2, "not JSON"), (b"[" * 100000, 2, "nested"), (b"\xff\xfe", 2, "not JSON"), (b"7", 2, "no object"),
            ({}, 2, "is missing"), ({"command": "wy"}, 2, "did you mean why"), ({"command": "sweep"}, 2, "it is not here"), ({"command": "report-bad-prediction"}, 2, "it is not here"), ({"command": "lecture"}, 2, "only the program has"),
            ({"command": "why", "options": {"onn": "x"}}, 2, "did you mean --on"),
            ({"command": "why", "options": {"tp": ""}}, 2, "empty"), ({"command": "why", "options": {"tp": {}}}, 2, "wants a text"),
            ({"command": "why", "options": {"isl": 1, "input-len": 2}}, 2, "twice"),
            ({"command": "simulate", "options": {"seeds": 0}}, 2, "is not a whole number from"),
            ({"command": "price history"}, 2, "is required"),
            ({"command": "show", "arguments": ["/etc/passwd"]}, 3, ""), ({"command": "show", "arguments": ["../x.json"]}, 3, "none of the request"),
            ({"command": "why", "options": {"catalog": "/etc"}}, 3, "cannot be read here"),
        ]:
            with self.subTest(request=request if isinstance(request, dict) else request[:20]):
                text = ask_text(request)
                answer = json.loads(text)
                self.assertFalse(answer["ok"], text[:300])
                self.assertEqual(answer["exit"], exit_code, text[:300])
                self.assertIn(words, text)

    def test_nothing_is_written_and_what_would_be_comes_along(self):
        before = set(os.listdir("."))
        answer = ask({"command": "simulate", "arguments": ["llama-3.1-8b"],
                      "options": {"on": "hgx-h100", "tp": 1, "rate": 4, "requests": 20, "csv": "rows.csv", "svg": "picture.svg"}})
        self.assertEqual(sorted(answer["files"]), ["picture.svg", "rows.csv"])
        self.assertEqual(len(answer["files"]["rows.csv"].splitlines()), 21)
        self.assertEqual(set(os.listdir(".")), before)


class Columns(unittest.TestCase):
    def many(self, inputs, figures, cases, request=None):
        request = request or {"command": "why", "arguments": ["deepseek-v3"], "options": {"on": "gb200-nvl72"}}
        ins = [(ctypes.c_double * cases)(*values) for values in inputs.values()]
        outs = [(ctypes.c_double * cases)() for _ in figures]
        pointer = ctypes.POINTER(ctypes.c_double)
        errors = ctypes.c_void_p()
        code = library.ridge_ask_many(
            json.dumps(request).encode(), ctypes.c_size_t(cases), ctypes.c_size_t(len(ins)),
            (ctypes.c_char_p * len(ins))(*[key.encode() for key in inputs]), (pointer * len(ins))(*[ctypes.cast(one, pointer) for one in ins]),
            ctypes.c_size_t(len(outs)), (ctypes.c_char_p * len(outs))(*[key.encode() for key in figures]),
            (pointer * len(outs))(*[ctypes.cast(one, pointer) for one in outs]), ctypes.byref(errors))
        text = ctypes.string_at(errors.value).decode() if errors.value else ""
        library.ridge_free(errors)
        return code, text, [list(one) for one in outs]

    def test_a_column_is_what_single_questions_answer(self):
        batches = [1, 7, 64, 1000, 4096]
        code, text, (step, cost) = self.many({"batch": batches}, ["step_time", "cost"], len(batches))
        self.assertEqual((code, text), (0, ""))
        for batch, one_step, one_cost in zip(batches, step, cost):
            figures = ask({"command": "why", "arguments": ["deepseek-v3"], "options": {"on": "gb200-nvl72", "batch": batch}})["json"]["figures"]
            self.assertEqual((figures["step_time"]["value"], figures["cost"]["value"]), (one_step, one_cost))

    def test_wrong_columns_are_refused(self):
        self.assertIn("did you mean batch", self.many({"bacht": [1]}, ["cost"], 1)[1])
        self.assertIn("did you mean cost", self.many({"batch": [1]}, ["cots"], 1)[1])
        self.assertEqual(self.many({"batch": [1, -1]}, ["cost"], 2)[0], 3)
        served = {"command": "why", "arguments": ["deepseek-v3"], "options": {"on": "gb200-nvl72", "tp": 8}}
        self.assertIn("decode steps", self.many({"batch": [1]}, ["cost"], 1, served)[1])
        self.assertEqual(self.many({"batch": []}, ["cost"], 0)[0], 0)


class Outside(unittest.TestCase):
    def test_only_the_functions_of_the_header_are_seen_under_a_version(self):
        names = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], capture_output=True, text=True, check=True).stdout
        seen = {line.split()[-1] for line in names.splitlines()}
        declared = set(re.findall(r"(ridge_\w+)\(", (ROOT / "apps/door/ridgeline.h").read_text()))
        self.assertEqual(seen - {"RIDGELINE_0"}, {f"{name}@@RIDGELINE_0" for name in declared})

    def test_the_example_in_c_runs(self):
        run = subprocess.run([BUILD / "ask_from_c"], capture_output=True, text=True, env=ENVIRONMENT)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("HBM-bound", run.stdout)
        self.assertEqual(len(re.findall(r"ms a step, \$[0-9.]+ per million", run.stdout)), 5, run.stdout)

    def test_a_version_is_said(self):
        self.assertEqual(f"ridge {library.ridge_version().decode()}", ridge("--version").out.split("\n")[0].split(",")[0])


if __name__ == "__main__":
    unittest.main()
