"""Can a training lead use it: commands read, phases, an own run, views; and one mistake each, answered with the way on?"""

import json
import os
import tempfile
import unittest

from ridge_run import ANSWERED, BAD_INPUT, WRONG_USAGE, ridge

LAYOUT = ["--on", "hgx-h100", "--chips", "64", "--tp", "2", "--pp", "1"]
COMMAND = ("torchrun --nnodes 8 --nproc-per-node 8 pretrain_gpt.py --tensor-model-parallel-size 8 --pipeline-model-parallel-size 4 --sequence-parallel "
           "--use-distributed-optimizer --micro-batch-size 1 --global-batch-size 256 --seq-length 8192 --bf16")


class FromACommand(unittest.TestCase):
    def test_a_command_is_the_layout_it_says(self):
        read = ridge("train", "llama-3.1-70b", "--on", "hgx-h100", "--from", COMMAND, "--json").json()
        given = ridge("train", "llama-3.1-70b", "--on", "hgx-h100", "--chips", "64", "--tp", "8", "--pp", "4", "--zero", "1", "--micro-batch", "1",
                      "--global-batch", str(256 * 8192), "--sequence", "8192", "--json").json()
        self.assertEqual(read["estimate"], given["estimate"])
        self.assertEqual(read["memory"], given["memory"])

    def test_what_was_written_is_read_back(self):
        words = ["llama-3.1-70b", "--on", "hgx-h100", "--chips", "64", "--tp", "8", "--pp", "4", "--vp", "2", "--global-batch", "1Mi", "--recompute", "mlp"]
        first = ridge("train", *words, "--commands", "--json").json()
        self.assertEqual([c["framework"] for c in first["commands"]], ["Megatron-LM", "Megatron-Bridge", "torchtitan", "DeepSpeed"])
        self.assertTrue(first["commands"][0]["exact"])
        for command in first["commands"]:
            self.assertEqual(command["exact"], not command["notes"])
            if command["exact"]:
                again = ridge("train", "llama-3.1-70b", "--on", "hgx-h100", "--from", command["command"], "--framework", first["framework"], "--recipe", first["recipe"], "--json").json()
                self.assertEqual(again["estimate"], first["estimate"], command["framework"])

    def test_a_number_format_counts_beside_those_of_gradients(self):
        # Megatron-LM's own examples: its usual recipe of fp8 is not said
        for flags, recipe in (("--fp8-format hybrid --grad-reduce-in-bf16", "fp8"), ("--fp8-format hybrid", "fp8"),
                              ("--grad-reduce-in-bf16 --fp8-format e4m3 --fp8-recipe mxfp8", "mxfp8"), ("--grad-reduce-in-bf16 --fp4-format e2m1", "nvfp4"),
                              ("--grad-reduce-in-bf16", "bf16-reduce16"), ("", "bf16")):
            run = ridge("train", "llama-3.1-70b", "--on", "hgx-b200", "--from", COMMAND + " " + flags, "--json")
            self.assertEqual(run.json()["recipe"], recipe, flags)

    def test_unknown_flags_are_listed(self):
        run = ridge("train", "llama-3.1-70b", "--on", "hgx-h100", "--from", COMMAND + " --tensor-model-paralel-size 4 --frobnicate")
        self.assertIn("--tensor-model-paralel-size 4", run.out)
        self.assertIn("--frobnicate", run.out)

    def test_what_is_given_beside_wins_and_says_so(self):
        run = ridge("train", "llama-3.1-70b", "--on", "hgx-h100", "--from", COMMAND, "--pp", "2")
        self.assertIn("--pp 2 wins over the command's 4", " ".join(run.out.split()))

    def test_a_degree_that_cannot_be_is_named_with_the_nearest_that_can(self):
        # searched: everything else is free, and still no layout has these
        model, machine = "llama-3.1-8b", ["--on", "hgx-h100", "--chips", "64"]
        for words, where, hint in (
                ([model, *machine, "--ep", "2"], "--ep", "leave it out"),
                (["mixtral-8x7b", *machine, "--ep", "16"], "--ep", "2, 4, 8"),
                (["mixtral-8x7b", *machine, "--ep", "3"], "--ep", "2, 4, 8"),
                ([model, *machine, "--tp", "3"], "--tp", "2, 4, 8"),
                ([model, *machine, "--pp", "5"], "--pp", "4, 8"),
                ([model, *machine, "--pp", "64"], "--pp", "at most 32"),
                ([model, *machine, "--cp", "3"], "--cp", "2, 4"),
                ([model, *machine, "--micro-batch", "3", "--global-batch", "1Mi"], "--micro-batch", "2, 4"),
                ([model, *machine, "--zero", "3", "--shard-group", "7"], "--shard-group", "4, 8"),
                ([model, *machine, "--tp", "8", "--cp", "16"], "--chips", "smaller")):
            with self.subTest(words=words):
                run = ridge("train", *words)
                self.assertEqual(run.code, BAD_INPUT, run)
                self.assertTrue(run.err.startswith(where + ":"), run)
                self.assertIn(hint, run.err, run)

    def test_degrees_that_do_not_divide_the_chips_name_the_one_to_change(self):
        for words, hint in ((["--tp", "8", "--pp", "7"], "56 or 112 chips, or --pp 2, 4, 8"), (["--tp", "1", "--pp", "1", "--cp", "3"], "63 or 66 chips, or --cp 2, 4, 8")):
            run = ridge("train", "llama-3.1-70b", "--on", "hgx-h100", "--chips", "64", *words)
            self.assertEqual(run.code, BAD_INPUT, run)
            self.assertIn(hint, run.err)

    def test_fewer_tokens_than_a_step_are_refused(self):
        run = ridge("train", "llama-3.1-70b", "--on", "hgx-h100", "--chips", "64", "--tokens", "15")
        self.assertEqual(run.code, BAD_INPUT, run)
        self.assertIn("less than a step of 4194304", run.err)

    def test_chips_that_fill_no_domain_are_said(self):
        run = ridge("train", "llama-3.1-8b", "--on", "hgx-h100", "--chips", "60", "--global-batch", "1920Ki")
        self.assertIn("60 chips fill no whole number of scale-up domains: 56 and 64 do", " ".join(run.out.split()))

    def test_a_batch_beyond_all_measure_is_refused(self):
        for words in (["--global-batch", "1e17"], ["--tokens", "15T", "--ramp", "1e308"], ["--tokens", "15T", "--ramp", "1e308:1T"]):
            with self.subTest(words=words):
                run = ridge("train", "llama-3.1-8b", "--on", "hgx-h100", "--chips", "64", *words)
                self.assertEqual(run.code, BAD_INPUT, run)
                self.assertIn("more than a step takes", " ".join(run.err.split()))

    def test_a_layout_in_a_line_is_its_degrees(self):
        spoken = ridge("train", "mixtral-8x7b", "--on", "hgx-h100", "--layout", "TP2·PP4·VP2·EP8·DP8", "--json").json()
        given = ridge("train", "mixtral-8x7b", "--on", "hgx-h100", "--chips", "64", "--tp", "2", "--pp", "4", "--vp", "2", "--ep", "8", "--json").json()
        self.assertEqual(spoken["estimate"], given["estimate"])
        best = ridge("train", "llama-3.1-70b", "--on", "hgx-h100", "--chips", "64", "--json").json()
        again = ridge("train", "llama-3.1-70b", "--on", "hgx-h100", "--layout", best["estimate"]["layout"]["name"], "--micro-batch", str(best["estimate"]["layout"]["micro_batch"]),
                      "--recompute", best["estimate"]["layout"]["recompute"], "--json").json()
        self.assertEqual(again["estimate"], best["estimate"])

    def test_a_layout_in_a_line_mistaken(self):
        for words, said in ((["--layout", "TP2·QP4"], "qp4"), (["--layout", "TP2", "--tp", "4"], "--layout"), (["--layout", "·"], "TP8"),
                            (["--chips", "64", "--layout", "TP2·DP8"], "16 chips")):
            with self.subTest(words=words):
                run = ridge("train", "llama-3.1-8b", "--on", "hgx-h100", *words)
                self.assertEqual(run.code, BAD_INPUT, run)
                self.assertIn(said, run.err, run)

    def test_a_model_in_words(self):
        words = "layers=60 hidden=5120 heads=40 kv=8 head_dim=128 gated experts=256 top=8 expert_ffn=1536 vocab=150000"
        run = ridge("train", words, "--on", "gb200-nvl72", "--chips", "512", "--tokens", "15T", "--layout", "PP4·EP64·DP128", "--recompute", "full", "--global-batch", "16Mi")
        self.assertIn(run.code, (ANSWERED, 4), run)
        self.assertTrue(run.out.startswith("a model of 368B parameters on"), run.out[:200])
        for slip, said in ((words.replace("hidden", "hiden"), "hidden"), (words.replace("vocab=150000", ""), "needs vocab"), ("layers=4 hidden=10 heads=3 vocab=9", "do not divide")):
            wrong = ridge("train", slip, "--on", "gb200-nvl72", "--chips", "512")
            self.assertEqual(wrong.code, BAD_INPUT, wrong)
            self.assertIn(said, wrong.err)

    def test_mistakes(self):
        for words, said in (
                (["llama-3.1-70b", "--on", "hgx-h100", "--from", "vllm serve x --tensor-parallel-size 8"], "no training framework"),
                (["llama-3.1-70b", "--from", COMMAND], "--on"),
                (["llama-3.1-70b", "--on", "hgx-h100", "--from", COMMAND.replace("--nnodes 8 --nproc-per-node 8 ", "")], "--chips"),
                (["--on", "hgx-h100", "--from", COMMAND], "name one"),
                (["llama-3.1-70b", "--on", "hgx-h100", "--from", COMMAND.replace("size 8 ", "size eight ")], "eight"),
                (["llama-3.1-70b", "--on", "hgx-h100", "--from", "@no-such-file.sh"], "no-such-file"),
                (["llama-3.1-70b", *LAYOUT, "--phases", "8Ki:14X"], "14X"),
                (["llama-3.1-8b", *LAYOUT, "--tokens", "15T", "--phases", "8Ki:10T,32Ki:1T"], "the run has"),
                (["llama-3.1-8b", *LAYOUT, "--explain", "pipelines"], "pipelining"),
                (["llama-3.1-8b", *LAYOUT, "--range", "hbm.bandwith=1..2 TB/s"], "hbm.bandwidth"),
                (["llama-3.1-8b", *LAYOUT, "--derive", "setp"], "step"),
                (["llama-3.1-8b", *LAYOUT, "--rollouts", "1024", "--rollout-tp", "128"], "rollout-tp")):
            with self.subTest(words=words):
                run = ridge("train", *words)
                self.assertIn(run.code, (BAD_INPUT, WRONG_USAGE), run)
                self.assertIn(said, run.err, run)


