#!/usr/bin/env python3
"""Writes the corpus of safetensors_fuzz.cpp: small files, good and bad, the same bytes in every run."""

import json
import pathlib
import struct

CORPUS = pathlib.Path(__file__).resolve().parent / "corpus"
BITS = {"F4": 4, "U8": 8, "I8": 8, "BOOL": 8, "F8_E4M3": 8, "F8_E8M0": 8, "F16": 16, "BF16": 16, "F32": 32, "I32": 32,
        "U32": 32, "I64": 64}


def header(tensors, start=0):
    """{name: (type, shape)} as a header whose data lie one behind the other."""
    out, at = {"__metadata__": {"format": "pt"}}, start
    for name, (dtype, shape) in tensors.items():
        size = BITS[dtype]
        for length in shape:
            size *= length
        out[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, at + size // 8]}
        at += size // 8
    return out, at


def whole_file(text, data_bytes):
    return struct.pack("<Q", len(text)) + text + bytes(data_bytes)


def linear(module, **leaves):
    return {f"{module}.{leaf}": kind for leaf, kind in leaves.items()}


LAYER = "model.layers.0."
GOOD = {
    "plain": {"model.embed_tokens.weight": ("BF16", [8, 4]), LAYER + "self_attn.q_proj.weight": ("BF16", [4, 4]),
              LAYER + "input_layernorm.weight": ("BF16", [4]), "lm_head.weight": ("BF16", [8, 4])},
    "fp8": linear(LAYER + "mlp.down_proj", weight=("F8_E4M3", [4, 8]), weight_scale_inv=("F32", [1, 1])),
    "nvfp4": linear(LAYER + "mlp.experts.0.up_proj", weight=("U8", [4, 16]), weight_scale=("F8_E4M3", [4, 2]),
                    weight_scale_2=("F32", []), input_scale=("F32", [])),
    "mxfp4": linear(LAYER + "mlp.experts", gate_up_proj_blocks=("U8", [2, 4, 1, 16]),
                    gate_up_proj_scales=("U8", [2, 4, 1]), gate_up_proj_bias=("BF16", [2, 4])),
    "gptq": linear(LAYER + "self_attn.k_proj", qweight=("I32", [4, 8]), qzeros=("I32", [1, 1]), scales=("F16", [1, 8]),
                   g_idx=("I32", [32])),
    "awq": linear(LAYER + "self_attn.k_proj", qweight=("I32", [8, 2]), qzeros=("I32", [1, 2]), scales=("F16", [1, 16])),
    "packed": linear(LAYER + "mlp.up_proj", weight_packed=("I32", [4, 4]), weight_scale=("BF16", [4, 1]),
                     weight_shape=("I64", [2]), weight_zero_point=("I32", [1, 1]), weight_g_idx=("I32", [32])),
    "mlx": linear(LAYER + "mlp.up_proj", weight=("U32", [4, 8]), scales=("BF16", [4, 1]), biases=("BF16", [4, 1])),
    "fp4": {**linear("layers.1.ffn.experts.0.w1", weight=("I8", [2, 32]), scale=("F8_E8M0", [2, 2])),
            "layers.1.ffn.gate.tid2eid": ("I64", [2, 2]), "layers.1.hc_attn_fn": ("F32", [2])},
    "bnb": linear(LAYER + "mlp.up_proj.weight", absmax=("F32", [1]), quant_map=("F32", [16]))
    | {LAYER + "mlp.up_proj.weight": ("U8", [8, 1])},
    "odd": {"": ("F4", [2, 3]), "h.0.attn.bias": ("BOOL", [1, 1, 2, 2]), "none": ("F32", [0, 7]), "...": ("F32", []),
            "model.visual.inv_freq": ("F32", [3]), "mtp.0.enorm.weight": ("BF16", [1])},
}


def tensor(dtype='"U8"', shape="[1]", offsets="[0,1]"):
    return f'{{"a":{{"dtype":{dtype},"shape":{shape},"data_offsets":{offsets}}}}}'


BAD_HEADERS = {
    "unknown_type": tensor(dtype='"F9"'), "no_type": tensor(dtype="null"), "size_mismatch": tensor(shape="[2]"),
    "negative": tensor(shape="[-1]"), "fraction": tensor(shape="[0.5,2]"), "huge": tensor(shape="[1e300]"),
    "past_2_53": tensor(shape="[9007199254740993]"), "overflow": tensor(shape="[4294967296,4294967296,0]"),
    "backwards": tensor(offsets="[1,0]"), "three_offsets": tensor(offsets="[0,1,2]"), "hole": tensor(offsets="[1,2]"),
    "nan": tensor(offsets="[NaN,1]"), "not_a_tensor": '{"a":7}', "list": "[]",
    "twice": tensor()[:-1] + "," + tensor()[1:],
    "overlap": tensor(shape="[4]", offsets="[0,4]")[:-1] + ',"b"' + tensor(shape="[4]", offsets="[3,7]")[4:],
    "escape": '{"\\u001b[31m\\u0000":1}',
}

JSON = {
    "index": '{"metadata":{"total_size":10},"weight_map":{"a":"m-1.safetensors","b":"m-2.safetensors"}}',
    "index_elsewhere": '{"weight_map":{"a":"../x","b":"/etc/passwd","c":"C:\\\\x","d":"","e":3}}',
    "index_no_total": '{"weight_map":{"a":"m"}}',
    "index_bad_total": '{"metadata":{"total_size":-1},"weight_map":{"a":"m"}}',
    "numbers": "[0,-0,-1,1.5,1e5,1e308,5e-324,9007199254740993,18446744073709551616,NaN,Infinity,-Infinity]",
    # RapidJSON's exact numbers: an assertion, a count of leading zeros of zero, a shift by a negative count
    "near_overflow": "[719925477777778777e308,90071992547777778777e308]",
    "long_zero": "[0.00000000000000000000000,0E-320,-0.0e-300]", "tiny": "0." + "0" * 400 + "1e-2147483000",
    "long_number": "1" * 500, "too_big": "1e309", "twice": '{"a":1,"\\u0061":2}',
    "deep": "[" * 70, "deep_closed": "[" * 64 + "]" * 64,
    "strings": '["\\u00e9\\ud83d\\ude00\\n\\u0000","\u00e9"]',
    "low_surrogate": '"\\udc00"', "high_surrogate": '"\\ud800"',
    "literals": '{"a":null,"b":true,"c":false,"":[]}', "truncated": '{"a":[1,2', "trailing": "{} {}",
}


def write(folder, name, content):
    path = CORPUS / folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())


