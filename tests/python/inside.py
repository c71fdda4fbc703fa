"""Run by python_test.py inside the fresh environment."""

import array
import json
import math
import os
import pickle
import subprocess
import threading
import time
import unittest

import ridgeline as rl

RIDGE, ROOT = os.environ["RIDGE"], os.environ["RIDGE_ROOT"]
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
    def test_a_thousand_questions_a_second_and_threads_side_by_side(self):
        rl.why("deepseek-v3", on="gb200-nvl72", batch=1)

        def work(count):
            for i in range(count):
                rl.why("deepseek-v3", on="gb200-nvl72", batch=1 + i)

        best = math.inf
        for _ in range(3):
            began = time.process_time()
            work(300)
            best = min(best, (time.process_time() - began) / 300)
        print(f"why: {1 / best:,.0f} questions a second of processor time")
        began = time.perf_counter()
        threads = [threading.Thread(target=work, args=(50,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        count = 1_000_000
        columns = {"batch": array.array("d", (1.0 + i % 4096 for i in range(count)))}
        began = time.process_time()
        rl.sweep("deepseek-v3", on="gb200-nvl72", columns=columns)
        print(f"sweep: {count / (time.process_time() - began) / 1e6:.1f} million cases a second of processor time")


if __name__ == "__main__":
    unittest.main()