class Mistakes(unittest.TestCase):
    """What does not go names the nearest that does."""

    def test_nearest_values(self):
        small = ["llama-3.1-8b", "--on", "hgx-h100", "--chips", "64"]
        for words, flag, hint in (
                ([*small, "--tp", "3", "--pp", "1"], "--tp", "1, 2, 4, 8"),
                ([*small, "--tp", "1", "--pp", "33"], "--pp", "at most 32"),
                ([*small, "--tp", "1", "--pp", "5"], "--chips", "60 or 65"),
                ([*small, "--tp", "2", "--pp", "4", "--vp", "2", "--global-batch", "320Ki"], "--vp", "32 or 64 sequences"),
                ([*small, "--tp", "2", "--pp", "1", "--global-batch", "264Ki"], "--global-batch", "32 or 64 sequences (262144 or 524288 tokens)"),
                ([*small, "--tp", "2", "--pp", "1", "--graphs", "half"], "--graphs", "full or none"),
                (["deepseek-v3", "--on", "gb200-nvl72", "--chips", "1024", "--tp", "1", "--pp", "1", "--ep", "512"], "--ep", "64, 128, 256")):
            with self.subTest(words=words):
                run = ridge("train", *words)
                self.assertEqual(run.code, BAD_INPUT, run)
                self.assertTrue(run.err.startswith(flag), run)
                self.assertIn(hint, " ".join(run.err.split()), run)

    def test_what_works_badly_is_said(self):
        for words, said in ((["--tp", "16", "--pp", "1"], ["--tp 8 stays inside"]),
                            (["--tp", "8", "--pp", "8", "--global-batch", "16Ki"], ["--global-batch 65536", "waits for its messages between stages", "--global-batch 16Ki starves 64 chips"]),
                            (["--tp", "2", "--pp", "1", "--global-batch", "4Mi"], [])):
            notes = [line for line in " ".join(ridge("train", "llama-3.1-8b", "--on", "hgx-h100", "--chips", "64", *words).out.split()).split("note: ")[1:]]
            self.assertEqual(len(notes), len(said), notes)
            for note, part in zip(notes, said):
                self.assertIn(part, note)

    def test_the_usual_batch_on_many_chips_is_said_to_starve_them_and_the_batch_named_feeds_them(self):
        asked = ("train", "llama-3.1-8b", "--on", "gb200-nvl72", "--chips", "4096")
        starved = json.loads(ridge(*asked, "--json").out)
        notes = [note for note in starved["notes"] if "starves" in note]
        self.assertEqual(len(notes), 1, starved["notes"])
        batch = notes[0].split("with --global-batch ")[1].split()[0]
        fed = json.loads(ridge(*asked, "--global-batch", batch, "--json").out)
        self.assertEqual([note for note in fed["notes"] if "starves" in note], [])
        self.assertGreater(fed["estimate"]["tokens_per_second_per_chip"], 1.25 * starved["estimate"]["tokens_per_second_per_chip"])

    def test_a_command_of_a_model_that_no_catalog_has_is_answered_by_its_own_shape(self):
        command = ("torchrun --nnodes 4 --nproc-per-node 8 pretrain_gpt.py --num-layers 48 --hidden-size 6656 --num-attention-heads 52 --swiglu "
                   "--tensor-model-parallel-size 4 --sequence-parallel --micro-batch-size 1 --global-batch-size 64 --seq-length 4096 --bf16")
        read = ridge("train", "--on", "hgx-h100", "--from", command)
        self.assertIn(read.code, (0, 4), read)
        words = " ".join(read.out.split()).split("taken as it is described, ")[1].split(" note:")[0]
        said = json.loads(ridge("train", words, "--on", "hgx-h100", "--from", command, "--json").out)
        found = json.loads(ridge("train", "--on", "hgx-h100", "--from", command, "--json").out)
        self.assertEqual(found["estimate"], said["estimate"])

    def test_two_changes_where_one_does_not_do(self):
        answer = ridge("train", "llama-3.1-70b", "--on", "hgx-h100", "--chips", "64", "--tp", "8", "--pp", "1", "--micro-batch", "4", "--zero", "0",
                       "--global-batch", "1Mi", "--json").json()
        self.assertFalse(answer["memory"]["fits"])
        self.assertEqual(len(answer["ways_out"]), 3)
        for way in answer["ways_out"]:
            self.assertTrue(way["change"].count("--") <= 2)
            again = ridge("train", "llama-3.1-70b", "--on", "hgx-h100", "--chips", "64", *merged(way["change"]), "--global-batch", "1Mi", "--json").json()
            self.assertTrue(again["memory"]["fits"], way["change"])
            self.assertAlmostEqual(again["estimate"]["step"], way["step"], places=9)