def main():
    for name, tensors in GOOD.items():
        entries, data_bytes = header(tensors)
        text = json.dumps(entries, separators=(",", ":")).encode()
        write("safetensors", f"{name}.safetensors", whole_file(text, data_bytes))
        write("safetensors", f"{name}.json", text)
    plain = json.dumps(header(GOOD["plain"])[0], separators=(",", ":")).encode()
    write("safetensors", "truncated.safetensors", whole_file(plain, 3))
    write("safetensors", "left_over.safetensors", whole_file(plain, 1000))
    write("safetensors", "padded.safetensors", whole_file(b"{}      ", 0))
    write("safetensors", "header_past_end.safetensors", struct.pack("<Q", 5000) + b"{}")
    write("safetensors", "header_over_limit.safetensors", struct.pack("<Q", 2**63 + 1) + b"{}")
    write("safetensors", "header_empty.safetensors", struct.pack("<Q", 0))
    write("safetensors", "lfs_pointer.safetensors", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n")
    for name, text in BAD_HEADERS.items():
        write("safetensors", f"bad_{name}.json", text)
    for name, text in JSON.items():
        write("json", f"{name}.json", text)
    write("json", "not_utf8.json", b'"\xff\xc3"')
    write("json", "zero_byte.json", b'{}\x00{"a":1}')


if __name__ == "__main__":
    main()
