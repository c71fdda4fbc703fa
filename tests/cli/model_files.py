"""Small models as files: configs, safetensors shards and GGUF, written by the tests that read them."""

import json
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))
import make_gguf_corpus as gguf  # noqa: E402

LLAMA = {"model_type": "llama", "hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 4,
         "num_key_value_heads": 2, "head_dim": 2, "intermediate_size": 16, "vocab_size": 32,
         "max_position_embeddings": 64, "torch_dtype": "bfloat16", "tie_word_embeddings": False}
# by hand: two tables 2*32*8 = 512; a layer has q, o 2*64 + k, v 2*32 + mlp 3*128 + norms 2*8 = 592; the last norm 8
LLAMA_PARAMETERS = 512 + 2 * 592 + 8

NEXTN = {**LLAMA, "model_type": "glm4_moe", "n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 4,
         "n_shared_experts": 1, "first_k_dense_replace": 1, "num_nextn_predict_layers": 1}


def llama_tensors(config=None):
    """{name: shape} of the checkpoint that a llama config describes."""
    c = config or LLAMA
    hidden, inner, rows = c["hidden_size"], c["intermediate_size"], c["vocab_size"]
    queries, keys = (c[name] * c["head_dim"] for name in ("num_attention_heads", "num_key_value_heads"))
    tensors = {"model.embed_tokens.weight": [rows, hidden]}
    for layer in range(c["num_hidden_layers"]):
        at = f"model.layers.{layer}."
        tensors |= {at + "self_attn.q_proj.weight": [queries, hidden], at + "self_attn.k_proj.weight": [keys, hidden],
                    at + "self_attn.v_proj.weight": [keys, hidden], at + "self_attn.o_proj.weight": [hidden, queries],
                    at + "mlp.gate_proj.weight": [inner, hidden], at + "mlp.up_proj.weight": [inner, hidden],
                    at + "mlp.down_proj.weight": [hidden, inner], at + "input_layernorm.weight": [hidden],
                    at + "post_attention_layernorm.weight": [hidden]}
    tensors["model.norm.weight"] = [hidden]
    return tensors | ({} if c["tie_word_embeddings"] else {"lm_head.weight": [rows, hidden]})


def size_of(shape, each=2):
    for length in shape:
        each *= length
    return each


def safetensors(tensors, dtype="BF16"):
    """A whole file: header and zeros."""
    header, at = {}, 0
    for name, shape in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, at + size_of(shape)]}
        at += size_of(shape)
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + bytes(at)


def write_config(folder, config=None, name="config.json"):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(json.dumps(config or LLAMA))
    return folder / name


def write_shards(folder, tensors, shards=2, index=True):
    """Splits the tensors over files, as large checkpoints are."""
    names = list(tensors)
    files = {}
    for i in range(shards):
        file = f"model-{i + 1:05}-of-{shards:05}.safetensors"
        part = {name: tensors[name] for name in names[i::shards]}
        (folder / file).write_bytes(safetensors(part))
        files |= {name: file for name in part}
    if index:
        total = sum(size_of(shape) for shape in tensors.values())
        text = json.dumps({"metadata": {"total_size": total}, "weight_map": files})
        (folder / "model.safetensors.index.json").write_text(text)


def gguf_tensors(config=None):
    """(name, dimensions with the innermost first, ggml type) for a llama config."""
    c = config or LLAMA
    hidden, inner, rows = c["hidden_size"], c["intermediate_size"], c["vocab_size"]
    queries, keys = (c[name] * c["head_dim"] for name in ("num_attention_heads", "num_key_value_heads"))
    f32, bf16 = 0, 30
    out = [("token_embd.weight", [hidden, rows], bf16)]
    for layer in range(c["num_hidden_layers"]):
        at = f"blk.{layer}."
        out += [(at + "attn_q.weight", [hidden, queries], bf16), (at + "attn_k.weight", [hidden, keys], bf16),
                (at + "attn_v.weight", [hidden, keys], bf16), (at + "attn_output.weight", [queries, hidden], bf16),
                (at + "ffn_gate.weight", [hidden, inner], bf16), (at + "ffn_up.weight", [hidden, inner], bf16),
                (at + "ffn_down.weight", [inner, hidden], bf16), (at + "attn_norm.weight", [hidden], f32),
                (at + "ffn_norm.weight", [hidden], f32)]
    return out + [("output_norm.weight", [hidden], f32), ("output.weight", [hidden, rows], bf16)]


def gguf_keys():
    sizes = {"block_count": 2, "embedding_length": 8, "attention.head_count": 4, "attention.head_count_kv": 2,
             "feed_forward_length": 16, "vocab_size": 32, "context_length": 64}
    return [gguf.key("general.architecture", "llama")] + [gguf.key(f"llama.{k}", v) for k, v in sizes.items()]


def write_gguf(folder, shards=1):
    """One file, or name-00001-of-0000N.gguf; the path of the first."""
    folder.mkdir(parents=True, exist_ok=True)
    tensors = gguf_tensors()
    if shards == 1:
        (folder / "tiny.gguf").write_bytes(gguf.gguf(gguf_keys(), tensors))
        return folder / "tiny.gguf"
    for i in range(shards):
        split = [gguf.key("split.no", i, gguf.U16), gguf.key("split.count", shards, gguf.U16),
                 gguf.key("split.tensors.count", len(tensors), gguf.I32)]
        keys = (gguf_keys() if i == 0 else []) + split
        (folder / f"tiny-{i + 1:05}-of-{shards:05}.gguf").write_bytes(gguf.gguf(keys, tensors[i::shards]))
    return folder / f"tiny-00001-of-{shards:05}.gguf"
