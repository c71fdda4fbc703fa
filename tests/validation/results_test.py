"""Is every real result file read into what its tool meant, or refused for the stated reason?

Half of them are shipped, as figures that the build writes out in each tool's own form (tests/shipped/results.py); RIDGE_DATA names the folder that
has all of them in results/, as they were found. Both must give the same.
"""

import json
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shipped"))

import world  # noqa: E402

RIDGE = os.environ["RIDGE"]
FOLDERS = [folder / "results" for folder in world.both("results")]

# file -> how many results, and for one of them (by index) what it must say: numbers within 0.1 %, texts as parts of the
# faults or notes
READ = {
    "vllm_serve/gb10_gpt-oss-20b_rate1.0_vllm0.26.json": (1, 0, {"model": "openai/gpt-oss-20b", "rate": 1.0, "tpot": 0.190630, "isl": 4098.65, "failed": 0}),
    "vllm_serve/gb10_nemotron-omni-30b_102failed_vllm0.26.json": (1, 0, {"fault": "102 of 300 requests failed", "concurrency": 25}),
    "vllm_serve/h100_llama3-8b_detailed_vllm0.5.4.json": (1, 0, {"engine": "vllm", "tpot": 0.0101549, "fault": "all requests at once"}),
    "vllm_serve/a100x2_llama3.1-8b-fp8_detailed_trimmed.json": (1, 0, {"tpot": 0.0594352, "output_tok_s": 1398.595, "note": "no output token"}),
    "vllm_serve/unknown-gpu_llama3.1-8b_append-result.jsonl": (12, 5, {"completed": 1015, "fault": "985 of 2000 requests failed", "note": "mixes sglang, vllm"}),
    "vllm_offline/strix-halo_qwen3-14b-awq_throughput.json": (1, 0, {"kind": "offline", "total_tok_s": 159.8857, "note": "counts input and output"}),
    "vllm_offline/rtx3090_llama3.1-8b_throughput.json": (1, 0, {"total_tok_s": 1830.167}),
    "vllm_offline/rtx4090_gpt-oss-20b_throughput.json": (1, 0, {"total_tok_s": 2685.506}),
    "vllm_offline/rtx4090_llama3.1-8b_serve_stdout.json": (1, 0, {"model": "meta-llama/Meta-Llama-3.1-8B-Instruct", "rate": 1.0, "tpot": 0.01768, "completed": 180, "failed": 0}),
    "sglang/gb200_gpt-oss-120b_128prompts_bench_offline_throughput.jsonl": (1, 0, {"kind": "offline", "output_tok_s": 20149.709}),
    "sglang/gh200_qwen2.5-3b_in512_out128_c32_serving.jsonl": (1, 0, {"engine_version": "0.5.5.post3", "concurrency": 32, "isl": 264.97, "osl": 61.8, "tpot": 0.00854357, "weights": 5.97 * 2**30}),
    "sglang/gh200-a100_qwen2.5-3b_pd-disagg_serving.jsonl": (1, 0, {"fault": "disaggregated", "concurrency": 8}),
    "sglang/unknown-gpu_sharegpt_rate5_serving.jsonl": (1, 0, {"rate": 5.0, "concurrency": 256, "in_flight": 11.78026, "tpot": 0.0118089}),
    "sglang/gb200_qwen3-30b-a3b_tp1_bench_one_batch.jsonl": (5, 4, {"kind": "batch", "concurrency": 64, "tpot": 0.01354613}),
    "sglang/gb200_qwen3-30b-a3b_32prompts_bench_offline_throughput.jsonl": (1, 0, {"output_tok_s": 3319.096}),
    "sglang/unknown-gpu_qwen2.5-32b_tp8_bench_one_batch.jsonl": (4, 0, {"kind": "prefill", "ttft": 3.736421}),
    "guidellm/simulator_qwen3-0.6b_rate10_incomplete_v0.3.json": (1, 0, {"rate": 10.0, "completed": 586, "tpot": 0.01042393, "note": "23 requests were cut off"}),
    "guidellm/strix-halo_gemma4-26b-a4b_sync_v0.6.0.json": (1, 0, {"version": "0.6.0", "concurrency": 1, "tpot": 0.012920996, "fault": "reasoning tokens"}),
    "guidellm/strix-halo_gemma4-26b-a4b_sync_v0.6.0.csv": (1, 0, {"version": "0.6.0", "concurrency": 1, "tpot": 0.012920996, "fault": "reasoning tokens", "model": "unsloth/gemma-4-26B-A4B-it-GGUF"}),
    "guidellm/strix-halo_qwen3.6-35b-a3b-q4_sync_v0.6.0.csv": (1, 0, {"version": "0.6.0", "concurrency": 1}),
    "guidellm/unknown_256in128out_sync_v0.2.json": (1, 0, {"concurrency": 1, "completed": 46, "tpot": 0.00494161, "isl": 257.1087}),
    "guidellm/mock-server_constant-rate_v0.8.0.dev18_layout2.json": (1, 0, {"version": "0.8.0.dev18", "rate": 2.0, "note": "only 2 requests", "fault": "prefix-cache hits"}),
    "aiperf/unknown-gpu_qwen3-0.6b_c1_profile_export_aiperf.json": (1, 0, {"concurrency": 1, "tpot": 0.018199095, "isl": 100, "failed": 0, "completed": 64}),
    "aiperf/unknown_llama3.2-3b-q4_10errors_v0.8.0_profile_export_aiperf.json": (1, 0, {"version": "0.8.0", "fault": "10 of 20 requests failed", "note": "tokenizer gpt2"}),
    "aiperf/rtx5090_qwen3.6-35b-a3b-nvfp4_c16_v0.10.0_profile_export_aiperf.json": (1, 0, {"version": "0.10.0", "concurrency": 16, "tpot": 0.01184734, "fault": "prefix-cache hits"}),
    "genai_perf/dynamo_llama3.1-405b-fp8_3000in_genai_perf.csv": (1, 0, {"tool": "genai-perf", "isl": 3000.05, "ttft": 1.14631, "tpot": 0.03035}),
    "genai_perf/nim_deepseek-r1_doc-example_genai_perf_old.csv": (1, 0, {"isl": 127.5, "tpot": 0.01154}),
    "inferencex/agg_bmk_rows.json": (5, 1, {"hardware": "b200", "engine": "sglang", "tp": 8, "tpot": 0.01354074, "note": "29.5 times"}),
    "inferencex/agg_single_h100_gpt-oss-120b.json": (1, 0, {"hardware": "h100", "tp": 2, "concurrency": 64, "output_tok_s": 4056.095, "tpot": 0.0152541}),
    "llama_cpp/strix-halo_llama3.2-1b_llama-bench.jsonl": (10, 1, {"kind": "batch", "model": "Llama-3.2-1B-Instruct-Q4_K_M", "tpot": 1 / 195.653}),
    "llama_cpp/strix-halo_gpt-oss-20b_depth_llama-bench.jsonl": (10, 1, {"kind": "batch", "tpot": 1 / 49.924186, "hardware": "Radeon 8060S Graphics"}),
    "llama_cpp/strix-halo_qwen3.6-35b_p4k-64k_llama-bench.csv": (6, 0, {"kind": "prefill", "isl": 4096, "ttft": 3.786003802}),
    "llama_cpp/strix-halo_qwen3-coder-30b_r20_llama-bench.csv": (2, 1, {"tpot": 1 / 97.336351}),
    "llama_cpp/rtx4080_qwen2.5-7b_llama-bench.json": (2, 1, {"hardware": "NVIDIA GeForce RTX 4080", "tpot": 1 / 118.881588}),
    "llama_cpp/rtx4080_qwen2.5-7b_llama-bench.csv": (2, 1, {"tpot": 1 / 119.915244}),
    "llama_cpp/gb10_gpt-oss-20b_batched-bench_and_llama-bench.md": (28, 5, {"kind": "batch", "concurrency": 32, "tpot": 1.503 / 32}),
    "llama_cpp/readme_batched-bench.jsonl": (2, 1, {"concurrency": 2, "tpot": 11.106112 / 128}),
    "trtllm_bench/h100x8_llama3.1-70b-fp8_1024_1024.log": (1, 0, {"kind": "offline", "version": "0.16.0", "tp": 8, "output_tok_s": 10893.8728, "kv_tokens": 2730752, "kv": 52.08 * 2**30}),
    "trtllm_bench/h100x8_llama3.1-70b-fp8_128_2048.log": (1, 0, {"kind": "offline", "isl": 128, "osl": 2048}),
    "startup_logs/vllm0.12_rtx4090_llama3.1-8b_ansi.log": (1, 0, {"engine_version": "0.12.0", "weights": 14.9889 * 2**30, "kv": 6.93 * 2**30, "kv_tokens": 56800}),
    "startup_logs/vllm0.13rc_r9700x2_qwen3-next-80b-awq_crash.log": (1, 0, {"tp": 2, "kv_tokens": 154496, "fault": "died"}),
    "startup_logs/vllm0.19_gb10_qwen3.6-35b-a3b_hybrid.log": (1, 0, {"kv_tokens": 623040, "note": "18.44"}),
    "startup_logs/vllm_gb10x2_deepseek-v4-flash_kv-lines.log": (2, 1, {"kv_tokens": 240104, "kv": 23.32 * 2**30}),
    "startup_logs/vllm_v0-v1_h100_memory-lines.log": (5, 1, {"weights": 19.86 * 2**30, "kv": 14.65 * 2**30, "kv_tokens": 96016}),
    "startup_logs/vllm_xpux4_gpt-oss-20b_tp4.log": (1, 0, {"tp": 4, "weights": 3.5 * 2**30, "kv_tokens": 1479680}),
    "startup_logs/sglang0.5.11_gb10_qwen2.5-1.5b.log": (1, 0, {"engine": "sglang", "weights": 3.25 * 2**30, "kv_tokens": 126333, "kv": 3.38 * 2**30, "model": "Qwen/Qwen2.5-1.5B-Instruct"}),
    "startup_logs/trtllm_docs_80gb_memory-lines.log": (1, 0, {"engine": "trtllm", "weights": 6695 * 2**20, "kv_tokens": 259840}),
    "mlperf/v4.1_dgx-h100x8_llama2-70b-99_offline_summary.txt": (1, 0, {"kind": "offline", "output_tok_s": 24524.9}),
    "mlperf/v4.1_dgx-h100x8_llama2-70b-99_server_summary.txt": (1, 0, {"kind": "serving", "rate": 75.10, "tpot": 0.154960329, "ttft": 0.27592644}),
    "mlperf/v5.1_b200x8_llama3.1-405b_interactive_summary.txt": (1, 0, {"kind": "serving"}),
    "mlperf/v5.1_b200x8_llama3.1-8b_server_summary.txt": (1, 0, {"kind": "serving"}),
    "inference_perf/h100_llama3.1-8b_eagle_stage_6_lifecycle_metrics.json": (1, 0, {"rate": 104, "fault": "requests/s"}),
    "inference_perf/h100_llama3.1-8b_seqs192_stage_0_lifecycle_metrics.json": (1, 0, {"rate": 1.0, "tpot": (0.48322820343 - 0.03331898593) / 61.35, "note": "does not follow"}),
    "inference_perf/h100_llama3.1-8b_seqs192_stage_3_lifecycle_metrics.json": (1, 0, {"rate": 112}),
    "inference_perf/h100_llama3.1-8b_seqs192_stage_6_lifecycle_metrics.json": (1, 0, {"rate": 223, "fault": "requests/s"}),
    "inference_perf/h100_llama3.1-8b_seqs192_summary_lifecycle_metrics.json": (1, 0, {"kind": "summary", "fault": "no load point"}),
}
REFUSED = {
    "aiperf/unknown-gpu_qwen3-0.6b_c1_profile_export.jsonl": "one request of many",
    "inference_perf/h100_llama3.1-8b_seqs192_stage_3_prometheus_metrics.json": "view from the server",
    "training_logs/megatron-lm_iteration-time_variant.log": "training log",
    "training_logs/megatron-lm_h100x16_mixtral-8x7b_tp4dp4.log": "training log",
    "training_logs/megatron-bridge_gpux8_llama3-8b_bf16_memory.log": "training log",
    "training_logs/megatron-bridge_moe_step-time-lines.log": "training log",
    "training_logs/torchtitan_h100-96gb_llama3-8b.log": "training log",
    "training_logs/torchtitan_b200_moe_all-ranks.log": "training log",
    "training_logs/torchtitan_debug_zero-memory.log": "training log",
}


