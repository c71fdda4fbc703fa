#!/usr/bin/env python3
"""Writes tests/fuzz/corpus/config: a small config.json for each kind of layer, tower and quantization the reader knows,
and some it must refuse; and config.dict, the words a fuzzer of them needs."""

import json
import pathlib
import re

FOLDER = pathlib.Path(__file__).resolve().parent
TINY = {"hidden_size": 8, "num_hidden_layers": 4, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 2,
        "intermediate_size": 16, "vocab_size": 32, "max_position_embeddings": 64, "torch_dtype": "bfloat16"}
EXPERTS = {"moe_intermediate_size": 4, "num_experts_per_tok": 2}
LATENT = {"q_lora_rank": 4, "kv_lora_rank": 4, "qk_nope_head_dim": 2, "qk_rope_head_dim": 2, "v_head_dim": 2}
INDEX = {"index_n_heads": 2, "index_head_dim": 4, "index_topk": 8}
MAMBA = {"mamba_num_heads": 4, "mamba_head_dim": 4, "ssm_state_size": 4, "n_groups": 2, "conv_kernel": 4}
GRANITE = {"mamba_n_heads": 4, "mamba_d_head": "auto", "mamba_d_state": 4, "mamba_n_groups": 1, "mamba_d_conv": 4,
           "mamba_expand": 2}
DELTA = {"linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 2, "linear_value_head_dim": 2,
         "linear_conv_kernel_dim": 4}
PAIR = ["full_attention", "sliding_attention"]


def config(model_type, drop=(), **keys):
    both = {"model_type": model_type, **TINY, **keys}
    return {key: value for key, value in both.items() if key not in drop}


def moe(model_type, count_key="num_experts", **keys):
    return config(model_type, **{count_key: 4, **EXPERTS, **keys})


def deepseek(model_type="deepseek_v3", **keys):
    usual = {"n_shared_experts": 1, "first_k_dense_replace": 1, "topk_method": "noaux_tc", "n_group": 2,
             "topk_group": 1, "num_nextn_predict_layers": 1, **LATENT}
    return moe(model_type, "n_routed_experts", **{**usual, **keys})


def quantized(base=None, **keys):
    return {**(base or config("llama")), "quantization_config": keys}


def seeing(family, text, **vision):
    return {"model_type": family, "text_config": config(text) if isinstance(text, str) else text,
            "vision_config": vision}


SMALL_TOWER = {"hidden_size": 8, "intermediate_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2,
               "image_size": 28, "patch_size": 14}
QWEN_TOWER = {"hidden_size": 8, "intermediate_size": 16, "depth": 2, "num_heads": 2, "out_hidden_size": 8,
              "patch_size": 14, "num_position_embeddings": 16}
FLOAT8 = {"num_bits": 8, "type": "float", "strategy": "channel"}
INT4 = {"num_bits": 4, "type": "int", "strategy": "group", "group_size": 4, "symmetric": False}