def merged(change):
    words = {"--tp": "8", "--pp": "1", "--micro-batch": "4", "--zero": "0"}
    given = change.split()
    words.update(zip(given[::2], given[1::2]))
    return [word for pair in words.items() for word in pair]


class Graphs(unittest.TestCase):
    def test_experts_in_mxfp8_are_captured_unless_said(self):
        words = ["deepseek-v3", "--on", "gb200-nvl72", "--chips", "256", "--tp", "1", "--pp", "4", "--vp", "4", "--ep", "64", "--global-batch", "16Mi",
                 "--sequence", "4Ki", "--recompute", "mla_up_proj", "--json"]
        step = {}
        for recipe in ("mxfp8", "bf16"):
            for graphs in ("full", "none", None):
                answer = ridge("train", *words, "--recipe", recipe, *(["--graphs", graphs] if graphs else [])).json()
                step[recipe, graphs] = answer["estimate"]["step"]
                self.assertEqual(answer["captured"], graphs == "full" or graphs is None and recipe == "mxfp8")
            self.assertLess(step[recipe, "full"], step[recipe, "none"])
        self.assertEqual(step["mxfp8", None], step["mxfp8", "full"])
        self.assertEqual(step["bf16", None], step["bf16", "none"])


class TheRun(unittest.TestCase):
    def test_phases_add_up(self):
        found = ridge("train", "llama-3.1-8b", *LAYOUT, "--phases", "8Ki:14T,32Ki:1T", "--ramp", "2Mi:1T", "--json").json()
        self.assertEqual([p["tokens"] for p in found["phases"]], [1e12, 13e12, 1e12])
        self.assertAlmostEqual(sum(p["seconds"] for p in found["phases"]) / found["seconds"], 1, places=9)
        self.assertLess(found["phases"][2]["mfu"], 1)
        whole = ridge("train", "llama-3.1-8b", *LAYOUT, "--tokens", "13T", "--json").json()
        self.assertAlmostEqual(found["phases"][1]["seconds"] / whole["estimate"]["seconds"], 1, places=9)

    def anchored(self, text, *words):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.log")
            with open(path, "w") as file:
                file.write(text)
            return ridge("train", "llama-3.1-8b", *words, "--anchor", path, "--json")

    def test_an_own_run_moves_one_number_to_meet_it(self):
        before = ridge("train", "llama-3.1-8b", *LAYOUT, "--json").json()["estimate"]["step"]
        for text in (f"iteration 10/ 100 | elapsed time per iteration (ms): {1100 * before:.6f} | lm loss: 2.0 |\n", f"step_s\n{1.1 * before:.9f}\n",
                     f"step: 10 loss: 8.1 memory: 40.1GiB(50%) tps: {4194304 / 64 / (1.1 * before):,.3f} tflops: 400 mfu: 40%\n"):
            with self.subTest(text=text):
                found = self.anchored(text, *LAYOUT).json()
                self.assertAlmostEqual(found["estimate"]["step"] / before, 1.1, places=4)
                self.assertTrue(any("Moved" in note for note in found["notes"]))

    def test_a_csv_of_another_layout_moves_this_one(self):
        before = ridge("train", "llama-3.1-8b", *LAYOUT, "--json").json()["estimate"]["step"]
        other = ridge("train", "llama-3.1-8b", "--on", "hgx-h100", "--chips", "64", "--tp", "4", "--pp", "1", "--json").json()["estimate"]["step"]
        found = self.anchored(f"chips,tp,pp,step_s\n64,4,1,{1.2 * other:.9f}\n", *LAYOUT).json()
        self.assertGreater(found["estimate"]["step"], 1.05 * before)
        self.assertLess(found["estimate"]["step"], 1.25 * before)

    def test_what_beats_the_bound_is_refused(self):
        run = self.anchored("step_s\n0.01\n", *LAYOUT)
        self.assertEqual(run.code, BAD_INPUT, run)
        self.assertIn("beats the bound", run.err)