def results(path, *words):
    run = subprocess.run([RIDGE, "results", path, "--json", *words], capture_output=True, text=True)
    return run.returncode, json.loads(run.stdout)


def here(table):
    """(file, path, what is expected) of every file of a table, in every folder that has it."""
    return [(file, folder / file, expected) for folder in FOLDERS for file, expected in table.items() if (folder / file).exists()]


def stated(result, key):
    if key in ("ttft", "tpot", "itl", "e2e"):
        time = result[key] or {}
        return time["mean"] if time.get("mean") is not None else time.get("median")
    if key in ("weights", "kv", "kv_tokens"):
        return result["memory"][key]
    return result["layout"][key] if key in ("tp", "chips") else result[key]


class RealFiles(unittest.TestCase):
    def test_every_file_is_on_the_list(self):
        for folder in FOLDERS:
            files = {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file() and file.name != "README.md"}
            if folder == world.SHIPPED / "results":
                self.assertLessEqual(files, {*READ, *REFUSED})
                self.assertEqual({file.split("/")[0] for file in files}, {file.split("/")[0] for file in (*READ, *REFUSED)}, "a tool without any file")
            else:
                self.assertEqual(files, {*READ, *REFUSED})
            print(f"\n{len(files)} result files in {folder}", end="", flush=True)

    def test_files_say_what_the_readme_says(self):
        for _, path, (count, index, expected) in here(READ):
            with self.subTest(file=path):
                code, found = results(path)
                self.assertEqual(code, 0, found)
                self.assertEqual(len(found["results"]), count)
                one = found["results"][index]
                for key, value in expected.items():
                    if key in ("fault", "note"):
                        self.assertIn(value, " | ".join(one[key + "s"]))
                    elif isinstance(value, str):
                        self.assertEqual(one[key], value)
                    else:
                        self.assertAlmostEqual(stated(one, key), value, delta=max(1e-12, 1e-3 * abs(value)), msg=key)

    def test_other_files_are_refused_for_the_stated_reason(self):
        for _, path, reason in here(REFUSED):
            with self.subTest(file=path):
                run = subprocess.run([RIDGE, "results", path], capture_output=True, text=True)
                self.assertEqual(run.returncode, 3)
                self.assertIn(reason, run.stderr)

    def test_a_name_says_nothing(self):
        """The same bytes through standard input give the same results."""
        for file in ("inferencex/agg_bmk_rows.json", "llama_cpp/rtx4080_qwen2.5-7b_llama-bench.csv", "startup_logs/vllm0.12_rtx4090_llama3.1-8b_ansi.log"):
            for folder in FOLDERS:
                run = subprocess.run([RIDGE, "results", "-", "--json"], input=(folder / file).read_bytes(), capture_output=True, check=True)
                named = results(folder / file)[1]["results"]
                for one, other in zip(json.loads(run.stdout)["results"], named, strict=True):
                    self.assertEqual({**one, "place": ""}, {**other, "place": ""})

    def test_predictions_stand_beside_rows_that_say_everything(self):
        for folder in FOLDERS:
            code, found = results(folder / "inferencex/agg_bmk_rows.json")
            self.assertEqual(code, 0)
            predicted = [one["prediction"] for one in found["results"] if one["prediction"]]
            self.assertGreaterEqual(len(predicted), 3)  # two are of checkpoints that the catalog does not know by name
            for one in predicted:
                self.assertFalse(one["faster_than_bound"], one)
                self.assertLess(abs(one["error"]), 0.3, one)


def differences(shipped, whole, path, share):
    """What a shipped result says and the whole file does not: numbers by more than a share, texts at all."""
    if isinstance(shipped, dict):
        for key, value in shipped.items():
            if key not in ("place", "prediction"):
                yield from differences(value, (whole or {}).get(key), f"{path}.{key}", share)
    elif isinstance(shipped, (int, float)) and isinstance(whole, (int, float)):
        if abs(shipped - whole) > share * abs(whole):
            yield path, shipped, whole
    elif shipped is not None and shipped != whole:
        yield path, shipped, whole


if len(FOLDERS) == 2:

    class ShippedFigures(unittest.TestCase):
        def test_a_shipped_figure_is_that_of_the_file(self):
            """Seven digits are shipped; of llama.cpp's page the times, of three digits, and the rates follow from them."""
            for file in [file for file in READ if (FOLDERS[0] / file).exists()]:
                with self.subTest(file):
                    ours, theirs = (dict(enumerate(results(folder / file)[1]["results"])) for folder in FOLDERS)
                    self.assertEqual(list(differences(ours, theirs, file, 2e-3 if file.endswith(".md") else 1e-6)), [])


if __name__ == "__main__":
    unittest.main()
