"""Run by python_test.py inside the fresh environment."""

import array
import ctypes
import json
import math
import os
import pickle
import subprocess
import threading
import time
import unittest

import ridgeline as rl
from ridgeline._library import _library as library

RIDGE, ROOT = os.environ["RIDGE"], os.environ["RIDGE_ROOT"]
STUBS = open(os.path.join(os.path.dirname(rl.__file__), "__init__.pyi")).read()
SERVED = {"on": "hgx-b200", "dp": 8, "ep": 8, "isl": "8k", "osl": "1k", "rate": 4}


def program(*words):
    return json.loads(subprocess.run([RIDGE, *words, "--json"], capture_output=True, text=True, cwd=ROOT).stdout)


def flags(options):
    return [word for key, value in options.items() for word in (f"--{key.replace('_', '-')}", str(value))]


class Answers(unittest.TestCase):
    def test_numbers_equal_the_programs_to_the_last_bit(self):
        for command, words, options in [
            ("why", ["deepseek-v3"], {"on": "gb200-nvl72", "batch": 2048}), ("why", ["deepseek-v3"], SERVED), ("fit", ["llama-3.1-70b"], {"on": "hgx-h100"}),
            ("simulate", ["llama-3.1-8b"], {"on": "hgx-h100", "tp": 1, "rate": 4, "requests": 50}), ("chips", [], {}), ("lifecycle", [], {}),
            ("price history", ["deepseek"], {}), ("train", ["llama-3.1-8b"], {"on": "hgx-h100", "chips": 8}), ("show", ["deepseek-v3"], {}), ("list", ["models"], {}),
        ]:
            with self.subTest(command=command, words=words):
                answer = getattr(rl, command.replace(" ", "_"))(*words, **options)
                self.assertEqual(answer.to_dict(), program(*command.split(), *words, *flags(options), *(["--quiet"] if command == "simulate" else [])))

    def test_figures_are_floats_with_units(self):
        bound, served = rl.why("deepseek-v3", on="gb200-nvl72"), rl.why("deepseek-v3", **SERVED)
        self.assertEqual((bound.step_time.unit, bound.step_time.kind), ("s", "roofline bound"))
        self.assertIsInstance(bound.step_time, float)
        self.assertEqual(served.tpot.unit, "s")
        low, high = served.tpot.interval["80"]
        self.assertTrue(low < served.tpot < high)
        self.assertRegex(str(served.tpot), r"^[0-9.]+ ms$")
        self.assertRegex(str(served.output_cost), r"^\$[0-9.]+/Mtok$")
        self.assertEqual(served.layout.chips, 8)
        self.assertTrue(served.bound.tpot < served.tpot)
        self.assertIn("tpot", dir(served))
        again = pickle.loads(pickle.dumps(served.tpot))
        self.assertEqual((again, again.unit), (served.tpot, "s"))
        with self.assertRaisesRegex(AttributeError, "did you mean tpot"):
            served.tpott

    def test_derivations_evaluate_to_their_figures(self):
        bound = rl.why("deepseek-v3", on="gb200-nvl72")
        for figure in ("step_time", "cost", "weights_time", "tok_s_per_user"):
            (one,) = bound.derive(figure).to_dict().values()
            self.assertEqual(one["value"], bound[figure])
        self.assertGreater(len(bound.derive()), 30)
        self.assertIn("=", str(rl.why("llama-3.1-70b", on="hgx-h100", tp=4, concurrency=8).derive("tpot")))

    def test_a_notebook_shows_a_chart_and_a_table_and_nothing_of_a_name(self):
        for answer in (rl.why("deepseek-v3", on="gb200-nvl72"), rl.why("deepseek-v3", **SERVED)):
            page = answer._repr_html_()
            self.assertIn("<svg", page)
            self.assertIn("<table", page)
        with open(os.path.join(ROOT, "examples/06-your-model/config.json")) as file:
            config = file.read()
        name = "<script>alert(1)</script>.json"
        page = rl.why(name, on="hgx-h100", files={name: config})._repr_html_()
        self.assertNotIn("<script", page)
        self.assertTrue(rl.chips().svg().startswith("<svg"))
        self.assertIn("HBM-bound", str(rl.why("deepseek-v3", on="gb200-nvl72")))

    def test_every_command_shows_more_than_its_name_in_a_notebook(self):
        results = os.path.join(ROOT, "examples/09-your-results/sweep.jsonl")
        asks = [("plan", ["gpt-oss-20b"], {"on": "hgx-h100", "tpot": "20ms"}, True), ("compare", [results], {"on": "mi300x", "tp": 1}, True),
                ("chips", [], {}, True), ("claims", [], {}, False), ("schedule", [], {"stages": 8, "microbatches": 32}, False),
                ("list", ["models"], {}, False), ("show", ["deepseek-v3"], {}, False), ("fit", ["llama-3.1-70b"], {"on": "hgx-h100", "tp": 4}, True)]
        for command, words, options, drawn in asks:
            with self.subTest(command):
                page = getattr(rl, command)(*words, **options)._repr_html_()
                self.assertGreater(page.count("<tr"), 8)
                self.assertEqual("<svg" in page or "data:image/svg+xml" in page, drawn)
        page = rl.sweep("deepseek-v3", on="gb200-nvl72", columns={"batch": [1.0, 2.0]})._repr_html_()
        self.assertEqual(page.count("<tr"), 3)

    def test_every_command_of_the_library_is_a_function(self):
        names = subprocess.run([RIDGE, "completions", "commands"], capture_output=True, text=True, check=True).stdout.splitlines()
        self.assertGreater(len(names), 30)
        for name in names:
            with self.subTest(name):
                try:
                    rl.ask(name, no_such_option=1)
                except rl.UsageError as refused:
                    elsewhere = "it is not here" in str(refused)
                    self.assertNotIn("there is no command", str(refused))
                self.assertEqual(elsewhere and name != "sweep", not (hasattr(rl, name.replace(" ", "_")) or name == "import"))
                if not elsewhere and name != "import":
                    self.assertIn(f"def {name.replace(' ', '_')}(", STUBS)

    def test_a_file_is_read_by_its_path(self):
        path = os.path.join(ROOT, "examples/06-your-model/config.json")
        self.assertEqual(rl.why(path, on="hgx-h100").to_dict(), program("why", path, "--on", "hgx-h100"))


