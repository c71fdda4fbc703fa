"""Serving from the outside: a layout and a load in, physics out; wrong input explained; the accuracy gate."""

import unittest

from ridge_run import ANSWERED, BAD_INPUT, DOES_NOT_FIT, ROOT, SANITIZED, WRONG_USAGE, not_numbers, ridge

GATE_FAILED = 5
BASE = ["why", "llama-3.1-70b", "--on", "hgx-h100", "--weights", "fp8", "--isl", "1k", "--osl", "1k"]


def answer(*more, base=BASE):
    run = ridge(*base, *more, "--json")
    assert run.code == ANSWERED, str(run)
    return run.json()


class OneOutputToken(unittest.TestCase):
    """Prefill gives the first token: with one, nothing is decoded, and no command speaks of a time between two."""

    CASE = ["llama-3.1-8b", "--on", "hgx-h100", "--isl", "16k", "--osl", "1"]

    def test_an_engine_that_only_prefills_finishes_a_prompt_in_its_own_time(self):
        run = answer(base=["why", *self.CASE, "--tp", "1", "--concurrency", "32"])
        self.assertAlmostEqual(run["requests_per_s"] * run["prefill_time"], 1, places=9)
        # 2 * 8.03e9 * 16,000 FLOP at 989 TFLOP/s: 260 ms, and attention beside it; kernels reach more than half of the peak
        self.assertTrue(1 / (2 * 0.260) < run["requests_per_s"] < 1 / 0.260, run["requests_per_s"])
        self.assertIsNone(run["tpot"])
        self.assertIsNone(run["tok_s_per_user"])
        self.assertIsNone(run["decode_step"])
        self.assertEqual(run["prefill_share"], 1)
        self.assertTrue(any("no TPOT" in note for note in run["notes"]))

    def test_more_output_never_means_more_requests(self):
        rates = [answer("--osl", str(osl), base=["why", *self.CASE[:-2], "--tp", "1", "--concurrency", "32"])["requests_per_s"]
                 for osl in (1, 2, 3, 4, 8, 16, 32, 64)]
        # from one token to two the closed form changes its equation: known to be off by 1.3 % there (docs/theory/serving.md)
        self.assertLessEqual(rates[1], 1.015 * rates[0])
        for before, after in zip(rates[1:], rates[2:]):
            self.assertLessEqual(after, 1.005 * before)

    def test_no_command_prints_a_tpot(self):
        for command in (["why", *self.CASE, "--tp", "1", "--concurrency", "16"],
                        ["fit", *self.CASE, "--tp", "1", "--concurrency", "16"],
                        ["why", *self.CASE, "--tp", "1", "--concurrency", "16", "--sensitivity"],
                        ["why", *self.CASE, "--tp", "1", "--concurrency", "16", "--range", "hbm.bandwidth=3..4 TB/s"],
                        ["why", *self.CASE, "--dp", "1", "--tp", "2", "--disaggregated"],
                        ["plan", *self.CASE, "--max-chips", "2"],
                        ["host", *self.CASE]):
            with self.subTest(" ".join(command)):
                run, text = ridge(*command, "--json"), ridge(*command)
                self.assertEqual(run.code, ANSWERED, str(run))
                self.assertEqual(not_numbers(run.out + text.out), [])
                for line in text.out.splitlines():
                    self.assertNotRegex(line, r"^ *TPOT +[0-9]")
                found = []

                def walk(value, key=""):
                    if isinstance(value, dict):
                        for name, inner in value.items():
                            if name not in ("nearest_run", "slo"):
                                walk(inner, name)
                    elif isinstance(value, list):
                        for inner in value:
                            walk(inner, key)
                    elif key in ("tpot", "tok_s_per_user") and value is not None:
                        found.append((key, value))

                walk(run.json())
                self.assertEqual(found, [])

    def test_a_target_for_it_is_held_by_all(self):
        free, bound = (ridge("plan", *self.CASE, "--max-chips", "1", *slo, "--json").json()["best"] for slo in ([], ["--tpot", "1us"]))
        self.assertEqual(free, bound)

    def test_what_has_no_answer_says_so(self):
        for command, words in ((["why", *self.CASE, "--tp", "1", "--derive", "tpot"], "nothing is decoded"),
                               (["why", *self.CASE, "--tp", "1", "--range", "osl=1..5"], "nothing is decoded"),
                               (["price", *self.CASE], "no output to price")):
            with self.subTest(" ".join(command)):
                run = ridge(*command)
                self.assertIn(run.code, (BAD_INPUT, WRONG_USAGE))
                self.assertIn(words, run.err)


