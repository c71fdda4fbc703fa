"""Does a hostile model file of any kind get one clear answer, soon, and within bounds?

Through the real program, with limits that the kernel enforces: 512 MB of memory, 2 s of processor time, 20 s of wall
time. A refusal has exit code 3, says where and what to do on standard error, and leaves standard output empty.
"""

import json
import os
import re
import resource
import struct
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

from model_files import LLAMA, gguf, gguf_keys, llama_tensors, safetensors, write_config, write_gguf
from ridge_run import ANSWERED, BAD_INPUT, ENVIRONMENT, RIDGE, SANITIZED, load_tests, not_numbers, parse_json

SECONDS = 20 if SANITIZED else 2
MEMORY = 512 << 20


def limited():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
    if not SANITIZED:  # a sanitizer reserves terabytes of addresses
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def config(**changes):
    return json.dumps({**LLAMA, **changes})


def literal(key, value, base=None):
    """A config in which a key has any text as its value, JSON or not."""
    return re.sub(rf'"{key}": [^,}}]*', f'"{key}": {value}', json.dumps(base or LLAMA), count=1)


MOE = {**LLAMA, "model_type": "qwen3_moe", "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 4}
LFM2 = {**LLAMA, "model_type": "lfm2", "layer_types": ["conv", "full_attention"], "conv_L_cache": 3, "block_ff_dim": 24,
        "block_auto_adjust_ff_dim": True, "block_multiple_of": 8}
DEEP = 100_000

# name: content, words that must stand on standard error besides "hint:"
BAD_CONFIGS = {
    "empty": (b"", []),
    "spaces": (b" \n\t ", []),
    "truncated": (config()[:-20], []),
    "truncated in a string": (config()[:8], []),
    "two documents": (config() + config(), []),
    "not an object": ("[]", ["a list"]),
    "a number": ("7", ["a number"]),
    "null": ("null", ["null"]),
    "binary": (bytes(range(256)) * 40, []),
    "zeros": (bytes(100_000), []),
    "not UTF-8": (config().encode().replace(b"llama", b"ll\xffma"), []),
    "UTF-16": (config().encode("utf-16"), []),
    "text for a number": (config(hidden_size="8"), ["hidden_size", '"8"']),
    "list for a number": (config(hidden_size=[8]), ["hidden_size"]),
    "object for a number": (config(hidden_size={"a": 8}), ["hidden_size"]),
    "true for a number": (config(hidden_size=True), ["hidden_size"]),
    "number for a text": (config(model_type=7), ["model_type"]),
    "number for a flag": (config(tie_word_embeddings=1), ["tie_word_embeddings"]),
    "negative layers": (config(num_hidden_layers=-1), ["num_hidden_layers"]),
    "no layers": (config(num_hidden_layers=0), ["num_hidden_layers"]),
    "a billion layers": (config(num_hidden_layers=10**9), ["num_hidden_layers", "10,000"]),
    "2^63 layers": (config(num_hidden_layers=2**63), ["num_hidden_layers"]),
    "half a layer": (config(num_hidden_layers=1.5), ["num_hidden_layers"]),
    "negative width": (config(hidden_size=-8), ["hidden_size"]),
    "zero heads": (config(num_attention_heads=0), ["num_attention_heads"]),
    "zero kv heads": (config(num_key_value_heads=0), ["num_key_value_heads"]),
    "width 1e300": (literal("hidden_size", "1e300"), ["hidden_size"]),
    "width 1e999": (literal("hidden_size", "1e999"), []),
    "a number of a thousand digits": (literal("hidden_size", "9" * 1000), []),
    "NaN": (literal("hidden_size", "NaN"), ["hidden_size"]),
    "Infinity": (literal("hidden_size", "Infinity"), ["hidden_size"]),
    "-Infinity": (literal("vocab_size", "-Infinity"), ["vocab_size"]),
    "2^63": (config(vocab_size=2**63), ["vocab_size"]),
    "more chosen than there are": (json.dumps({**MOE, "num_experts_per_tok": 5}), ["num_experts_per_tok"]),
    "none chosen": (json.dumps({**MOE, "num_experts_per_tok": 0}), ["num_experts_per_tok"]),
    "negative experts": (json.dumps({**MOE, "num_experts": -4}), ["num_experts", "-4"]),
    "a key twice": (config()[:-1] + ', "hidden_size": 9}', ["hidden_size"]),
    "a key twice, escaped": (config()[:-1] + ', "hidden\\u005fsize": 9}', ["hidden_size"]),
    "deep lists": ("[" * DEEP + "]" * DEEP, []),
    "deep objects": ('{"a":' * DEEP + "1" + "}" * DEEP, []),
    "deep inside a config": (config()[:-1] + ', "x": ' + "[" * DEEP + "]" * DEEP + "}", []),
    "deep and cut off": ('{"a":' * DEEP, []),
    "a million layer types": (config(layer_types=["full_attention"] * 10**6), ["layer_types"]),
    "10,000 unknown layer types": (config(num_hidden_layers=10**4, layer_types=[f"t{i}" for i in range(10**4)]), ["layer_types"]),
    "a million towers": (json.dumps([{"a": 1}] * 10**6), []),
    "five million values": ("[" + "0," * 5_000_000 + "0]", []),
    "a comment": ("// hello\n" + config(), []),
    "single quotes": (config().replace('"', "'"), []),
    "trailing comma": (config()[:-1] + ",}", []),
    "an HTML page": ("<!DOCTYPE html><html>Not found</html>", []),
    "a Git LFS pointer": ("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", []),
    "a lone surrogate": (config()[:-1] + ', "x": "\\ud800"}', []),
    "a negative multiple of the width": (json.dumps({**LFM2, "block_ffn_dim_multiplier": -1}), ["block_ffn_dim_multiplier"]),
    "a multiple of 1e300": (json.dumps({**LFM2, "block_ffn_dim_multiplier": 1e300}), ["block_ffn_dim_multiplier"]),
    "a negative ffn_mult": (json.dumps({**LLAMA, "model_type": "nemotron-nas", "num_hidden_layers": 1, "block_configs": [
        {"attention": {"n_heads_in_group": 2}, "ffn": {"ffn_mult": -1000}}]}), ["ffn_mult"]),
    "no model": ("{}", ["model_type"]),
    "an adapter": (json.dumps({"peft_type": "LORA", "r": 8}), ["model_type"]),
    "group of zero bits": (config(quantization_config={"quant_method": "gptq", "bits": 0}), ["bits"]),
    "blocks of zero": (config(quantization_config={"quant_method": "fp8", "weight_block_size": [0, 0]}), ["weight_block_size"]),
    "a pattern that explodes": (config(quantization_config={"quant_method": "origami", "ignore": ["re:(a+)+$" * 1000]}), ["origami"]),
}

QWEN_NEXT = {**LLAMA, "model_type": "qwen3_next", "layer_types": ["linear_attention", "full_attention"], "linear_num_key_heads": 2,
             "linear_num_value_heads": 4, "linear_key_head_dim": 4, "linear_value_head_dim": 4, "linear_conv_kernel_dim": 4}
MLA = {**LLAMA, "model_type": "deepseek_v3", "kv_lora_rank": 8, "qk_nope_head_dim": 4, "qk_rope_head_dim": 2, "v_head_dim": 4}
KIMI = {**LLAMA, "model_type": "kimi_linear", "linear_attn_config": {"full_attn_layers": [2], "kda_layers": [1], "num_heads": 2,
                                                                   "head_dim": 4, "short_conv_kernel_size": 4}}

# configs that contradict themselves: (the config, the key that the refusal names)
CONTRADICTIONS = {
    "kv heads that do not divide the heads": ({**LLAMA, "num_attention_heads": 4, "num_key_value_heads": 3}, "num_key_value_heads"),
    "more kv heads than heads": ({**LLAMA, "num_key_value_heads": 8}, "num_key_value_heads"),
    "head_dim 0": ({**LLAMA, "head_dim": 0}, "head_dim"),
    "head_dim 2.5": ({**LLAMA, "head_dim": 2.5}, "head_dim"),
    "values of 0": ({**LLAMA, "v_head_dim": 0}, "v_head_dim"),
    "vocabulary 0": ({**LLAMA, "vocab_size": 0}, "vocab_size"),
    "width 0": ({**LLAMA, "hidden_size": 0}, "hidden_size"),
    "network 0": ({**LLAMA, "intermediate_size": 0}, "intermediate_size"),
    "network negative": ({**LLAMA, "intermediate_size": -16}, "intermediate_size"),
    "network 1e300": ({**LLAMA, "intermediate_size": 1e300}, "intermediate_size"),
    "network as a text": ({**LLAMA, "intermediate_size": "16"}, "intermediate_size"),
    "networks, too few": ({**LLAMA, "intermediate_size": [16]}, "intermediate_size"),
    "networks, too many": ({**LLAMA, "intermediate_size": [16, 16, 16]}, "intermediate_size"),
    "networks, one of 0": ({**LLAMA, "intermediate_size": [16, 0]}, "intermediate_size"),
    "two names, two numbers": ({**LLAMA, "n_embd": 16}, "n_embd"),
    "two names of layers": ({**LLAMA, "n_layer": 3}, "n_layer"),
    "two names of experts": ({**MOE, "num_local_experts": 8}, "num_local_experts"),
    "layer types, too few": ({**LLAMA, "layer_types": ["full_attention"]}, "layer_types"),
    "layer types, too many": ({**LLAMA, "layer_types": ["full_attention"] * 3}, "layer_types"),
    "experts of no size": ({**MOE, "moe_intermediate_size": 0}, "moe_intermediate_size"),
    "groups that do not divide the experts": ({**MOE, "n_group": 3}, "n_group"),
    "more groups used than there are": ({**MOE, "n_group": 2, "topk_group": 3}, "topk_group"),
    "more dense layers than layers": ({**MOE, "first_k_dense_replace": 3}, "first_k_dense_replace"),
    "a dense layer that is not there": ({**MOE, "mlp_only_layers": [2]}, "mlp_only_layers"),
    "a dense layer named twice": ({**MOE, "mlp_only_layers": [1, 1]}, "mlp_only_layers"),
    "a mark that is neither": ({**MOE, "moe_layer_freq": [0, 7]}, "moe_layer_freq"),
    "marks, too many": ({**MOE, "moe_layer_freq": [0, 1, 1]}, "moe_layer_freq"),
    "experts without their number": ({k: v for k, v in MOE.items() if k != "num_experts"}, "num_experts_per_tok"),
    "value heads not in groups": ({**QWEN_NEXT, "linear_num_key_heads": 3}, "linear_num_key_heads"),
    "a head that is not its parts": ({**MLA, "qk_head_dim": 7}, "qk_head_dim"),
    "a layer in neither list": ({**KIMI, "linear_attn_config": {**KIMI["linear_attn_config"], "kda_layers": []}}, "kda_layers"),
    "a layer in both lists": ({**KIMI, "linear_attn_config": {**KIMI["linear_attn_config"], "kda_layers": [1, 2]}}, "kda_layers"),
    "a layer beyond the last": ({**KIMI, "linear_attn_config": {**KIMI["linear_attn_config"], "kda_layers": [1, 3]}}, "kda_layers"),
    "all layers share": ({**LLAMA, "model_type": "gemma3n_text", "altup_num_inputs": 4, "laurel_rank": 4, "num_kv_shared_layers": 2,
                          "layer_types": ["full_attention"] * 2}, "num_kv_shared_layers"),
    "patterns of a third letter": ({**LLAMA, "model_type": "exaone4", "sliding_window": 4, "sliding_window_pattern": "LXG"},
                                   "sliding_window_pattern"),
}

# answered, since nothing in them is wrong
FINE_CONFIGS = {
    "CRLF": json.dumps(LLAMA, indent=2).replace("\n", "\r\n"),
    "10 MB": config(things=["x" * 100] * 100_000),
    "a key of a megabyte": config(**{"k" * 10**6: 1}),
    "NaN where nobody looks": config()[:-1] + ', "x": NaN, "y": -Infinity}',
    "10,000 layers": config(num_hidden_layers=10**4),
    "10,000 layers, quantized, each named": config(
        num_hidden_layers=10**4, quantization_config={"quant_method": "compressed-tensors", "ignore": [
            f"model.layers.{i}.self_attn.q_proj" for i in range(10**4)], "config_groups": {
                "group_0": {"weights": {"num_bits": 8, "type": "float", "strategy": "channel"}, "targets": ["Linear"]}}}),
    "patterns that explode elsewhere": config(quantization_config={
        "quant_method": "fp8", "modules_to_not_convert": ["re:(a|a)*(a|a)*(a|a)*$", "re:(.*)(.*)(.*)(.*)(.*)x", "re:(", "re:[", "*" * 1000]}),
    "4 billion experts": json.dumps({**MOE, "num_experts": 2**32, "num_experts_per_tok": 1}),
    "escape codes in a name": config(torch_dtype="bfloat16", _name_or_path="\x1b[31mred\x1b]0;title\x07"),
}


V4 = {"model_type": "deepseek_v4", "hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 4, "head_dim": 2, "vocab_size": 32,
      "n_routed_experts": 4, "moe_intermediate_size": 4, "num_experts_per_tok": 2, "q_lora_rank": 4, "o_groups": 2, "o_lora_rank": 4,
      "sliding_window": 4, "max_position_embeddings": 64}

# found by config_fuzz: counted without a word, and then not to be written as an entry
SHOWN_AND_IMPORTED = {
    "a ratio that is printed with an exponent": {**V4, "compress_ratios": [0, 1_000_000]},
    "two prediction modules with mixing": {**V4, "compress_ratios": [0, 0, 0, 0], "num_nextn_predict_layers": 2, "hc_mult": 2},
    "a tower of more than a trillion": {"model_type": "llava", "text_config": LLAMA, "vision_config": {
        "model_type": "clip_vision_model", "hidden_size": 10**6, "intermediate_size": 10**6, "num_hidden_layers": 9}},
    "heads by their width of more than a trillion": {**LLAMA, "num_attention_heads": 10**12, "attn_output_gate": True},
}


class Hostile(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_limited(self, *arguments, stdin=subprocess.DEVNULL, data=None):
        feed = {"input": data} if data is not None else {"stdin": stdin}
        return subprocess.run([RIDGE, *arguments], cwd=self.folder, env=ENVIRONMENT, capture_output=True,
                              preexec_fn=limited, timeout=60 if SANITIZED else 20, **feed)

    def check_clean(self, done):
        said = done.stderr.decode(errors="replace")
        self.assertGreaterEqual(done.returncode, 0, f"killed by signal {-done.returncode}: {said[:500]}")
        for word in ("Sanitizer", "runtime error", "terminate called", "bad_alloc", "Assertion", "this is a bug"):
            self.assertNotIn(word, said)
        self.assertNotIn("\x1b", said)
        self.assertLess(len(said), 8000)
        return said

    def check_refused(self, arguments, words=(), **feed):
        done = self.run_limited(*arguments, **feed)
        said = self.check_clean(done)
        self.assertEqual(done.returncode, BAD_INPUT, said[:500])
        self.assertIn("hint:", said)
        self.assertEqual(done.stdout, b"")
        for word in words:
            self.assertIn(word, said)
        return said

    def check_answered(self, arguments, **feed):
        done = self.run_limited(*arguments, **feed)
        said = self.check_clean(done)
        self.assertEqual(done.returncode, ANSWERED, said[:500])
        text = done.stdout.decode()
        self.assertEqual(not_numbers(text), [])
        self.assertNotIn("\x1b", text)
        return text

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path


class Configs(Hostile):
    def test_bad_configs_are_refused(self):
        for name, (content, words) in BAD_CONFIGS.items():
            with self.subTest(name):
                self.write("config.json", content)
                self.check_refused(["show", "model", "config.json"], words)

    def test_configs_that_contradict_themselves_are_refused_by_the_key(self):
        for name, (content, key) in CONTRADICTIONS.items():
            with self.subTest(name):
                self.write("config.json", json.dumps(content))
                self.check_refused(["show", "model", "config.json"], [key])
                self.check_refused(["import", "model", "config.json"], [key])

    def test_what_the_contradictions_were_made_from_is_fine(self):
        for content in (LLAMA, MOE, QWEN_NEXT, MLA):
            self.write("config.json", json.dumps(content))
            self.check_answered(["show", "model", "config.json"])

    def test_every_word_for_a_size_in_a_name_is_noticed(self):
        for key in ("num_ghosts", "n_ghosts", "ghost_count", "ghost_size", "ghost_rank", "ghost_dim", "d_ghost", "ghost_heads", "ghost_layers",
                    "ghost_layer_types", "ghost_type", "ghost_interval", "ghost_freq", "ghost_pattern", "ghost_width", "ghost_length",
                    "ghost_experts", "ghost_groups", "ghost_ratio", "ghost_multiplier", "ghostHeads", "ghost_kernel", "ghost_window",
                    "ghost_kv", "ghost_lora", "ghost_vocab_size"):
            with self.subTest(key):
                self.write("config.json", config(**{key: 3}))
                said = self.check_refused(["show", "model", "config.json"], [key, "is 3,", f"--assume {key}=ignored"])
                self.assertEqual(said.count("hint:"), 1)
                shown = parse_json(self.check_answered(["show", "model", "config.json", "--assume", f"{key}=ignored", "--json"]))
                self.assertEqual(shown["assumptions"], [f"assumed, as you said: {key} is ignored"])

    def test_a_hundred_unknown_keys_make_a_short_message(self):
        self.write("config.json", config(**{f"num_ghosts_{i}": i + 1 for i in range(100)}))
        said = self.check_refused(["show", "model", "config.json"], ["num_ghosts_0", "more such keys"])
        self.assertLess(said.count("\n"), 60)

    def test_bad_configs_are_refused_on_standard_input_and_by_the_other_commands(self):
        for name in ("empty", "truncated", "binary", "deep objects", "a billion layers", "NaN", "a key twice"):
            content = BAD_CONFIGS[name][0]
            data = content if isinstance(content, bytes) else content.encode()
            with self.subTest(name):
                self.check_refused(["show", "model", "-"], data=data)
                self.write("config.json", content)
                self.check_refused(["why", "config.json", "--on", "hgx-h100"])
                self.check_refused(["import", "model", "config.json"])
                self.check_refused(["diff", "config.json", "llama-3-8b"])

    def test_what_is_odd_and_not_wrong_is_answered(self):
        for name, content in FINE_CONFIGS.items():
            with self.subTest(name):
                self.write("config.json", content)
                self.check_answered(["show", "model", "config.json"])
                parse_json(self.check_answered(["show", "model", "config.json", "--json"]))
                self.check_answered(["import", "model", "config.json"])

    def test_a_byte_order_mark_is_read_over_or_named(self):
        self.write("config.json", b"\xef\xbb\xbf" + config().encode())
        done = self.run_limited("show", "model", "config.json")
        said = self.check_clean(done)
        if done.returncode != ANSWERED:
            self.assertEqual(done.returncode, BAD_INPUT)
            self.assertIn("byte order mark", said)

    def test_what_can_be_shown_can_be_imported(self):
        for name, content in SHOWN_AND_IMPORTED.items():
            with self.subTest(name):
                self.write("config.json", json.dumps(content))
                done = self.run_limited("show", "model", "config.json")
                self.check_clean(done)
                if done.returncode == BAD_INPUT:
                    continue  # refused from the start is fine too
                self.check_answered(["import", "model", "config.json"])

    def test_the_largest_accepted_numbers_are_answered_or_refused_and_never_our_bug(self):
        for key in ("hidden_size", "num_attention_heads", "num_key_value_heads", "head_dim", "intermediate_size", "vocab_size",
                    "max_position_embeddings"):
            with self.subTest(key):
                self.write("config.json", config(**{key: 10**12, **({"num_attention_heads": 10**12} if "kv" in key or "value" in key else {})}))
                for command in (["show", "model"], ["import", "model"]):
                    done = self.run_limited(*command, "config.json")
                    self.check_clean(done)
                    self.assertIn(done.returncode, (ANSWERED, BAD_INPUT))

    def test_a_bad_quantization_file_beside_a_config_is_not_passed_over(self):
        # passing it over would count the bytes of another format without a word
        write_config(self.folder / "q")
        for name, content in {"truncated": '{"quantization": ', "no object": "[]", "not there": '{"other": {}}'}.items():
            with self.subTest(name):
                self.write("q/hf_quant_config.json", content)
                done = self.run_limited("show", "model", "q")
                said = self.check_clean(done) + done.stdout.decode()
                self.assertIn("hf_quant_config.json", said)


class Paths(Hostile):
    def test_files_that_cannot_be_read(self):
        (self.folder / "folder.json").mkdir()
        (self.folder / "nothing").mkdir()
        (self.folder / "loop").symlink_to("loop")
        (self.folder / "loop.json").symlink_to("loop.json")
        (self.folder / "dangling.gguf").symlink_to("nowhere")
        (self.folder / "around").mkdir()
        (self.folder / "around" / "around").symlink_to("..")
        for name in ("missing.json", "missing.gguf", "missing.safetensors", "folder.json", "nothing", "./loop", "loop.json",
                     "dangling.gguf", "no/such/config.json", "./" + "x" * 300 + ".json", "/proc/self/mem.json", "/", "around/around/around",
                     "./" + "a/" * 3000 + "config.json"):
            with self.subTest(name[:40]):
                self.check_refused(["show", "model", name])

    @unittest.skipIf(os.geteuid() == 0, "root may read anything")
    def test_unreadable_files(self):
        for name in ("config.json", "m.gguf"):
            self.write(name, config()).chmod(0)
            self.check_refused(["show", "model", name])

    def test_devices_and_pipes_do_not_hang(self):
        for name, device in {"zero.json": "/dev/zero", "null.json": "/dev/null", "zero.gguf": "/dev/zero", "random.json": "/dev/urandom"}.items():
            with self.subTest(name):
                (self.folder / name).symlink_to(device)
                self.check_refused(["show", "model", name])
        with open("/dev/zero", "rb") as zeros:
            self.check_refused(["show", "model", "-"], stdin=zeros)

    def test_a_pipe_without_a_writer_does_not_hang(self):
        for name in ("fifo.json", "fifo.gguf", "f/model.safetensors"):
            with self.subTest(name):
                path = self.folder / name
                path.parent.mkdir(exist_ok=True)
                os.mkfifo(path)
                if name.startswith("f/"):
                    write_config(path.parent)
                self.check_refused(["show", "model", name])

    def test_a_pipe_with_a_writer_is_read_or_refused(self):
        path = self.folder / "fifo.json"
        os.mkfifo(path)

        def feed():
            try:
                descriptor = os.open(path, os.O_RDWR)  # does not wait for a reader
                os.write(descriptor, config().encode())
                threading.Event().wait(1)
                os.close(descriptor)
            except OSError:
                pass

        thread = threading.Thread(target=feed)
        thread.start()
        done = self.run_limited("show", "model", "fifo.json")
        thread.join()
        self.check_clean(done)
        self.assertIn(done.returncode, (ANSWERED, BAD_INPUT))


def header(text, data=b"", length=None):
    raw = text if isinstance(text, bytes) else text.encode()
    return struct.pack("<Q", len(raw) if length is None else length) + raw + data


def one_tensor(dtype="BF16", shape=(1,), offsets=(0, 2)):
    return json.dumps({"a": {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}})


BAD_SAFETENSORS = {
    "empty": b"", "seven bytes": bytes(7), "a length of 0": header(""), "a length of 2^63": header("{}", length=2**63),
    "a length of 2^64 - 1": header("{}", length=2**64 - 1), "a length past the end": header("{}", length=1000),
    "a length of 100 MB in a small file": header("{}", length=100_000_000), "no JSON": header("hello!!!"),
    "deep": header("[" * DEEP), "truncated data": header(one_tensor()), "too much data": header(one_tensor(), bytes(100)),
    "a shape of 2^63": header(one_tensor(shape=(2**63,)), bytes(2)), "negative shape": header(one_tensor(shape=(-1,)), bytes(2)),
    "offsets of 2^63": header(one_tensor(offsets=(2**63, 2**63 + 2)), bytes(2)), "backwards": header(one_tensor(offsets=(2, 0)), bytes(2)),
    "unknown type": header(one_tensor(dtype="F9"), bytes(2)), "binary": bytes(range(256)) * 10, "zeros": bytes(4096),
    "a shape that overflows": header(one_tensor(shape=(2**32, 2**32, 2**32)), bytes(2)), "a Git LFS pointer": b"version https://git-lfs.github.com/spec/v1\n",
    "a tensor twice": header('{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}', bytes(2)),
    "cut off": safetensors(llama_tensors())[:200],
}

BAD_INDEXES = {
    "a path upwards": {"weight_map": {"a": "../../etc/passwd"}}, "an absolute path": {"weight_map": {"a": "/etc/passwd"}},
    "numbers for files": {"weight_map": {"a": 3}}, "no map": {"metadata": {}}, "empty map": {"weight_map": {}}, "a list": [], "an empty name": {"weight_map": {"a": ""}},
    "a dot": {"weight_map": {"a": "."}}, "dots": {"weight_map": {"a": ".."}}, "a negative size": {"metadata": {"total_size": -1}, "weight_map": {"a": "m.safetensors"}},
}


class Tensors(Hostile):
    def test_tensors_of_something_else_are_no_model(self):
        # counted before as a model of 0 parameters, some of its parts below zero
        others = {"nothing that is known": {"a": [1]}, "a tower alone": {"vision_tower.a.weight": [4, 4]},
                  "an embedding alone": {"model.embed_tokens.weight": [32, 8]}, "one layer": {
                      name: shape for name, shape in llama_tensors().items() if "layers" not in name or "norm" in name},
                  "a small model": llama_tensors({**LLAMA, "num_hidden_layers": 1, "vocab_size": 2, "intermediate_size": 2}),
                  "a large model": llama_tensors({**LLAMA, "hidden_size": 80}), "no tensors": {}}
        write_config(self.folder / "t")
        for name, tensors in others.items():
            with self.subTest(name):
                self.write("t/model.safetensors", safetensors(tensors))
                for command in (["show", "model"], ["import", "model"], ["why"]):
                    on = ["--on", "hgx-h100"] if command == ["why"] else []
                    self.check_refused([*command, "t", *on], ["tensors"])

    def test_bad_safetensors_are_refused(self):
        write_config(self.folder / "t")
        for name, content in BAD_SAFETENSORS.items():
            with self.subTest(name):
                self.write("t/model.safetensors", content)
                self.check_refused(["show", "model", "t"], ["model.safetensors"])
                self.check_refused(["show", "model", "t/model.safetensors"], ["model.safetensors"])

    def test_an_index_never_leaves_its_folder(self):
        write_config(self.folder / "t")
        for name, content in BAD_INDEXES.items():
            with self.subTest(name):
                self.write("t/model.safetensors.index.json", json.dumps(content))
                self.check_refused(["show", "model", "t"], ["index.json"])

    def test_an_index_that_names_itself_a_folder_or_nothing(self):
        folder = self.folder / "t"
        write_config(folder)
        (folder / "sub").mkdir()
        for target, code in {"model.safetensors.index.json": BAD_INPUT, "sub": BAD_INPUT, "config.json": BAD_INPUT, "missing": ANSWERED}.items():
            with self.subTest(target):
                self.write("t/model.safetensors.index.json", json.dumps({"weight_map": {"a": target}}))
                done = self.run_limited("show", "model", "t")
                self.check_clean(done)
                self.assertEqual(done.returncode, code, done.stderr.decode()[:300])

    def test_a_sparse_file_of_a_terabyte_costs_nothing(self):
        write_config(self.folder / "t")
        with open(self.write("t/model.safetensors", safetensors(llama_tensors())), "r+b") as file:
            file.truncate(1 << 40)
        self.check_refused(["show", "model", "t"], ["model.safetensors"])


def gguf_start(tensors=0, keys=0, version=3):
    return b"GGUF" + struct.pack("<IQQ", version, tensors, keys)


BAD_GGUF = {
    "empty": b"", "magic alone": b"GGUF", "another magic": b"GGML" + bytes(100), "zeros": bytes(4096), "binary": bytes(range(256)) * 10,
    "2^63 tensors": gguf_start(2**63), "2^63 keys": gguf_start(0, 2**63), "2^64 - 1 of both": gguf_start(2**64 - 1, 2**64 - 1),
    "version 1": gguf_start(version=1), "version 999": gguf_start(version=999),
    "a key of 2^63 letters": gguf_start(0, 1) + struct.pack("<Q", 2**63), "a text of 2^63": gguf_start(0, 1) + gguf.text("k") + struct.pack("<IQ", gguf.TEXT, 2**63),
    "a list of 2^62 texts": gguf_start(0, 1) + gguf.text("k") + struct.pack("<IIQ", gguf.ARRAY, gguf.TEXT, 2**62),
    "a list of 2^62 bytes": gguf_start(0, 1) + gguf.text("k") + struct.pack("<IIQ", gguf.ARRAY, gguf.U8, 2**62),
    "lists in lists": gguf_start(0, 1) + gguf.text("k") + struct.pack("<I", gguf.ARRAY) + struct.pack("<IQ", gguf.ARRAY, 1) * DEEP,
    "a kind of value that is not": gguf_start(0, 1) + gguf.text("k") + struct.pack("<I", 77),
    "no architecture": gguf.gguf([gguf.key("a", 1)]), "an unknown architecture": gguf.model("llamma"),
    "a billion layers": gguf.model("llama", block_count=10**9), "no layers": gguf.model("llama", block_count=0),
    "text for layers": gguf.model("llama", block_count="two"), "a list for layers": gguf.model("llama", block_count=[2, 2]),
    "huge tensor": gguf.gguf(gguf_keys(), [("a", [2**62, 8], 0)], data=False), "data cut off": gguf.gguf(gguf_keys(), [("token_embd.weight", [8, 4], 0)], data=False),
}


class Gguf(Hostile):
    def test_a_key_that_nobody_knows_is_refused_and_can_be_ignored(self):
        whole = gguf.gguf([*gguf_keys(), gguf.key("llama.attention.ghost_count", 3)])
        self.write("m.gguf", whole)
        key = "llama.attention.ghost_count"
        self.check_refused(["show", "model", "m.gguf"], [key, "is 3,", f"--assume {key}=ignored"])

    def test_bad_files_are_refused(self):
        for name, content in BAD_GGUF.items():
            with self.subTest(name):
                self.write("m.gguf", content)
                self.check_refused(["show", "model", "m.gguf"], ["m.gguf"])

    def test_a_good_file_cut_off_anywhere_is_refused(self):
        whole = write_gguf(self.folder).read_bytes()
        for at in [*range(0, 200, 7), *range(200, len(whole) - 1, 211)]:
            self.write("m.gguf", whole[:at])
            with self.subTest(at):
                self.check_refused(["show", "model", "m.gguf"])

    def test_odd_names_of_parts(self):
        whole = write_gguf(self.folder).read_bytes()
        for name in ("m-00001-of-99999.gguf", "m-00001-of-00000.gguf", "m-00002-of-00001.gguf", "m-0000x-of-00002.gguf",
                     "m-00001-of-1e300.gguf", "m-00001-of-.gguf", "-of-.gguf", "m-00001-of-10000.gguf"):
            with self.subTest(name):
                self.write(name, whole)
                done = self.run_limited("show", "model", f"./{name}")
                self.check_clean(done)
                self.assertIn(done.returncode, (ANSWERED, BAD_INPUT))

    def test_a_folder_of_them_is_read(self):
        write_gguf(self.folder / "g")
        self.check_answered(["show", "model", "g"])


if __name__ == "__main__":
    unittest.main()
