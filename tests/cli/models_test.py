"""Is a model the same model whichever way it is named: by name, by repository, by file, folder or standard input, imported
or saved; and where its tensors say something else than its config, are they believed, and is that said?"""

import json
import subprocess
import tempfile
import time
import tomllib
import unittest
from pathlib import Path

from model_files import (LLAMA, LLAMA_PARAMETERS, NEXTN, llama_tensors, safetensors, write_config, write_gguf,
                         write_shards)
from ridge_run import ANSWERED, BAD_INPUT, DOES_NOT_FIT, ENVIRONMENT, RIDGE, SANITIZED, parse_json, ridge

ON = ["--on", "hgx-h100", "--batch", "4", "--context", "32"]
COUNTS = ("parameters_total", "parameters_active", "parameters_stored", "parts", "bytes", "bytes_stored", "contexts",
          "kv_bytes_per_token", "context_terms", "weight_flops_per_token", "layers", "hidden_size", "vocab_size")


def fed(text, *arguments):
    """The program with `text` on standard input."""
    return subprocess.run([RIDGE, *arguments], input=text, capture_output=True, text=True, env=ENVIRONMENT, timeout=60)


class Models(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def answered(self, *arguments, codes=(ANSWERED,)):
        run = ridge(*arguments, cwd=self.folder)
        self.assertIn(run.code, codes, str(run))
        return run

    def shown(self, *words):
        return self.answered("show", "model", *words, "--json").json()

    def refused(self, *arguments, words=()):
        run = ridge(*arguments, cwd=self.folder)
        self.assertEqual(run.code, BAD_INPUT, str(run))
        self.assertIn("hint:", run.err)
        self.assertEqual(run.out, "")
        for word in words:
            self.assertIn(word, run.err)
        return run

    def same(self, one, other, keys=COUNTS):
        for key in keys:
            self.assertEqual(one[key], other[key], key)

    def remarks(self, *words):
        return " / ".join(self.shown(*words)["remarks"])


class Named(Models):
    def test_one_model_by_every_way_to_name_it(self):
        file = write_config(self.folder / "tiny")
        first = self.shown("tiny/config.json")
        self.assertEqual(first["parameters_total"], LLAMA_PARAMETERS)
        for way in ("tiny", "tiny/", "./tiny", str(file), str(file.parent)):
            with self.subTest(way):
                self.same(self.shown(way), first)
        piped = fed(file.read_text(), "show", "model", "-", "--json")
        self.assertEqual(piped.returncode, ANSWERED, piped.stderr)
        self.same(parse_json(piped.stdout), first)

    def test_the_catalog_by_name_and_by_repository(self):
        named = self.shown("deepseek-v3")
        for way in (["deepseek-ai/DeepSeek-V3"], ["DEEPSEEK-V3"], ["deepseek-ai/deepseek-v3"]):
            with self.subTest(way):
                self.same(self.shown(*way), named)
        self.same(self.answered("show", "deepseek-v3", "--json").json(), named)

    def test_every_command_takes_a_file(self):
        write_config(self.folder / "tiny")
        for words in (["why"], ["fit"], ["curve", "batch"]):
            with self.subTest(words):
                by_file = self.answered(*words, "tiny/config.json", *ON, codes=(ANSWERED, DOES_NOT_FIT))
                self.assertEqual(self.answered(*words, "tiny", *ON, "--json").json().keys(),
                                 self.answered(*words, "llama-3-8b", *ON, "--json").json().keys())
                self.assertGreater(len(by_file.out), 0)
        piped = fed(json.dumps(LLAMA), "why", "-", *ON, "--json")
        self.assertEqual(piped.returncode, ANSWERED, piped.stderr)
        self.assertEqual(parse_json(piped.stdout)["figures"], self.answered("why", "tiny", *ON, "--json").json()["figures"])

    def test_the_text_holds_the_counts_of_the_json(self):
        write_config(self.folder / "tiny")
        text = self.answered("show", "model", "tiny").out
        shown = self.shown("tiny")
        for key in ("parameters_total", "parameters_stored", "parameters_active_without_embedding"):
            self.assertIn(f"{shown[key]:,.0f}", text, key)
        self.assertIn("2 layers", text)

    def test_verbose_lists_the_keys_that_were_not_needed(self):
        write_config(self.folder / "tiny", {**LLAMA, "rope_theta": 10000.0, "flux_capacitor": {"gigawatts": 1.21}})
        self.assertNotIn("flux_capacitor", self.answered("show", "model", "tiny").out)
        for command in (["show", "model", "tiny"], ["import", "model", "tiny"]):
            run = self.answered(*command, "--verbose")
            for word in ("flux_capacitor", "rope_theta"):
                self.assertIn(word, run.out + run.err, command)
        self.assertIn("flux_capacitor", self.shown("tiny")["unread_keys"])
        self.assertNotIn("hidden_size", self.shown("tiny")["unread_keys"])


class Imported(Models):
    def catalog_of(self, *source, name="tiny"):
        entry = self.folder / "mine" / "model" / f"{name}.toml"
        entry.parent.mkdir(parents=True, exist_ok=True)
        self.answered("import", "model", *source, "--name", name, "--out", str(entry))
        tomllib.loads(entry.read_text())
        return ["--catalog", str(self.folder / "mine")]

    def test_an_imported_model_has_the_numbers_of_its_file(self):
        for name, config in {"dense": LLAMA, "experts": NEXTN,
                             "window": {**LLAMA, "model_type": "mistral", "sliding_window": 16}}.items():
            with self.subTest(name):
                write_config(self.folder / name, config)
                catalog = self.catalog_of(name, name=name)
                self.same(self.answered("show", "model", name, "--json", *catalog).json(), self.shown(f"./{name}"))
                by_name = self.answered("why", name, *ON, "--json", *catalog).json()
                self.assertEqual(by_name["figures"], self.answered("why", f"./{name}", *ON, "--json").json()["figures"])

    def test_an_imported_folder_of_tensors_keeps_what_they_said(self):
        for name, change in {"agrees": {}, "larger": {"model.layers.0.mlp.up_proj.weight": [24, 8]},
                             "two larger": {"model.layers.0.mlp.up_proj.weight": [24, 8],
                                            "model.layers.0.self_attn.q_proj.weight": [16, 8]}}.items():
            with self.subTest(name):
                write_config(self.folder / "t")
                (self.folder / "t" / "model.safetensors").write_bytes(safetensors(llama_tensors() | change))
                catalog = self.catalog_of("t", name="t")
                self.same(self.answered("show", "model", "t", "--json", *catalog).json(), self.shown("./t"))

    def test_smaller_tensors_than_the_config_can_be_imported_too(self):
        write_config(self.folder / "t")
        tensors = llama_tensors()
        del tensors["lm_head.weight"]
        (self.folder / "t" / "model.safetensors").write_bytes(safetensors(tensors))
        catalog = self.catalog_of("t", name="t")
        self.same(self.answered("show", "model", "t", "--json", *catalog).json(), self.shown("./t"))

    def test_import_prints_the_entry_where_no_file_is_given(self):
        write_config(self.folder / "tiny")
        entry = tomllib.loads(self.answered("import", "model", "tiny", "--title", "Tiny", "--source", "me").out)
        self.assertEqual(entry["title"], "Tiny")

    def test_import_refuses_what_is_no_file_and_no_name(self):
        write_config(self.folder / "tiny")
        self.refused("import", "model", "deepseek-v3", words=["no model's file"])
        self.refused("import", "machine", "tiny", words=["cannot be imported"])
        self.refused("import", "model", "tiny", "--name", "Not A Name", words=["--name"])

    def test_a_saved_scenario_of_a_file_runs_again(self):
        write_config(self.folder / "tiny")
        first = self.answered("why", "tiny/config.json", *ON, "--save", "case.toml", "--json").json()
        self.assertEqual(self.answered("why", "case.toml", "--json").json()["figures"], first["figures"])

    def test_a_saved_scenario_runs_where_the_file_is_not(self):
        # as a catalog entry is not needed either: all the numbers are in the scenario, which may have been mailed
        file = write_config(self.folder / "tiny")
        first = self.answered("why", "tiny/config.json", *ON, "--save", "case.toml", "--json").json()
        file.unlink()
        again = ridge("why", "case.toml", "--json", cwd=self.folder)
        self.assertEqual(again.code, ANSWERED, str(again))
        self.assertEqual(again.json()["figures"], first["figures"])


class Differences(Models):
    def test_a_model_does_not_differ_from_itself(self):
        write_config(self.folder / "tiny")
        for pair in (("deepseek-v3", "deepseek-v3"), ("deepseek-v3", "deepseek-ai/DeepSeek-V3"), ("tiny", "tiny"),
                     ("tiny", "tiny/config.json")):
            with self.subTest(pair):
                self.assertEqual(self.answered("diff", *pair, "--json").json()["differences"], {})

    def test_only_what_differs_is_printed(self):
        write_config(self.folder / "a")
        write_config(self.folder / "b", {**LLAMA, "intermediate_size": 32})
        text = self.answered("diff", "a", "b").out
        self.assertIn("32", text)
        for same in ("hidden_size", "vocab", "query_heads"):
            self.assertNotIn(same, text)
        said = json.dumps(self.answered("diff", "a", "b", "--json").json()["differences"])
        self.assertIn("feed_forward", said)

    def test_things_of_two_kinds_are_refused(self):
        self.refused("diff", "deepseek-v3", "hgx-h100", words=["not of one kind"])
        self.refused("diff", "deepseek-v3", "deepsek-v4", words=["deepsek-v4"])


class Tensors(Models):
    def checkpoint(self, tensors, config=None, shards=1, **how):
        folder = self.folder / "t"
        write_config(folder, config)
        for old in folder.glob("model*"):
            old.unlink()
        if shards == 1:
            (folder / "model.safetensors").write_bytes(safetensors(tensors))
        else:
            write_shards(folder, tensors, shards, **how)
        return folder

    def test_tensors_that_agree_are_said_to_agree(self):
        for shards, how in ((1, {}), (2, {"index": True}), (3, {"index": False})):
            with self.subTest(shards=shards, **how):
                self.checkpoint(llama_tensors(), None, shards, **how)
                self.assertIn(f"21 tensors with {LLAMA_PARAMETERS:,} parameters: the config agrees", self.remarks("t"))
                self.assertEqual(self.shown("t")["bytes_stored"], 2 * LLAMA_PARAMETERS)

    def test_one_larger_tensor_is_believed(self):
        self.checkpoint(llama_tensors() | {"model.layers.0.mlp.up_proj.weight": [24, 8]})
        shown = self.shown("t")
        self.assertEqual(shown["parameters_total"], LLAMA_PARAMETERS + 64)
        self.assertEqual(shown["bytes_stored"], 2 * (LLAMA_PARAMETERS + 64))
        self.assertIn("are believed: dense_ffn 832 (config: 768)", " ".join(shown["remarks"]))

    def test_a_head_of_its_own_beside_a_config_that_ties_is_believed(self):
        self.checkpoint(llama_tensors(), {**LLAMA, "tie_word_embeddings": True})
        self.assertEqual(self.shown("t")["parameters_total"], LLAMA_PARAMETERS)
        self.assertIn("head 256 (config: 0)", self.remarks("t"))

    def test_prediction_modules_that_were_not_released_are_not_counted(self):
        config = {**LLAMA, "model_type": "mimo", "num_nextn_predict_layers": 1, "attention_bias": False}
        self.checkpoint(llama_tensors(), config)
        shown = self.shown("t")
        self.assertEqual((shown["parts"]["mtp"], shown["parameters_stored"]), (0, LLAMA_PARAMETERS))
        self.assertIn("mtp 0 (config: ", " ".join(shown["remarks"]))

    def test_a_tensor_of_no_known_kind_is_named(self):
        self.checkpoint(llama_tensors() | {"crystal.ball": [3]})
        self.assertIn("crystal.ball", self.remarks("t"))
        self.assertEqual(self.shown("t")["parameters_stored"], LLAMA_PARAMETERS + 3)

    def test_an_index_whose_files_are_not_here_leaves_the_config(self):
        folder = self.checkpoint(llama_tensors(), None, 2)
        (folder / "model-00002-of-00002.safetensors").unlink()
        self.assertIn("of which 1 are not here: counted from the config", self.remarks("t"))
        self.assertEqual(self.shown("t")["parameters_total"], LLAMA_PARAMETERS)
        self.assertEqual(self.shown("t/model.safetensors.index.json")["parameters_total"], LLAMA_PARAMETERS)

    def test_tensors_without_a_config_are_refused(self):
        folder = self.checkpoint(llama_tensors(), None, 2)
        (folder / "config.json").unlink()
        for name in ("model-00001-of-00002.safetensors", "model.safetensors.index.json"):
            self.refused("show", "model", f"t/{name}", words=["config.json", "beside it"])
        self.refused("show", "model", "t", words=["config.json"])

    def test_gguf_whole_and_split(self):
        whole = self.shown(str(write_gguf(self.folder / "one")))
        self.assertEqual(whole["parameters_total"], LLAMA_PARAMETERS)
        self.assertIn("agrees", " ".join(whole["remarks"]))
        split = self.shown(str(write_gguf(self.folder / "two", shards=2)))
        self.same(split, whole)
        self.same(self.shown("one"), whole)  # and by folder
        self.same(self.shown("two"), whole)
        (self.folder / "two" / "tiny-00002-of-00002.gguf").unlink()
        self.refused("show", "model", "two/tiny-00001-of-00002.gguf", words=["tiny-00002-of-00002.gguf"])


class Decided(Models):
    """Quantization, and what the user must decide."""

    def test_a_quantization_in_a_file_of_its_own_is_read(self):
        folder = write_config(self.folder / "q").parent
        plain = self.shown("q")
        text = {"producer": {"name": "modelopt"}, "quantization": {"quant_algo": "FP8", "kv_cache_quant_algo": "FP8",
                                                                 "exclude_modules": ["lm_head"]}}
        (folder / "hf_quant_config.json").write_text(json.dumps(text))
        quantized = self.shown("q")
        self.assertEqual(quantized["formats"]["weights"], "fp8")
        self.assertEqual(quantized["formats"]["kv"], "fp8")
        self.assertEqual(quantized["kv_bytes_per_token"], plain["kv_bytes_per_token"] / 2)
        self.assertEqual(quantized["bytes"]["head"], plain["bytes"]["head"])
        self.assertLess(quantized["bytes"]["attention"], plain["bytes"]["attention"])

    def test_modules_listed_one_by_one_are_read(self):
        layers = {f"model.layers.{i}.mlp.{name}_proj": {"quant_algo": "FP8"} for i in range(2) for name in ("gate", "up", "down")}
        write_config(self.folder / "q", {**LLAMA, "quantization_config": {
            "quant_method": "modelopt", "quant_algo": "MIXED_PRECISION", "quantized_layers": layers}})
        shown = self.shown("q")
        self.assertLess(shown["bytes"]["dense_ffn"], 2 * shown["parts"]["dense_ffn"])
        self.assertEqual(shown["bytes"]["attention"], 2 * shown["parts"]["attention"])

    def test_an_unknown_quantization_is_refused_by_name(self):
        write_config(self.folder / "q", {**LLAMA, "quantization_config": {"quant_method": "origami"}})
        self.refused("show", "model", "q", words=["origami", "quant_method"])

    def test_an_unknown_layer_type_is_refused_and_can_be_assumed(self):
        config = {**LLAMA, "layer_types": ["cosmic_attention", "full_attention"]}
        write_config(self.folder / "c", config)
        self.refused("show", "model", "c", words=["cosmic_attention", "--assume cosmic_attention=KIND"])
        assume = ["--assume", "cosmic_attention=full_attention"]
        said = "cosmic_attention is full_attention"
        self.assertIn(said, self.answered("show", "model", "c", *assume).out)
        shown = self.shown("c", *assume)
        self.assertIn(said, " ".join(shown["assumptions"]))
        self.assertEqual(shown["parameters_total"], LLAMA_PARAMETERS)
        self.assertIn(said, self.answered("why", "c", *ON, *assume).out)
        self.assertIn(said, self.answered("import", "model", "c", *assume).out)

    def test_an_unknown_model_type_is_refused_and_can_be_assumed(self):
        write_config(self.folder / "c", {**LLAMA, "model_type": "llamalike"})
        self.refused("why", "c", *ON, words=["llamalike", "--assume"])
        self.assertEqual(self.shown("c", "--assume", "llamalike=llama")["parameters_total"], LLAMA_PARAMETERS)

    def test_an_assumption_about_nothing_is_refused(self):
        write_config(self.folder / "tiny")
        self.refused("show", "model", "tiny", "--assume", "nowhere=mamba", words=["nowhere"])
        self.refused("show", "model", "tiny", "--assume", "nothing", words=["TYPE=KIND or KEY=ignored"])
        self.refused("show", "model", "deepseek-v3", "--assume", "a=b", words=["--assume"])

    def test_a_key_that_says_a_size_and_is_not_known_is_refused_and_can_be_ignored(self):
        write_config(self.folder / "c", {**LLAMA, "num_shadow_heads": 4})
        assume = ["--assume", "num_shadow_heads=ignored"]
        said = "num_shadow_heads is ignored"
        on, load = ON[:2], ["--isl", "16", "--osl", "16"]
        for command in (["show", "model", "c"], ["why", "c", *ON], ["import", "model", "c"], ["diff", "c", "llama-3-8b"], ["fit", "c", *ON],
                        ["why", "c", *on, "--tp", "1", *load], ["plan", "c", *on, *load], ["layout", "c", "hgx-h100"], ["activations", "c"],
                        ["lifecycle", "c"], ["tier", "c", *on], ["price", "c", *on, *load], ["host", "c", *on, *load], ["demand", "c", *ON],
                        ["curve", "batch", "c", *on]):
            with self.subTest(command[0]):
                self.refused(*command, words=["num_shadow_heads", "is 4,", "--assume num_shadow_heads=ignored"])
                run = self.answered(*command, *assume, codes=(ANSWERED, DOES_NOT_FIT))
                self.assertIn(said, " ".join(run.out.split()))
                if command[0] != "import":  # an entry is TOML
                    run = self.answered(*command, *assume, "--json", codes=(ANSWERED, DOES_NOT_FIT))
                    self.assertIn(said, json.dumps(run.json()))
        self.assertEqual(self.shown("c", *assume)["parameters_total"], LLAMA_PARAMETERS)

    def test_what_need_not_be_ignored_is_an_error(self):
        write_config(self.folder / "c", {**LLAMA, "num_beams": 4})
        for key, word in {"hidden_size": "is read", "num_beams": "changes no size", "num_ghosts": "nothing in"}.items():
            self.refused("show", "model", "c", "--assume", f"{key}=ignored", words=[key, word])

    def test_of_two_files_one_may_need_the_assumption(self):
        write_config(self.folder / "a", {**LLAMA, "num_shadow_heads": 4})
        write_config(self.folder / "b")
        self.answered("diff", "a", "b", "--assume", "num_shadow_heads=ignored")
        self.answered("diff", "b", "a", "--assume", "num_shadow_heads=ignored")
        self.refused("diff", "b", "b", "--assume", "num_shadow_heads=ignored", words=["num_shadow_heads"])

    def test_a_catalog_of_ones_own_knows_more_keys_and_names(self):
        mine = self.folder / "mine"
        mine.mkdir()
        (mine / "config_keys.toml").write_text('[shadows]\nkeys = "num_shadow_*"\nreason = "they weigh nothing"\n')
        (mine / "config_names.toml").write_text('[cosmic]\nof = "layer_type"\nmeans = "full_attention"\nnames = "cosmic_attention"\n'
                                                '[llamalike]\nof = "model_type"\nmeans = "llama"\nnames = "llamalike"\n')
        write_config(self.folder / "c", {**LLAMA, "num_shadow_heads": 4, "model_type": "llamalike", "layer_types": ["cosmic_attention", "full_attention"]})
        self.refused("show", "model", "c", words=["llamalike"])
        self.assertEqual(self.shown("c", "--catalog", str(mine))["parameters_total"], LLAMA_PARAMETERS)
        (mine / "config_names.toml").write_text('[cosmic]\nof = "layer_kind"\nmeans = "full_attention"\nnames = "cosmic_attention"\n')
        self.refused("list", "models", "--catalog", str(mine), words=["config_names.toml:2", "layer_kind", "layer_type"])

    def test_an_entry_whose_sums_cannot_be_is_refused(self):
        write_config(self.folder / "tiny")
        mine = self.folder / "mine" / "model"
        mine.mkdir(parents=True)
        good = self.answered("import", "model", "tiny", "--name", "tiny").out
        for name, text in {"less than nothing": good + "\n[extra.hole]\npart = \"attention\"\nuse = \"vector\"\nout = -1000000\n"}.items():
            with self.subTest(name):
                (mine / "tiny.toml").write_text(text)
                self.refused("show", "model", "tiny", "--catalog", str(self.folder / "mine"), words=["tiny.toml", "attention"])

    def test_a_model_type_that_cannot_be_counted_says_why(self):
        write_config(self.folder / "c", {**LLAMA, "model_type": "rwkv7"})
        self.refused("show", "model", "c", words=["rwkv7", "RWKV layers"])

    def test_errors_are_json_where_json_was_asked_for(self):
        write_config(self.folder / "c", {**LLAMA, "hidden_size": "eight", "vocab_size": -1})
        run = ridge("show", "model", "c", "--json", cwd=self.folder)
        self.assertEqual(run.code, BAD_INPUT)
        said = json.dumps(run.json())
        self.assertIn("hidden_size", said)
        self.assertIn("vocab_size", said)  # all at once


class Speed(Models):
    def seconds(self, *arguments):
        """The best of several: what the machine can do when nobody else asks."""
        best = 1e9
        for _ in range(7):
            start = time.perf_counter()
            self.answered(*arguments)
            best = min(best, time.perf_counter() - start)
        return best

    @unittest.skipIf(SANITIZED, "times of a sanitized build say nothing")
    def test_a_config_of_a_megabyte_is_read_at_once(self):
        # wanted: 10 ms. What a megabyte costs depends on what it is made of, so that each shape is printed; the assertion
        # is for a busy machine, and says only that nothing is slower by an order of magnitude.
        modules = [f"model.layers.{i}.some.module.with.a.rather.long.name.{j}" for i in range(1000) for j in range(18)]
        shapes = {"one long text": {"x": "y" * 10**6}, "18,000 texts": {"x": modules}, "145,000 numbers": {"x": [12345] * 145_000},
                  "40,000 keys": {"id2label": {str(i): f"LABEL_{i}" for i in range(40_000)}},
                  "18,000 modules not to convert": {"quantization_config": {"quant_method": "fp8", "modules_to_not_convert": modules}}}
        write_config(self.folder / "small")
        trivial, small = self.seconds("list", "formats"), self.seconds("show", "model", "small")
        print(f"\nwall time, best of 7: list formats {1e3 * trivial:.1f} ms, show of a small config {1e3 * small:.1f} ms")
        for name, more in shapes.items():
            with self.subTest(name):
                file = write_config(self.folder / "large", {**LLAMA, **more})
                self.assertGreater(file.stat().st_size, 900_000)
                megabyte = self.seconds("show", "model", "large")
                print(f"  {name:30} {file.stat().st_size / 1e6:.2f} MB  {1e3 * (megabyte - small):6.1f} ms more than the small one")
                self.assertLess(megabyte - trivial, 0.150)


if __name__ == "__main__":
    unittest.main()