class Physics(unittest.TestCase):
    def test_more_in_flight_is_slower_for_each_and_faster_for_all(self):
        runs = [answer("--tp", "4", "--concurrency", str(n)) for n in (1, 8, 64, 256)]
        for before, after in zip(runs, runs[1:]):
            self.assertGreater(after["tpot"], before["tpot"])
            self.assertGreater(after["output_tok_s"], before["output_tok_s"])
            self.assertLess(after["output_cost"], before["output_cost"])

    def test_nothing_beats_the_bound(self):
        for chips in ("2", "4", "8"):
            step = answer("--tp", chips, "--concurrency", "16")["decode_step"]
            self.assertGreater(step["step_time"], step["bound"])
            self.assertGreaterEqual(step["bound"], step["bound_best_routing"])
            self.assertAlmostEqual(step["bound"], max(step["bound_compute"], step["bound_memory"], step["bound_network"]))

    def test_weights_divide_and_the_cache_is_what_is_left(self):
        two, four = answer("--tp", "2", "--concurrency", "1"), answer("--tp", "4", "--concurrency", "1")
        self.assertAlmostEqual(two["memory"]["weights"] / four["memory"]["weights"], 2, places=6)
        for run in (two, four):
            memory = run["memory"]
            self.assertAlmostEqual(memory["kv_cache"], memory["usable"] - memory["weights"] - memory["activations"] - memory["process"])
        # 80 layers x 2 x 8 heads x 128 x 2 bytes = 327,680 bytes a token over four chips
        self.assertAlmostEqual(four["memory"]["kv_cache_tokens"], four["memory"]["kv_cache"] / (327680 / 4), delta=1)

    def test_littles_law(self):
        run = answer("--tp", "4", "--concurrency", "32")
        latency = run["ttft"] - run["ttft_queue"] + run["tpot"] * (run["osl"] - 1)
        self.assertAlmostEqual(run["requests_per_s"] * latency, 32, places=6)

    def test_a_rate_and_its_concurrency_are_the_same_question(self):
        by_rate = answer("--tp", "4", "--rate", "2")
        again = answer("--tp", "4", "--concurrency", str(by_rate["concurrency"]))
        self.assertAlmostEqual(again["requests_per_s"], 2, places=3)
        self.assertAlmostEqual(again["tpot"], by_rate["tpot"], places=6)

    def test_a_cached_prefix_saves_prompt_time(self):
        plain, cached = answer("--tp", "4"), answer("--tp", "4", "--cached", "0.5")
        self.assertLess(cached["prefill_time"], plain["prefill_time"])
        self.assertLess(cached["input_cost"], plain["input_cost"])

    def test_guesses_help_while_memory_binds(self):
        # (1 - 0.8^4) / (1 - 0.8) = 2.952 tokens a step
        run = answer("--tp", "4", "--concurrency", "1", "--speculative-tokens", "3", "--acceptance-rate", "0.8")
        self.assertAlmostEqual(run["tokens_per_step"], 2.952, places=6)
        self.assertLess(run["tpot"], answer("--tp", "4", "--concurrency", "1")["tpot"])

    def test_prompts_apart_leave_decoding_alone(self):
        together, apart = answer("--tp", "4"), answer("--tp", "4", "--disaggregated")
        self.assertLess(apart["tpot"], together["tpot"])
        self.assertGreater(apart["prefill_replicas"], 0)
        self.assertGreater(apart["transfer_time"], 0)

    def test_beside_saturation_no_time_to_first_token_is_invented(self):
        self.assertIsNone(answer("--tp", "4", "--concurrency", "2000")["ttft"])
        self.assertIsNone(answer("--tp", "4", "--rate", "5.6")["ttft"])
        run = ridge(*BASE, "--tp", "4", "--rate", "1000")
        self.assertEqual(run.code, DOES_NOT_FIT, str(run))
        self.assertIn("requests/s", run.out)

    def test_prompts_do_not_queue_behind_themselves(self):
        alone = answer("--tp", "4", "--concurrency", "1", base=[*BASE[:6], "--isl", "8k", "--osl", "10"])
        self.assertEqual(alone["ttft_queue"], 0)
        rates = [answer("--tp", "4", "--concurrency", str(n), base=[*BASE[:6], "--isl", "8k", "--osl", "10"])["requests_per_s"]
                 for n in (1, 8, 16, 64)]
        self.assertLess(rates[0], rates[1])
        self.assertGreater(min(rates[1:]), 0.95 * max(rates))  # saturated with prompts: it stays there

    def test_a_pipeline_waits_for_its_fullest_stage(self):
        # 80 layers over 48 stages: two in the fullest, as over 40
        forty, more = answer("--tp", "1", "--pp", "40"), answer("--tp", "1", "--pp", "48")
        self.assertAlmostEqual(more["memory"]["weights"] / forty["memory"]["weights"], 1, places=6)