FILES = {
    # attention
    "llama": config("llama"),
    "llama_least": config("llama", drop=("num_key_value_heads", "head_dim", "max_position_embeddings", "torch_dtype")),
    "by_architecture": {**config("unheard_of"), "architectures": ["Phi3ForCausalLM"]},
    "qwen2": config("qwen2", use_sliding_window=False, sliding_window=16, max_window_layers=2),
    "qwen3": config("qwen3", tie_word_embeddings=True),
    "mistral": config("mistral", sliding_window=16),
    "gemma2": config("gemma2", sliding_window=16),
    "gemma3_defaults": {"model_type": "gemma3_text", "hidden_size": 8, "intermediate_size": 16, "num_hidden_layers": 7},
    "gemma3_pattern": config("gemma3_text", sliding_window=16, sliding_window_pattern=2),
    "exaone4_letters": config("exaone4", sliding_window=16, sliding_window_pattern="LLLG"),
    "gemma3n": config("gemma3n_text", laurel_rank=2, altup_num_inputs=2, hidden_size_per_layer_input=2,
                      vocab_size_per_layer_input=16, num_kv_shared_layers=2, intermediate_size=[16, 16, 8, 8],
                      layer_types=PAIR * 2, sliding_window=4),
    "gemma4": config("gemma4_text", layer_types=PAIR * 2, sliding_window=4, global_head_dim=4, attention_k_eq_v=True,
                     num_global_key_value_heads=1, num_kv_shared_layers=1, use_double_wide_mlp=True),
    "gemma4_moe": config("gemma4_text", layer_types=PAIR * 2, sliding_window=4, global_head_dim=4,
                         enable_moe_block=True, num_experts=4, top_k_experts=2, moe_intermediate_size=4),
    "gpt_oss": config("gpt_oss", num_local_experts=4, num_experts_per_tok=2, sliding_window=4, layer_types=PAIR * 2),
    "llama4": config("llama4_text", num_local_experts=4, num_experts_per_tok=1, interleave_moe_layer_step=2,
                     intermediate_size_mlp=16, attention_chunk_size=16, no_rope_layers=[1, 1, 1, 0]),
    "mllama": config("mllama_text_model", cross_attention_layers=[1, 3]),
    "mimo_v2": moe("mimo_v2_flash", "n_routed_experts", hybrid_layer_pattern=[0, 1, 1, 0], moe_layer_freq=[0, 1, 1, 1],
                   swa_num_attention_heads=4, swa_num_key_value_heads=4, swa_head_dim=4, swa_v_head_dim=2, v_head_dim=2,
                   sliding_window=4, add_swa_attention_sink_bias=True),
    "phi_biases": config("phi", lm_head_bias=True),
    "gpt2": {"model_type": "gpt2", "n_embd": 8, "n_layer": 2, "n_head": 2, "vocab_size": 32, "n_positions": 16},
    "opt": config("opt", ffn_dim=16), "bloom": config("bloom"), "cohere": config("cohere", use_qk_norm=True),
    "olmo2": config("olmo2"), "apertus": config("apertus"), "stablelm": config("stablelm", use_parallel_residual=True),
    # experts
    "mixtral": config("mixtral", num_local_experts=4, num_experts_per_tok=2),
    "qwen2_moe": moe("qwen2_moe", shared_expert_intermediate_size=8, mlp_only_layers=[0], decoder_sparse_step=2),
    "qwen3_moe": moe("qwen3_moe"),
    "ernie": config("ernie4_5_moe", moe_num_experts=4, moe_k=2, moe_intermediate_size=4, moe_num_shared_experts=2,
                    moe_layer_start_index=1, moe_layer_end_index=2, moe_layer_interval=1),
    "hunyuan_lists": config("hunyuan_v1_moe", num_experts=[4] * 4, moe_topk=[2] * 4),
    "minimax_m2": config("minimax_m2", num_local_experts=4, num_experts_per_tok=2, use_routing_bias=True,
                         num_mtp_modules=3, use_qk_norm=True),
    "glm4_moe": moe("glm4_moe", "n_routed_experts", n_shared_experts=1, first_k_dense_replace=1, attention_bias=True,
                    use_qk_norm=True, num_nextn_predict_layers=1),
    # latent, indexed and compressed attention
    "deepseek_v2": deepseek("deepseek_v2", q_lora_rank=None, topk_method="greedy", num_nextn_predict_layers=0),
    "deepseek_v3": deepseek(),
    "two_modules": deepseek(num_nextn_predict_layers=2),
    "deepseek_v32": deepseek("deepseek_v32", **INDEX),
    "glm_shared_index": deepseek("glm_moe_dsa", **INDEX, indexer_types=["full", "shared"] * 2),
    "glm_index_every": deepseek("glm_moe_dsa", **INDEX, index_topk_freq=2, index_skip_topk_offset=1),
    "deepseek_v4": moe("deepseek_v4", "n_routed_experts", n_shared_experts=1, q_lora_rank=4, o_groups=2, o_lora_rank=4,
                       compress_ratios=[0, 4, 8, 4, 0], num_nextn_predict_layers=1, hc_mult=2, num_hash_layers=1,
                       sliding_window=4, expert_dtype="fp4", **INDEX),
    "kimi_linear": deepseek("kimi_linear", q_lora_rank=None, num_nextn_predict_layers=0,
                            linear_attn_config={"full_attn_layers": [4], "kda_layers": [1, 2, 3], "head_dim": 2,
                                                "num_heads": 2, "short_conv_kernel_size": 4}),
    # recurrent layers
    "qwen3_next": moe("qwen3_next", full_attention_interval=4, shared_expert_intermediate_size=4, **DELTA),
    "qwen3_5": seeing("qwen3_5", config("qwen3_5_text", layer_types=(["linear_attention"] * 3 + ["full_attention"]),
                                            mtp_num_hidden_layers=1, attn_output_gate=True, mamba_ssm_dtype="float32",
                                            **DELTA), **QWEN_TOWER, deepstack_visual_indexes=[]),
    "nemotron_h": config("nemotron_h", drop=("num_hidden_layers",), hybrid_override_pattern="M-M*ME", **MAMBA,
                         n_routed_experts=4, **EXPERTS, moe_shared_expert_intermediate_size=8, n_shared_experts=1,
                         moe_latent_size=4, num_nextn_predict_layers=1, mtp_hybrid_override_pattern="*E"),
    "nemotron_blocks": config("nemotron_h", layers_block_type=["mamba", "moe", "attention", "mlp"], **MAMBA,
                              n_routed_experts=4, **EXPERTS),
    "nemotron_nas": config("nemotron-nas", num_hidden_layers=3, block_configs=[
        {"attention": {"no_op": False, "replace_with_linear": False, "n_heads_in_group": 2},
         "ffn": {"no_op": False, "replace_with_linear": False, "ffn_mult": 1.5}},
        {"attention": {"no_op": True, "replace_with_linear": False, "n_heads_in_group": None},
         "ffn": {"no_op": True, "replace_with_linear": False, "ffn_mult": None}},
        {"attention": {"no_op": False, "replace_with_linear": True}, "ffn": {"replace_with_linear": True}}]),
    "granite_hybrid": config("granitemoehybrid", layer_types=["mamba", "attention"] * 2, num_local_experts=4,
                             num_experts_per_tok=2, shared_intermediate_size=8, **GRANITE),
    "bamba": config("bamba", attn_layer_indices=[1], **GRANITE),
    "minimax_text": config("minimax_text_01", attn_type_list=[0, 0, 0, 1], num_local_experts=4, num_experts_per_tok=2),
    "lfm2": config("lfm2", layer_types=["conv", "full_attention"] * 2, conv_L_cache=3, conv_bias=True, block_ff_dim=24,
                   block_auto_adjust_ff_dim=True, block_ffn_dim_multiplier=1.0, block_multiple_of=8),
    "lfm2_indices": config("lfm2", full_attn_idxs=[1, 3], conv_L_cache=3),
    # towers
    "qwen2_5_vl": {**config("qwen2_5_vl"), "vision_config": QWEN_TOWER},
    "qwen2_vl": {**config("qwen2_vl"), "vision_config": {"embed_dim": 8, "hidden_size": 8, "depth": 2, "mlp_ratio": 4}},
    "qwen3_vl": seeing("qwen3_vl", "qwen3_vl_text", **QWEN_TOWER, deepstack_visual_indexes=[0, 1]),
    "gemma3_vision": seeing("gemma3", "gemma3_text", model_type="siglip_vision_model", vision_use_head=False,
                            **SMALL_TOWER),
    "mistral3": seeing("mistral3", "mistral", model_type="pixtral", **SMALL_TOWER),
    "llava": seeing("llava", "llama", model_type="clip_vision_model", **SMALL_TOWER),
    "mllama_vision": seeing("mllama", "mllama_text_model", num_global_layers=1, max_num_tiles=2, vision_output_dim=16,
                            supported_aspect_ratios=[[1, 1], [1, 2]], **SMALL_TOWER),
    "llama4_vision": seeing("llama4", config("llama4_text", num_local_experts=4, num_experts_per_tok=1),
                            projector_input_dim=16, projector_output_dim=16, vision_output_dim=16, **SMALL_TOWER),
    "kimi_k25": seeing("kimi_k25", deepseek("kimi_k2"), vt_hidden_size=8, vt_intermediate_size=16, patch_size=14,
                       vt_num_hidden_layers=2, init_pos_emb_height=4, init_pos_emb_width=4, merge_kernel_size=[2, 2],
                       mm_hidden_size=8, mm_projector_type="patchmerger"),
    "gemma4_senses": {"model_type": "gemma4", "text_config": config("gemma4_text", sliding_window=4),
                      "vision_config": {"model_type": "gemma4_vision", "use_clipped_linears": True, **SMALL_TOWER},
                      "audio_config": {"model_type": "gemma4_audio", "hidden_size": 8, "num_attention_heads": 2,
                                       "num_hidden_layers": 2, "subsampling_conv_channels": [8, 4]}},
    "unknown_tower": seeing("llama", "llama", model_type="crystal_ball"),
    # quantization
    "fp8_blocks": quantized(deepseek(), quant_method="fp8", weight_block_size=[128, 128], fmt="e4m3"),
    "fp8_tensor": quantized(quant_method="fp8", activation_scheme="static", modules_to_not_convert=["lm_head"]),
    "mxfp4": quantized(config("gpt_oss", num_local_experts=4, num_experts_per_tok=2), quant_method="mxfp4",
                       modules_to_not_convert=["model.layers.*.self_attn", "model.embed_tokens"]),
    "nvfp4": quantized(moe("qwen3_moe"), quant_method="modelopt", quant_algo="NVFP4", ignore=["lm_head", "*.gate"],
                       kv_cache_scheme={"num_bits": 8, "type": "float"}, config_groups={
                           "group_0": {"weights": {"num_bits": 4, "type": "float", "group_size": 16},
                                       "targets": ["Linear"]}}),
    "mixed": quantized(moe("qwen3_moe"), quant_method="modelopt", quant_algo="MIXED_PRECISION", quantized_layers={
        "model.layers.0.self_attn.q_proj": {"quant_algo": "FP8"},
        "model.layers.0.mlp.experts.0.up_proj": {"quant_algo": "NVFP4", "group_size": 16}}),
    "gptq": quantized(quant_method="gptq", bits=4, group_size=128, desc_act=True),
    "awq": quantized(quant_method="awq", bits=4, group_size=4, zero_point=True),
    "bitsandbytes": quantized(quant_method="bitsandbytes", load_in_4bit=True, bnb_4bit_use_double_quant=True),
    "fbgemm": quantized(quant_method="fbgemm_fp8"),
    "compressed_fp8": quantized(quant_method="compressed-tensors", format="float-quantized", ignore=["re:.*lm_head"],
                                config_groups={"group_0": {"weights": FLOAT8, "targets": ["Linear"]}}),
    "compressed_int4": quantized(quant_method="compressed-tensors", format="pack-quantized", ignore=["lm_head"],
                                 config_groups={"group_0": {"weights": INT4, "targets": ["re:.*mlp.*"]}}),
    "unknown_method": quantized(quant_method="origami"),
    # found by the fuzzer: parameters below zero, an entry that could not be read back
    "negative_multiple": config("lfm2", layer_types=["conv", "full_attention"] * 2, conv_L_cache=3, block_ff_dim=24,
                                block_auto_adjust_ff_dim=True, block_ffn_dim_multiplier=-1, block_multiple_of=8),
    "negative_ffn_mult": config("nemotron-nas", num_hidden_layers=1, block_configs=[
        {"attention": {"n_heads_in_group": 2}, "ffn": {"ffn_mult": -1000}}]),
    "ratio_with_exponent": moe("deepseek_v4", "n_routed_experts", num_hidden_layers=2, q_lora_rank=4, o_groups=2,
                               o_lora_rank=4, compress_ratios=[0, 1_000_000], sliding_window=4),
    "two_mixing_modules": moe("deepseek_v4", "n_routed_experts", num_hidden_layers=1, q_lora_rank=4, o_groups=2,
                              o_lora_rank=4, compress_ratios=[0, 0, 0], num_nextn_predict_layers=2, hc_mult=2,
                              sliding_window=4),
    "trillion_in_a_tower": seeing("qwen3_vl", "qwen3_vl_text", **{**QWEN_TOWER, "out_hidden_size": 10**12}),
    "trillion_in_a_gate": moe("qwen3_next", full_attention_interval=4, num_attention_heads=10**12, **DELTA),
    # refused
    "unknown_family": config("llamma"), "unknown_layer": config("llama", layer_types=["cosmic"] * 4),
    "not_supported": config("rwkv7"), "empty_object": {}, "list": [], "number": 7, "null": None,
    "no_layers": config("llama", num_hidden_layers=0), "minus": config("llama", num_hidden_layers=-1),
    "billion_layers": config("llama", num_hidden_layers=10**9), "fraction": config("llama", hidden_size=8.5),
    "text_for_number": config("llama", hidden_size="8"), "not_divisible": config("llama", drop=("head_dim",), hidden_size=9),
    "too_many_chosen": moe("qwen3_moe", num_experts_per_tok=5), "short_list": config("llama", layer_types=PAIR),
    "huge": config("llama", hidden_size=10**12, vocab_size=10**12, intermediate_size=10**12, num_hidden_layers=10**4),
    "heads": config("llama", num_key_value_heads=5),
}


def main():
    folder = FOLDER / "corpus" / "config"
    folder.mkdir(parents=True, exist_ok=True)
    words = set()
    for name, content in FILES.items():
        text = json.dumps(content, separators=(",", ":"))
        (folder / f"{name}.json").write_text(text)
        words.update(re.findall(r'"[^"\\]+"', text))
    lines = ['"' + word.replace('"', '\\"') + '"\n' for word in sorted(words)]
    (FOLDER / "config.dict").write_text("# Written by make_config_corpus.py.\n" + "".join(lines))


if __name__ == "__main__":
    main()
