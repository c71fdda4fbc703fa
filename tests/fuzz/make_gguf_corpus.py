#!/usr/bin/env python3
"""Writes tests/fuzz/corpus/gguf: a small GGUF file for each thing the reader or the translation must meet."""

import pathlib
import struct

U8, I8, U16, I16, U32, I32, F32, BOOL, TEXT, ARRAY, U64, I64, F64 = range(13)
FORMATS = {U8: "B", I8: "b", U16: "H", I16: "h", U32: "I", I32: "i", F32: "f", BOOL: "?", U64: "Q", I64: "q", F64: "d"}
BLOCKS = {0: (1, 4), 2: (32, 18), 12: (256, 144), 14: (256, 210), 30: (1, 2), 39: (32, 17)}  # type: elements, bytes


def text(value):
    raw = value if isinstance(value, bytes) else value.encode()
    return struct.pack("<Q", len(raw)) + raw


def plain(kind, value):
    return text(value) if kind == TEXT else struct.pack("<" + FORMATS[kind], value)


def array(kind, items):
    return struct.pack("<IQ", kind, len(items)) + b"".join(plain(kind, item) for item in items)


def key(name, value, kind=None):
    if kind is None:
        kind = {bool: BOOL, int: U32, float: F32, str: TEXT, list: ARRAY}[type(value)]
    if kind == ARRAY and isinstance(value, list):
        kinds = {bool: BOOL, int: U32, float: F32, str: TEXT}
        value = array(kinds[type(value[0])] if value else U32, value)
    return text(name) + struct.pack("<I", kind) + (value if kind == ARRAY else plain(kind, value))