class Wrong(unittest.TestCase):
    def check(self, *arguments, code=BAD_INPUT, says):
        run = ridge(*arguments)
        self.assertEqual(run.code, code, str(run))
        for word in says:
            self.assertIn(word, run.err + run.out, str(run))

    def test_layouts(self):
        self.check(*BASE, "--tp", "4", "--chips", "8", says=["--chips", "leave one of them out"])
        self.check(*BASE, "--tp", "3", says=["3 chips", "possible: 1, 2, 4, 8"])
        self.check(*BASE, "--ep", "2", says=["no experts"])
        self.check(*BASE, "--pp", "81", says=["81 stages for 80 layers"])
        self.check(*BASE, "--tp", "0", says=["not a number of chips"])
        self.check("why", "deepseek-v3", "--on", "hgx-b200", "--tp", "8", "--ep", "7", says=["possible: 1, 2, 4, 8"])

    def test_loads(self):
        self.check("why", "llama-3-8b", "--on", "hgx-h100", "--isl", "many", says=["--isl"])
        self.check("why", "llama-3-8b", "--on", "hgx-h100", "--isl", "0", says=["--isl"])
        self.check(*BASE, "--concurrency", "0", says=["--concurrency"])
        self.check(*BASE, "--concurrency", "nan", says=["--concurrency"])
        self.check(*BASE, "--rate", "-1", says=["--rate"])
        self.check(*BASE, "--rate", "1", "--concurrency", "4", says=["give one of them"])
        self.check(*BASE, "--cached", "1", says=["--cached"])
        self.check(*BASE, "--speculative-tokens", "2", "--acceptance-rate", "1", says=["--acceptance-rate"])

    def test_options_without_meaning_are_refused_not_ignored(self):
        for more in (["--batch", "4"], ["--context", "4k"], ["--csv"], ["--save", "x.toml"]):
            self.check(*BASE, *more, says=[more[0], "no meaning"])
        self.check(*BASE, "--overlap", "half", says=["none, two-batch or full"])

    def test_readings_with_a_slip_are_explained(self):
        self.check(*BASE, "--set", "hbm.bandwith=5 TB/s", says=["--set", "hbm.bandwidth"])
        self.check(*BASE, "--set", "isl=5", says=["of the load"])
        self.check(*BASE, "--range", "hbm=4..3 TB/s", says=["--range"])
        self.check(*BASE, "--derive", "tpots", says=["--derive", "tpot"])

    def test_engines(self):
        self.check(*BASE, "--engine", "vlm", says=["did you mean vllm"])

    def test_words_of_other_programs_work(self):
        run = ridge("why", "llama-3.1-8b", "--on", "hgx-h100", "--tensor-parallel-size", "1", "--max-concurrency", "8",
                    "--input-len", "256", "--output-len", "128", "--gpu-memory-utilization", "0.9")
        self.assertEqual(run.code, ANSWERED, str(run))

    def test_does_not_fit_is_an_answer(self):
        self.check("why", "llama-3.1-70b", "--on", "hgx-h100", "--tp", "1", code=DOES_NOT_FIT, says=["fits with --tp 2", "fits with --weights fp8"])

    def test_validate(self):
        self.check("validate", "--leave-one-out", "engine", says=["model, chip, kernels, all or anchor"])
        self.check("validate", "--train", "--leave-one-out", "kernels", says=["no meaning for training"])
        self.check("validate", "--max-error", "-1", code=WRONG_USAGE, says=["max-error"])
        self.check("validate", "--evidence", "/nowhere", says=["/nowhere"])
        self.check("validate", "--numbers", "--coverage", says=["no meaning for the fitted numbers"])
        self.check("calibrate", "--worth", "--spread-alone", says=["written alone"])
        self.check("calibrate", "--out", "/dev/null/calibration", says=["cannot be made"])  # before minutes of fitting
        self.check("validate", "--svg", "picture.png", says=["writes SVG, not .png"])
        self.check("validate", "--svg", "/nowhere/a.svg", says=["/nowhere/a-tpot.svg"])