class Errors(unittest.TestCase):
    def test_what_is_wrong_is_said_where_with_a_hint(self):
        with self.assertRaises(rl.InputError) as unknown:
            rl.why("deepseek-v3", on="gb200-nvl27")
        self.assertEqual(unknown.exception.problems[0].where, "--on")
        self.assertIn("gb200-nvl72", unknown.exception.problems[0].hint)
        with self.assertRaisesRegex(rl.UsageError, "did you mean --on"):
            rl.why("deepseek-v3", onn="x")
        with self.assertRaisesRegex(rl.UsageError, "is not here"):
            rl.ask("sweep")
        self.assertFalse(rl.why("llama-3.1-405b", on="hgx-h100", tp=1, concurrency=1).fits)  # an answer, no error


class Columns(unittest.TestCase):
    def test_a_sweep_is_what_single_questions_answer(self):
        batches = array.array("d", [1, 64, 4096])
        columns = rl.sweep("deepseek-v3", on="gb200-nvl72", columns={"batch": batches}, figures=["step_time", "cost"])
        for i, batch in enumerate(batches):
            one = rl.why("deepseek-v3", on="gb200-nvl72", batch=batch)
            self.assertEqual((columns["step_time"][i], columns["cost"][i]), (one.step_time, one.cost))
        self.assertEqual(memoryview(columns["cost"]).format, "d")  # what NumPy takes without copying
        with self.assertRaisesRegex(rl.InputError, "did you mean batch"):
            rl.sweep("deepseek-v3", on="gb200-nvl72", columns={"bacht": [1.0]})
        with self.assertRaises(rl.UsageError):
            rl.sweep("deepseek-v3", on="gb200-nvl72", columns={"batch": [1.0], "context": [1.0, 2.0]})

    def test_a_simulation_has_its_requests_as_columns(self):
        answer = rl.simulate("llama-3.1-8b", on="hgx-h100", tp=1, rate=4, requests=50)
        requests = answer.requests
        self.assertEqual(requests.rows, 50)
        self.assertTrue(all(not math.isnan(value) for value in requests[list(requests)[0]]))


class Speed(unittest.TestCase):
    """Of processor time, the least of many short tries: a busy machine takes part of a core's caches, too."""

    def quickest(self, tries, work):
        best = math.inf
        for _ in range(tries):
            began = time.process_time()
            work()
            best = min(best, time.process_time() - began)
        return best

    def test_a_thousand_questions_a_second(self):
        def work():
            for i in range(20):
                rl.why("deepseek-v3", on="gb200-nvl72", batch=1 + i)

        rate = 20 / self.quickest(60, work)
        print(f"why: {rate:,.0f} questions a second of processor time")
        self.assertGreater(rate, 1000)

    def test_threads_ask_side_by_side(self):
        wanted = [rl.why("deepseek-v3", on="gb200-nvl72", batch=1 + i).step_time for i in range(8)]
        found = [None] * 8

        def work(i):
            for _ in range(20):
                found[i] = rl.why("deepseek-v3", on="gb200-nvl72", batch=1 + i).step_time

        threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, wanted)

    def test_a_million_rows_take_what_the_library_takes(self):
        """Native: the C function into memory that a C program would have allocated for it."""
        count = 1_000_000
        batches = array.array("d", (1.0 + i % 4096 for i in range(count)))
        pointer = ctypes.POINTER(ctypes.c_double)
        request = json.dumps({"command": "why", "arguments": ["deepseek-v3"], "options": {"on": "gb200-nvl72"}}).encode()

        def native():
            columns = [(ctypes.c_double * count)() for _ in range(2)]
            code = library.ridge_ask_many(
                request, count, 1, (ctypes.c_char_p * 1)(b"batch"), (pointer * 1)(ctypes.cast((ctypes.c_double * count).from_buffer(batches), pointer)),
                2, (ctypes.c_char_p * 2)(b"step_time", b"cost"), (pointer * 2)(*[ctypes.cast(one, pointer) for one in columns]), None)
            self.assertEqual(code, 0)

        ours = self.quickest(12, lambda: rl.sweep("deepseek-v3", on="gb200-nvl72", columns={"batch": batches}, figures=["step_time", "cost"]))
        theirs = self.quickest(12, native)
        print(f"sweep: {count / ours / 1e6:.1f} million rows a second of processor time, {ours / theirs:.2f} times the native time")
        self.assertLess(ours / theirs, 1.3)


if __name__ == "__main__":
    unittest.main()