def gguf(keys, tensors=(), version=3, alignment=32, data=True):
    """`tensors`: (name, dimensions with the innermost first, ggml type)"""
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(keys)) + b"".join(keys)
    at = 0
    for name, dims, kind in tensors:
        head += text(name) + struct.pack(f"<I{len(dims)}QIQ", len(dims), *dims, kind, at)
        elements = 1
        for dim in dims:
            elements *= dim
        block, size = BLOCKS.get(kind, (1, 4))
        at += -(-(elements // block * size) // alignment) * alignment
    pad = -len(head) % alignment
    return head + b"\0" * (pad + at if data and tensors else 0)


def model(architecture, tensors=(), **sizes):
    given = {"block_count": 2, "embedding_length": 8, "attention__head_count": 2, "feed_forward_length": 16, **sizes}
    keys = [key("general.architecture", architecture)]
    keys += [key(f"{architecture}.{name.replace('__', '.')}", value) for name, value in given.items()]
    return gguf(keys, [("token_embd.weight", [8, 4], 0), *tensors])


EXPERTS = {"expert_count": 4, "expert_used_count": 2, "expert_feed_forward_length": 8}
LATENT = {"attention__kv_lora_rank": 4, "attention__q_lora_rank": 4, "attention__key_length": 6,
          "attention__value_length": 4, "attention__key_length_mla": 4, "attention__value_length_mla": 2,
          "rope__dimension_count": 2}
STATE = {"ssm__inner_size": 16, "ssm__time_step_rank": 4, "ssm__state_size": 8, "ssm__group_count": 2,
         "ssm__conv_kernel": 4}

NESTED = array(U32, [1, 2])
FILES = {
    "llama": model("llama", [("output.weight", [8, 4], 30), ("blk.0.attn_q.bias", [8], 0)], attention__head_count_kv=1),
    "mixtral": model("llama", [("blk.0.ffn_down_exps.weight", [8, 8, 4], 0)], **EXPERTS),
    "qwen3moe": model("qwen3moe", [("blk.0.ffn_gate_inp.weight", [8, 4], 0)], attention__key_length=4, **EXPERTS),
    "qwen3next": model("qwen3next", **EXPERTS, **STATE, full_attention_interval=2),
    "deepseek2": model("deepseek2", [("blk.0.exp_probs_b.bias", [4], 0)], **EXPERTS, **LATENT,
                       expert_gating_func=2, leading_dense_block_count=1),
    "glm4moe": model("glm4moe", [("blk.1.nextn.eh_proj.weight", [8, 8], 0)], nextn_predict_layers=1, **EXPERTS),
    "gemma3n": model("gemma3n", [("blk.0.laurel_l.weight", [8, 2], 0)], feed_forward_length=[16, 32],
                     attention__sliding_window=4, attention__sliding_window_pattern=[True, False]),
    "gemma3": model("gemma3", attention__sliding_window=4, attention__sliding_window_pattern=6),
    "nemotron_h_moe": model("nemotron_h_moe", attention__head_count_kv=[0, 1], feed_forward_length=[0, 0], **EXPERTS,
                            **STATE, moe_latent_size=4),
    "granitehybrid": model("granitehybrid", attention__head_count_kv=[0, 1], **STATE),
    "falcon_h1": model("falcon-h1", [("blk.0.ssm_norm.weight", [8], 0)], **STATE),
    "kimi_linear": model("kimi-linear", attention__head_count_kv=[0, 1], kda__head_dim=4, ssm__conv_kernel=4, **LATENT),
    "lfm2": model("lfm2", attention__head_count_kv=[0, 1], shortconv__l_cache=3),
    "gpt_oss": model("gpt-oss", [("blk.0.attn_sinks.weight", [2], 0)], attention__sliding_window=4, **EXPERTS),
    "falcon": model("falcon", [("blk.0.attn_qkv.bias", [8], 0)]),
    "clip": model("clip", [("v.blk.0.attn_q.weight", [8, 8], 0)]),
    "unknown_architecture": model("llamma"),
    "quantized": gguf([key("general.architecture", "llama")],
                      [("a", [256, 2], 12), ("b", [256], 14), ("c", [32], 2), ("d", [32], 39)]),
    "every_value": gguf([key(f"k{kind}", 1, kind) for kind in FORMATS] + [key("t", "x"), key("u", b"\xff", TEXT)]),
    "arrays": gguf([key("few", [1, 2]), key("texts", ["a", "b"]), key("many", ["t"] * 65), key("none", []),
                    key("nested", struct.pack("<IQ", ARRAY, 2) + NESTED + NESTED, ARRAY)]),
    "too_deep": gguf([key("k", struct.pack("<IQIQIQ", ARRAY, 1, ARRAY, 1, ARRAY, 1) + NESTED, ARRAY)]),
    "aligned": gguf([key("general.alignment", 64)], [("a", [8], 0), ("b", [8], 0)], alignment=64),
    "misaligned": gguf([key("general.alignment", 48)]),
    "split": gguf([key("general.architecture", "llama"), key("split.no", 0, U16), key("split.count", 2, U16),
                   key("split.tensors.count", 2, I32)], [("a", [8], 0)]),
    "version_1": gguf([], version=1),
    "version_2": gguf([key("a", 1)], version=2),
    "big_endian": gguf([], version=0x03000000),
    "key_twice": gguf([key("a", 1), key("a", 2)]),
    "tensor_twice": gguf([], [("a", [8], 0), ("a", [8], 0)]),
    "truncated": gguf([], [("a", [8], 0)], data=False),
    "unknown_type": gguf([], [("a", [8], 99)]),
    "five_dimensions": gguf([], [("a", [1, 1, 1, 1, 1], 0)]),
    "huge_dimension": gguf([], [("a", [2**62, 8], 0)], data=False),
    "long_text": b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + text("k") + struct.pack("<IQ", TEXT, 2**63),
    "long_array": b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + text("k") + struct.pack("<IIQ", ARRAY, TEXT, 2**60),
    "many_tensors": b"GGUF" + struct.pack("<IQQ", 3, 2**63, 0),
    "empty": b"",
    "ggml": b"GGML" + bytes(20),
}


def main():
    folder = pathlib.Path(__file__).parent / "corpus" / "gguf"
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in FILES.items():
        (folder / name).write_bytes(content)


if __name__ == "__main__":
    main()