class Views(unittest.TestCase):
    def test_sensitivity_range_and_derivation(self):
        moved = ridge("train", "llama-3.1-8b", *LAYOUT, "--sensitivity", "--json").json()["sensitivity"]
        self.assertLess(moved["matmul"]["step"], 0)
        ranged = ridge("train", "llama-3.1-8b", *LAYOUT, "--range", "scale_out=10..100 GB/s", "--json").json()["figures"]["step"]
        self.assertLessEqual(ranged["low"], ranged["here"])
        self.assertGreaterEqual(ranged["high"], ranged["here"])
        lines = ridge("train", "llama-3.1-8b", *LAYOUT, "--derive", "step", "--json").json()["lines"]
        self.assertIn("step", [line["symbol"] for line in lines])

    def test_stages_divide_weights_and_not_the_cache(self):
        found = ridge("train", "llama-3.1-8b", "--on", "hgx-h100", "--chips", "16", "--global-batch", "1Mi", "--explain", "pipelining", "--json").json()
        one, last = found["serving"][0], found["serving"][-1]
        self.assertAlmostEqual(last["weights"] * last["stages"] / one["weights"], 1)
        self.assertEqual(last["kv"], one["kv"])
        self.assertTrue(found["domains"])

    def test_who_waits_in_reinforcement_learning(self):
        found = ridge("train", "llama-3.1-8b", *LAYOUT, "--rollouts", "1024", "--isl", "1Ki", "--osl", "4Ki", "--rollout-tp", "1", "--json").json()
        self.assertAlmostEqual(found["training_waits"] + found["rollout_waits"], 1)
        self.assertGreater(found["rollout_seconds"], 0)

    def test_a_life_with_a_layout_costs_what_the_layout_costs(self):
        train = ridge("train", "llama-3.1-8b", *LAYOUT, "--tokens", "1T", "--json").json()["estimate"]["dollars"]
        life = ridge("lifecycle", "llama-3.1-8b", "--on", "hgx-h100", "--tokens", "1T", "--training", "chips=64 tp=2 pp=1", "--json")
        self.assertEqual(life.code, ANSWERED, life)
        self.assertAlmostEqual(life.json()["figures"]["cost_pretraining"]["value"] / train, 1, places=9)


if __name__ == "__main__":
    unittest.main()