@unittest.skipIf(SANITIZED, "numbers are asked of the release build")
class Gate(unittest.TestCase):
    """What the project promises for rows that were fitted. A change that makes predictions worse fails here; what was left out of the
    fit is judged by tests/validation/coverage_test.py."""

    @classmethod
    def setUpClass(cls):
        cls.run_ = ridge("validate", "--json")
        cls.found = {(line["group"], line["name"]): line for line in cls.run_.json()["lines"]}

    def mean(self, group, name):
        return self.found[group, name]["mean_error"]

    def test_exit_code(self):
        self.assertEqual(ridge("validate", "--max-error", "0.15").code, ANSWERED)
        self.assertEqual(ridge("validate", "--max-error", "0.02").code, GATE_FAILED)

    def test_kernels(self):
        for name, most in (("matrix products", 0.12), ("all-reduce", 0.12), ("decode attention", 0.18), ("prefill attention", 0.20), ("latent decode", 0.20),
                           ("latent prefill", 0.20), ("expert layers", 0.25)):
            self.assertLessEqual(self.mean("kernels", name), most, name)

    def test_serving(self):
        for name in ("inferencex", "inferencemax", "dynamo"):
            self.assertLessEqual(self.mean("TPOT", name), 0.08, name)
        self.assertLessEqual(self.mean("throughput", "inferencemax"), 0.10)

    def test_hardly_anything_beats_the_bound(self):
        found = self.run_.json()
        self.assertGreater(found["bounded"], 600)
        self.assertLessEqual(len(found["suspects"]), 0.01 * found["bounded"])

    def test_a_chip_that_no_fit_has_seen(self):
        """Random shapes on a real H200 (probes/cuda/kernels.py), predicted with numbers borrowed from the H100."""
        found = ridge("validate", "--evidence", str(ROOT / "tests" / "data" / "h200_probe"), "--json").json()
        means = {line["name"]: line["mean_error"] for line in found["lines"]}
        self.assertLessEqual(means["matrix products"], 0.12)
        self.assertLessEqual(means["prefill attention"], 0.175)

    def test_whole_steps_of_models_that_no_form_was_chosen_on(self):
        """Four models on a real H200 (probes/cuda/steps.py): what PyTorch adds is fitted to one half, the other is judged."""
        found = ridge("validate", "--evidence", str(ROOT / "tests" / "data" / "h200_unseen_steps"), "--leave-one-out", "kernels", "--json").json()
        steps = [line for line in found["lines"] if line["name"] == "torch-steps whole steps"]
        self.assertEqual([line["rows"] for line in steps], [126])
        self.assertLessEqual(steps[0]["mean_error"], 0.06)
        self.assertLessEqual(abs(steps[0]["bias"]), 0.02)


if __name__ == "__main__":
    unittest.main()
